"""Positions that jump and stay, against their velocity; and all at once, where samples are lost.

Where both are recorded their difference is smooth but for noise, so that an encoder that slipped or
lost counts shows without any model: the torque of a contact has none of this.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import scipy
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from dynid.arrays import Array, in_runs
from dynid.recording.contradiction import Contradiction
from dynid.recording.model import Recording
from dynid.recording.velocity_agreement import (
    mean_velocity,
    moving_joints,
    near_missing,
    position_noise,
)
from dynid.text import listed, significant

_LEVEL = 0.02  # [s] over which a level is a median: longer than encoders filter
_FEWEST_SAMPLES_OF_A_LEVEL = 4
_FALSE_ALARM = 1e-3  # probability of noise as large, in a whole recording of one joint
_BEYOND_NEXT = 2.0  # times the next largest step: play and slow velocities have many alike
_USUAL_QUANTILE = 0.995  # quantile of the steps, above which one may be a jump
_BESIDE = 2  # steps beside one, in which a velocity that is sampled may change
_MOST_JUMPS = 5  # of a joint; more of them belong to the motion
_KNOWN = 0.02  # of the range of a joint: lengths and gear ratios are hardly known better

# of lost samples, behind regular stamps
_LOSS_WINDOW = 3  # steps in which a jump is sought: one that only comes a sample late is none
_FEWEST_LOST = 0.7  # samples: late stamps are a fraction of a step
_COMMON_SHARE = (
    0.9  # of the squared jump, that the same number of lost samples explains at all joints
)
_BEYOND_OPPOSITE = 1.5  # times the largest score of too short steps, which no loss explains
_KNOWN_SPEED = 3.0  # times its noise: a slower joint does not count lost samples
_FEWEST_JOINTS = 2  # one alone may be struck, or slip
_NAMED_PLACES = 5  # places in a sentence
_HARMLESS_LOSS = 1e-3  # of the samples


class PositionJump(NamedTuple):
    """A step of a position against the integral of its velocity.

    Attributes:
        joint: its number.
        sample: the last one before the step.
        size: of the step [rad or m].
        noise: standard deviation of such steps elsewhere in the recording [rad or m].
    """

    joint: int
    sample: int
    size: float
    noise: float


def position_jumps(recording: Recording, excepted: Collection[str] = ()) -> Iterator[Contradiction]:
    """Find joints whose positions jump, and stay there, in a piece without gaps.

    Excepted are joints whose velocity is that of another one, or whose position is held.
    """
    jumps = find_jumps(recording)
    for joint in dict.fromkeys(jump.joint for jump in jumps):
        if recording.joint_names[joint] not in excepted:
            yield _contradiction(recording, [jump for jump in jumps if jump.joint == joint])


def find_jumps(recording: Recording) -> list[PositionJump]:
    """Return the jumps of all moving joints, those of each in the order of time.

    There are none without a recorded velocity, nor where samples are lost: time that is missing
    moves joints in the same way. What several joints do at once is one of time, too.
    """
    size = max(_FEWEST_SAMPLES_OF_A_LEVEL, round(_LEVEL * recording.sampling_rate))
    if recording.velocity is None or len(recording.time) < 8 * size:
        return []
    least = position_noise(recording)
    found = [
        jump
        for joint in moving_joints(recording).tolist()
        for jump in _jumps_of(recording, recording.velocity, joint, size, float(least[joint]))
    ]
    if found and find_losses(recording):
        return []
    places = [(jump.joint, jump.sample) for jump in found]
    return [
        jump
        for jump in found
        if not any(j != jump.joint and abs(at - jump.sample) <= size for j, at in places)
    ]


def times_of_jumps(recording: Recording) -> list[float]:
    """Return the times from its start [s] at which motion jumps: also where samples are lost."""
    samples = [loss.sample for loss in find_losses(recording)]
    samples += [jump.sample for jump in find_jumps(recording)]
    return [sample / recording.sampling_rate for sample in samples]


def _jumps_of(
    recording: Recording, velocity: Array, joint: int, size: int, least: float
) -> Iterator[PositionJump]:
    """Yield the jumps of one joint between levels of ``size`` samples.

    They are steps beyond chance, and beyond all others of the joint. The standard deviation of the
    position is ``least`` at least [rad or m].
    """
    increments, limits = _against_velocity(
        recording.position[:, joint], velocity[:, joint], recording.sampling_rate
    )
    levels = np.concatenate([[0.0], np.cumsum(increments)])
    medians = np.median(sliding_window_view(levels, size), axis=1)
    steps = medians[size:] - medians[:-size]  # from step ``size - 1`` on
    steps[near_missing(recording, len(steps), 2 * size)] = 0.0
    noise = max(float(np.median(np.abs(steps))) / 0.6745, least * (np.pi / size) ** 0.5)
    peaks = _peaks(np.abs(steps), size)[: _MOST_JUMPS + 1]
    sizes = np.abs(steps[peaks])
    chance = -scipy.special.ndtri(_FALSE_ALARM / len(steps)) * noise
    beyond = (sizes[:-1] > _BEYOND_NEXT * sizes[1:]) & (sizes[:-1] > chance)
    chosen = np.sort(peaks[: int(np.flatnonzero(beyond).max(initial=-1)) + 1]).tolist()
    places = [peak + int(np.argmax(np.abs(increments[peak:][: 2 * size - 1]))) for peak in chosen]
    abrupt = _abrupt(increments, places) & (np.abs(increments) > limits)
    for peak, at in zip(chosen, places, strict=True):
        if abrupt[at]:
            yield PositionJump(joint, at, float(steps[peak]), noise)


def _abrupt(increments: Array, places: Sequence[int]) -> NDArray[np.bool_]:
    """Return where increments (M,) of two steps are beyond all those that are at none of places.

    What a filtered velocity loses of a motion takes several steps.
    """
    pairs = np.abs(np.convolve(increments, np.ones(2), "same"))
    near = ((max(0, place - _BESIDE), place + _BESIDE + 1) for place in places)
    elsewhere = ~in_runs(near, len(pairs))
    return np.asarray(np.abs(increments) > _BEYOND_NEXT * pairs[elsewhere].max(initial=0.0))


def _against_velocity(position: Array, velocity: Array, rate: float) -> tuple[Array, Array]:
    """Return the steps of a position (N,) that its velocity (N,) does not explain, and limits.

    Whatever the factor, the delay and the offset of the velocity are. The limits are what it may
    do between samples. Both (N - 1,) [rad or m]; the rate is in Hz.
    """
    expected = mean_velocity(velocity[:, None], 1)[:, 0] / rate
    changes = np.diff(velocity) / rate
    columns = np.column_stack([expected, changes, np.ones_like(expected)])
    steps = np.diff(position)
    size = np.abs(steps - np.median(steps))
    usual = size <= np.quantile(size, _USUAL_QUANTILE)
    factors = np.linalg.lstsq(columns[usual], steps[usual], rcond=None)[0]
    around = np.convolve(np.abs(factors[0] * changes), np.ones(2 * _BESIDE + 1), "same")
    return steps - columns @ factors, around


def _peaks(sizes: Array, size: int) -> NDArray[np.intp]:
    """Return the places of the local maxima of sizes (M,), the largest first."""
    highest = scipy.ndimage.maximum_filter1d(sizes, 4 * size + 1)
    places = np.flatnonzero((sizes == highest) & (sizes > 0))
    alone = places[np.diff(places, prepend=-np.inf) > 2 * size] if len(places) else places
    return np.asarray(alone[np.argsort(-sizes[alone], kind="stable")])


def _contradiction(recording: Recording, jumps: Sequence[PositionJump]) -> Contradiction:
    joint = jumps[0].joint
    name, start = recording.joint_names[joint], recording.time[0]
    times = [float(recording.time[jump.sample + 1] - start) for jump in jumps]
    places = [
        f"by {significant(jump.size, 3)} at {time:.3f} s"
        for jump, time in zip(jumps, times, strict=True)
    ]
    largest = max(jumps, key=lambda jump: abs(jump.size))
    share = abs(largest.size) / float(np.ptp(recording.position[:, joint]))
    return Contradiction(
        kind="position_jump",
        joints=(name,),
        severity="problem" if share > _KNOWN else "warning",
        sentence=(
            f"The position of {name} [rad or m] jumps {listed(places)} against the integral of its "
            f"recorded velocity and stays there; elsewhere they differ by steps of "
            f"{significant(largest.noise, 2)} (standard deviation): the encoder slipped, was set "
            "anew or lost counts."
        ),
        remedy=(
            f"Check the encoder of {name} and its coupling to the joint; use the recording before "
            "or after this time alone (--start, --stop), after which the zero is another one."
        ),
        evidence={
            **{f"jump {k} [rad or m]": jump.size for k, jump in enumerate(jumps, start=1)},
            **{f"time of jump {k} [s]": time for k, time in enumerate(times, start=1)},
            "standard deviation [rad or m]": largest.noise,
        },
        signals=("position",),
    )


class Loss(NamedTuple):
    """Lost samples: after which sample, and how many."""

    sample: int
    lost: int


def lost_samples(recording: Recording) -> Iterator[Contradiction]:
    """Find places where positions of all moving joints go several steps in one."""
    losses = find_losses(recording)
    if not losses:
        return
    total, rate = sum(loss.lost for loss in losses), recording.sampling_rate
    places = ", ".join(
        f"{loss.lost} at {loss.sample / rate:.3f} s" for loss in losses[:_NAMED_PLACES]
    )
    more = (
        f" and at {len(losses) - _NAMED_PLACES} other places" if len(losses) > _NAMED_PLACES else ""
    )
    plural = "" if total == 1 else "s"
    share = total / len(recording.time)
    yield Contradiction(
        kind="lost_samples",
        joints=(),
        severity="note" if share < _HARMLESS_LOSS else "warning",
        sentence=(
            f"{total} sample{plural} ({total / rate:.3g} s) "
            f"{'is' if total == 1 else 'are'} lost behind regular time stamps: all moving joints "
            f"jump at once by several steps ({places}{more})."
        ),
        remedy=(
            "Record stamps of the measurement instead of counting samples, or use the spans "
            "between these times (--start, --stop); recording.corrections cannot restore samples."
        ),
        evidence={"lost samples": float(total), "places": float(len(losses))},
    )


def find_losses(recording: Recording) -> list[Loss]:
    """Return where samples are lost, in the order of time."""
    noise, moving = position_noise(recording), moving_joints(recording)
    if len(moving) < _FEWEST_JOINTS or len(recording.time) < 8 * _LOSS_WINDOW:
        return []
    position = recording.position[:, moving]
    steps = np.diff(position, axis=0)
    before, after = steps[:-4], steps[4:]
    jump = position[4:-1] - position[1:-4]  # over the steps between them
    # the smaller number of the two speeds: at a start or stop one of them explains the jump
    counts = np.array([_lost(jump, speed, noise[moving]) for speed in (before, after)])
    lost = counts[:, :, 0].min(axis=0)
    speed = 0.5 * (before + after)
    middle = _lost(jump, speed, noise[moving])
    score = counts[:, :, 2]
    chance = -scipy.special.ndtri(_FALSE_ALARM / len(lost))
    opposite = -float(score.max(axis=0).min(initial=0.0))
    least = max(chance, _BEYOND_OPPOSITE * opposite)
    seen = (lost > _FEWEST_LOST) & (middle[:, 1] > _COMMON_SHARE) & (score.min(axis=0) > least)
    seen &= counts[:, :, 3].min(axis=0) > _KNOWN_SPEED
    seen &= ~near_missing(recording, len(lost), 2 * _LOSS_WINDOW + 1, before=1)
    # a joint that was struck, or slipped in its gear, jumps alone, however far
    beyond = np.abs(jump - _LOSS_WINDOW * speed) / noise[moving]
    others = np.where(beyond < beyond.max(axis=1, keepdims=True), 1.0, 0.0)
    rest = _lost(jump * others, speed * others, noise[moving])
    seen &= (rest[:, 0] > _FEWEST_LOST) & (rest[:, 1] > _COMMON_SHARE) & (rest[:, 2] > chance)
    return _places(seen, middle[:, 0], steps)


def _lost(jump: Array, speed: Array, noise: Array) -> Array:
    """Return lost samples, their share of the squared jump, and standard scores, (M, 4).

    The scores are those of the lost samples, and of the speed. The jump (M, n) is the distance over
    the window, the speed (M, n) a step beside it, and the noise (n,) that of the positions.
    """
    excess = jump - _LOSS_WINDOW * speed
    # noise of the two ends of the window, and of a step beside it for each step in it
    deviation = noise * (2 + 2 * _LOSS_WINDOW**2) ** 0.5
    weighted, direction = excess / deviation, speed / deviation
    size = np.sum(direction**2, axis=1)
    along = np.sum(weighted * direction, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = np.where(size > 0, along / size, 0.0)
        share = along**2 / (size * np.sum(weighted**2, axis=1))
        score = along / np.sqrt(size)
    return np.stack([lost, np.nan_to_num(share), np.nan_to_num(score), np.sqrt(size)], axis=1)


def _places(seen: NDArray[np.bool_], lost: Array, steps: Array) -> list[Loss]:
    """Return one loss for each run of windows that contain it, at the largest step."""
    losses = []
    numbers = np.flatnonzero(seen)
    for group in np.split(numbers, np.flatnonzero(np.diff(numbers) > _LOSS_WINDOW) + 1):
        if not len(group):
            continue
        middle = int(group[len(group) // 2])
        inside = slice(middle + 1, middle + 1 + _LOSS_WINDOW)
        at = middle + 1 + int(np.argmax(np.linalg.norm(steps[inside], axis=1)))
        losses.append(Loss(at, max(1, round(float(np.median(lost[group]))))))
    return losses
