"""How recorded velocities agree with the derivatives of positions: slope, lag, and play in gears.

Where a gear has play, a motor's position is ahead of its joint on the side to which it pushes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.recording.contradiction import Contradiction
from dynid.recording.model import Recording
from dynid.text import listed, significant

_NOISE = 0.1  # largest noise of a derivative, over its standard deviation
_LONGEST_WINDOW = 0.5  # of the time to the first zero of the autocorrelation, a quarter of a cycle
_TRAVEL = 50.0  # times noise and step of the position: less is no motion
_LONGEST_LAG = 0.5  # [s]
_MOST_BLOCKS = 20
_FEWEST_BLOCKS = 4
_BLOCK = 1.0  # quarters of a cycle, at least
_MOVING_BLOCK = 0.05  # of the mean square of the derivative
_SMOOTH = 8  # parts of a quarter of a cycle, over which noise of a second derivative is averaged
_NEGLIGIBLE_SHARE = 1e-3  # of a velocity: less is that of interpolation
_BESIDE = 5  # steps before and after one, with which it is compared
_JUMP = 5.0  # times these, and the largest usual one
_USUAL_QUANTILE = 0.995  # quantile of steps
_FALSE_ALARM = 1e-3  # probability that a slope or lag is outside of its limits by chance
_UNLOADED = 0.1  # of the rms torque: below, teeth change sides
_EXPLAINED = 0.5  # of the squared disagreement of velocity and position: most of it


class Agreement(NamedTuple):
    """Agreement of one velocity with the derivative of one position.

    Attributes:
        slope: velocity over derivative.
        limits: of the slope's magnitude: noise of the derivative makes the slope too small, and
            noise of the velocity makes that of the inverse regression too small.
        lag: by which the velocity is later than the derivative [s].
        lag_margin: half of the lag's confidence interval [s].
        correlation: at this lag, with the sign of the slope.
        damping: slope that a filter with this lag leaves; 1 without lag.
        late: error of the velocity by the lag, over the velocity (rms).
        clear: whether the slope differs from 0 by more than chance.
    """

    slope: float
    limits: tuple[float, float]
    lag: float
    lag_margin: float
    correlation: float
    damping: float
    late: float
    clear: bool


class Play(NamedTuple):
    """Play of a gear between the sensors of a position and a velocity.

    Attributes:
        size: by which the position jumps against the velocity where torque changes its sign [rad
            or m].
        margin: half of its confidence interval.
        explained: share of the squared disagreement, beyond slope and lag, that it explains.
    """

    size: float
    margin: float
    explained: float

    @property
    def is_seen(self) -> bool:
        """Whether it explains most of what velocity and position disagree by."""
        return abs(self.size) > self.margin and self.explained > _EXPLAINED


class AveragedMotion(NamedTuple):
    """Velocities and derivatives, both averaged over the same window.

    Attributes:
        derivative: (M, n) difference of positions over the window.
        velocity: (M, n) mean velocity in the window.
        side: (M, n) change of the side on which a gear's teeth touch, over the window.
        rate: [Hz].
        moving: numbers of the joints whose derivatives are well above their noise.
        quarter: (n,) samples to the first zero of the derivative's autocorrelation.
    """

    derivative: Array
    velocity: Array
    side: Array
    rate: float
    moving: tuple[int, ...]
    quarter: tuple[int, ...]


def averaged_motion(recording: Recording) -> AveragedMotion | None:
    """Return velocities and derivatives of a recording; None if nothing can be compared.

    The window is the shortest in which noise of the position, of its steps and of its sensor, is
    small against the motion.
    """
    if recording.velocity is None or len(recording.time) < 4 * _FEWEST_BLOCKS:
        return None
    noise, moving = position_noise(recording), moving_joints(recording)
    position = _without_jumps(recording.position)
    window, motion = 1, None
    while len(moving) and window < len(recording.time) // _MOST_BLOCKS:
        derivative = _derivative(position, recording.sampling_rate, window)
        quarters = tuple(_first_zero(column) for column in derivative.T)
        error = 2**0.5 * noise * recording.sampling_rate / window
        quiet = error <= _NOISE * derivative.std(axis=0)
        kept = tuple(int(j) for j in moving if quiet[j])
        velocity = mean_velocity(recording.velocity, window)
        effort = scipy.ndimage.uniform_filter1d(recording.effort, window, axis=0)
        side = _derivative(side_of_teeth(effort), recording.sampling_rate, window)
        motion = AveragedMotion(derivative, velocity, side, recording.sampling_rate, kept, quarters)
        if len(kept) == len(moving) or window > _LONGEST_WINDOW * min(quarters[j] for j in moving):
            break
        window *= 2
    return motion if motion is not None and motion.moving else None


def _without_jumps(position: Array) -> Array:
    """Return positions (N, n) without steps far beyond all others and those beside them.

    Such as after samples that were lost or repeated: one of them can outweigh a whole motion.
    """
    steps = np.diff(position, axis=0)
    size = np.abs(steps)
    reach, none = _BESIDE // 2, np.zeros((1, size.shape[1]))
    before = scipy.ndimage.maximum_filter1d(size, _BESIDE, axis=0, origin=reach)[:-1]
    after = scipy.ndimage.maximum_filter1d(size, _BESIDE, axis=0, origin=-reach)[1:]
    beside = np.maximum(np.vstack([none, before]), np.vstack([after, none]))
    usual = np.quantile(size, _USUAL_QUANTILE, axis=0)
    jumps = (size > _JUMP * beside) & (size > _JUMP * usual)
    kept = np.where(jumps, 0.0, steps)
    return np.concatenate([position[:1], position[0] + np.cumsum(kept, axis=0)])


def moving_joints(recording: Recording) -> NDArray[np.intp]:
    """Return the numbers of the joints whose positions move far beyond their noise and steps."""
    travel = np.ptp(recording.position, axis=0)
    return np.flatnonzero(travel > _TRAVEL * position_noise(recording))


def position_noise(recording: Recording) -> Array:
    """Return the standard deviation (n,) of positions around a smooth motion, with their steps."""
    third = np.diff(recording.position, 3, axis=0)
    deviation = np.median(np.abs(third), axis=0) / 0.6745 / 20**0.5
    step = np.zeros(len(deviation)) if recording.position_step is None else recording.position_step
    rounding = 1e-12 * np.abs(recording.position).max(axis=0)
    return np.asarray(np.maximum(np.maximum(deviation, step / 12**0.5), rounding))


def near_missing(recording: Recording, count: int, size: int, before: int = 0) -> NDArray[np.bool_]:
    """Return which of ``count`` windows (count,) of samples contain interpolated ones.

    The first window begins some samples before the recording, each other one a sample later.
    """
    if recording.missing is None:
        return np.zeros(count, dtype=bool)
    windows = sliding_window_view(np.pad(recording.missing, (before, 0)), size)
    return np.asarray(np.any(windows, axis=1))[:count]


def agreement(motion: AveragedMotion, velocity: int, position: int) -> Agreement | None:
    """Compare the velocity of one joint with the derivative of one position.

    Returns None where either is constant, or the motion is too short.
    """
    derivative, measured = motion.derivative[:, position], motion.velocity[:, velocity]
    if derivative.std() == 0 or measured.std() == 0:
        return None
    quarter = motion.quarter[position]
    longest = max(2, min(quarter, int(_LONGEST_LAG * motion.rate)))
    lag = _best_lag(derivative, measured, longest)
    early, late = max(0, -lag), max(0, lag)
    derivative = derivative[early : len(derivative) - late]
    measured = measured[late : len(measured) - early]
    curvature = np.gradient(derivative) * motion.rate
    blocks = _blocks(derivative, quarter)
    if len(blocks) < _FEWEST_BLOCKS:
        return None
    columns = np.column_stack([derivative, curvature, np.ones_like(derivative)])
    (slope, shift), correlation = _fit(columns, measured)
    if slope == 0:
        return None
    spread = _spread_of_fits(columns, measured, blocks)
    size, frequency = abs(slope), _frequency(derivative, motion.rate, quarter)
    delay = lag / motion.rate - shift / slope
    return Agreement(
        slope=slope,
        limits=(size - spread[0], size / max(correlation**2, 1e-3) + spread[0]),
        lag=delay,
        lag_margin=float(spread[1]) / size + 0.05 / motion.rate,
        correlation=correlation,
        damping=float(1 / np.hypot(1.0, frequency * delay)),
        late=float(abs(frequency * delay)),
        clear=bool(size > spread[0]),
    )


def side_of_teeth(torque: Array) -> Array:
    """Return the side on which teeth touch, from -1 to 1, by the sign of torque (N, n)."""
    near = _UNLOADED * np.sqrt(np.mean(torque**2, axis=0))
    return np.asarray(torque / np.maximum(np.hypot(torque, near), 1e-300))


def play_of(motion: AveragedMotion, joint: int) -> Play:
    """Return the play of a gear between a joint's position and velocity.

    They are compared in windows so long that noise, and the instants of jumps, matter little.
    """
    quarter = motion.quarter[joint]
    window = max(1, quarter // 2)
    derivative = scipy.ndimage.uniform_filter1d(motion.derivative[:, joint], window)
    measured = scipy.ndimage.uniform_filter1d(motion.velocity[:, joint], window)
    curvature = np.gradient(derivative) * motion.rate
    jumps = scipy.ndimage.uniform_filter1d(motion.side[:, joint], window)
    columns = np.column_stack([derivative, curvature, jumps, np.ones_like(derivative)])
    (slope, _, jump), correlation = _fit(columns, measured)
    if slope == 0:
        return Play(0.0, np.inf, 0.0)
    margin = _spread_of_fits(columns, measured, _blocks(derivative, quarter))[2]
    without = _fit(columns[:, [0, 1, 3]], measured)[1]
    explained = (correlation**2 - without**2) / max(1 - without**2, _NEGLIGIBLE_SHARE**2)
    return Play(-2 * jump / slope, 2 * float(margin) / abs(slope), explained)


def backlash(plays: Mapping[str, Play]) -> Iterator[Contradiction]:
    """Yield joints whose position jumps against their velocity where torque changes its sign."""
    if not plays:
        return
    sizes = listed(significant(abs(play.size), 3) for play in plays.values())
    yield Contradiction(
        kind="backlash",
        joints=tuple(plays),
        severity="warning",
        sentence=(
            f"The position of {listed(plays)} jumps against the recorded velocity where "
            f"torque changes its sign, by {sizes} rad or m: they are measured on two sides of a "
            "gear with play."
        ),
        remedy=(
            f"Check the gear of {listed(plays)} for backlash, and record position and velocity on "
            "the same side."
        ),
        evidence={f"play of {joint}": abs(play.size) for joint, play in plays.items()},
    )


def _fit(columns: Array, measured: Array) -> tuple[Array, float]:
    """Return the factors but the last, and the correlation of what is fitted with the measured.

    The second factor is that of a small lag, and before the last is that of play:
    ``v(t) = s (q'(t) - lag q''(t) - play / 2 side'(t))``.
    """
    factors = np.linalg.lstsq(columns, measured, rcond=None)[0]
    fitted = columns @ factors
    size = float(np.linalg.norm(measured - measured.mean()))
    explained = float(np.linalg.norm(fitted - fitted.mean())) / size if size > 0 else 0.0
    return np.asarray(factors[:-1]), float(np.copysign(explained, factors[0]))


def _spread_of_fits(columns: Array, measured: Array, blocks: list[slice]) -> Array:
    """Return half of the confidence intervals of the factors but the last, by a jackknife."""
    products = np.array([columns[b].T @ columns[b] for b in blocks])
    rights = np.array([columns[b].T @ measured[b] for b in blocks])
    without = zip(products.sum(axis=0) - products, rights.sum(axis=0) - rights, strict=True)
    factors = np.array([np.linalg.lstsq(a, b, rcond=None)[0][:-1] for a, b in without])
    count = len(blocks)
    deviation = np.sqrt((count - 1) * factors.var(axis=0))
    return np.asarray(deviation * scipy.special.stdtrit(count - 1, 1 - _FALSE_ALARM / 2))


def _frequency(derivative: Array, rate: float, quarter: int) -> float:
    """Return the rms frequency of a velocity [rad/s], without its noise."""
    step = max(1, min(quarter // _SMOOTH, len(derivative) // _SMOOTH))
    change = derivative[step:] - derivative[:-step]
    return float(change.std() * rate / step / derivative.std())


def _blocks(derivative: Array, quarter: int) -> list[slice]:
    """Return blocks of a quarter of a cycle or more in which the speed changes."""
    count = int(np.clip(len(derivative) / (_BLOCK * quarter), 1, _MOST_BLOCKS))
    edges = np.linspace(0, len(derivative), count + 1).astype(int)
    blocks = [slice(a, b) for a, b in pairwise(edges.tolist())]
    least = _MOVING_BLOCK * float(np.mean(derivative**2))
    return [b for b in blocks if b.stop - b.start > 4 and derivative[b].var() > least]


def _best_lag(derivative: Array, measured: Array, longest: int) -> int:
    """Return the lag [samples] at which the magnitude of the correlation is largest."""
    correlations = _correlate(measured - measured.mean(), derivative - derivative.mean())
    lags = np.arange(-longest, longest + 1)
    return int(lags[np.argmax(np.abs(correlations[lags]))])


def _correlate(first: Array, second: Array) -> Array:
    """Return the sum of ``first[k + lag] second[k]`` by lag; negative ones are at the end."""
    size = scipy.fft.next_fast_len(2 * len(first))
    product = np.fft.rfft(first, size) * np.conj(np.fft.rfft(second, size))
    return np.asarray(np.fft.irfft(product, size))


def _first_zero(column: Array) -> int:
    """Return the first lag [samples] at which the autocorrelation is not positive."""
    centred = column - column.mean()
    correlation = _correlate(centred, centred)[: len(column) // 2]
    negative = np.flatnonzero(correlation <= 0)
    return max(1, int(negative[0])) if len(negative) else max(1, len(column) // 4)


def _derivative(values: Array, rate: float, window: int) -> Array:
    return np.asarray((values[window:] - values[:-window]) * rate / window)


def mean_velocity(velocity: Array, window: int) -> Array:
    """Return the mean velocity (N - window, n) of each window of steps.

    Within a step, by the cubic through the samples around it: the trapezoidal rule would lose 2 %
    of a motion of nine samples per cycle.
    """
    middle = 0.5 * (velocity[1:] + velocity[:-1])
    middle[1:-1] += (middle[1:-1] - 0.5 * (velocity[:-3] + velocity[3:])) / 12
    total = np.cumsum(np.vstack([np.zeros(middle.shape[1]), middle]), axis=0)
    return np.asarray((total[window:] - total[:-window]) / window)
