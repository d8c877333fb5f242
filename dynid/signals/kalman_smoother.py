"""Position, velocity and acceleration by a Kalman smoother that finds its own band width."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize, signal, special

from dynid.arrays import Array
from dynid.errors import PreprocessingError

_FEWEST = 20  # samples from which a band width can be told
_LOWEST_HZ = 0.2
_HIGHEST_SHARE = 0.25  # of the sampling rate
_ORDERS = (3, 4, 5, 6)  # integrators between white noise and position
_GRID = 9  # band widths at which the likelihood is looked at before it is refined
_SETTLED = 1e-7  # share to which the slowest pole has decayed where padding begins


@dataclass(frozen=True)
class KalmanSmoother:
    """Fixed-interval smoother (Rauch, Tung, Striebel 1965) of joints driven by white noise.

    The state (q, dq, ddq, …) is a chain of m integrators behind white noise of density s: of three
    where jerk is white, of more where motion is smoother. Positions are measured with white noise
    of variance r. In the steady state only m and the band width ω = (s / (r T))^(1/2m) count, T the
    sampling interval: the smoother passes 1 / (1 + (f / f_c)^2m) of a frequency f.

    Attributes:
        order: (n,) number m of integrators of each joint.
        bandwidth_hz: (n,) f_c = ω / 2π of each joint.
        deviation: (n,) standard deviation of the positions' noise [rad or m], the square root of r.
        sampling_rate: [Hz].
        periodic: samples are one period of an endless motion.
    """

    order: NDArray[np.intp]
    bandwidth_hz: Array
    deviation: Array
    sampling_rate: float
    periodic: bool

    @classmethod
    def tuned(cls, position: Array, sampling_rate: float, *, periodic: bool) -> KalmanSmoother:
        """Find each joint's model and noise by maximum likelihood of the innovations.

        In the steady state the likelihood of the model grows as the mean square of its innovations
        falls, whatever the noise's size: for each order a search in one dimension (Harvey 1989,
        section 4.5).

        Args:
            position: (N, n) [rad or m].
            sampling_rate: [Hz].
            periodic: the N samples are one period.

        Raises:
            PreprocessingError: too few samples.
        """
        if len(position) < _FEWEST:
            message = (
                f"derivatives = kalman: the recording has {len(position)} samples; at least "
                f"{_FEWEST} are needed to tell motion from noise."
            )
            raise PreprocessingError(message)
        order, bandwidth, deviation = np.array(
            [_most_likely(column, sampling_rate, periodic) for column in position.T]
        ).T
        return cls(order.astype(np.intp), bandwidth, deviation, sampling_rate, periodic)

    def motion(self, position: Array) -> tuple[Array, Array, Array]:
        """Smooth positions (N, n) into positions, velocities and accelerations, each (N, n)."""
        joints = [
            _smoothed(
                column, _steady(order, 2 * np.pi * hz / self.sampling_rate), periodic=self.periodic
            )
            for column, order, hz in zip(position.T, self.order, self.bandwidth_hz, strict=True)
        ]
        states = np.array(joints).transpose(1, 2, 0)  # derivative, sample, joint
        omega = 2 * np.pi * self.bandwidth_hz
        return states[0], states[1] * omega, states[2] * omega**2


class _Steady(NamedTuple):
    """Steady Kalman filter of x = (q, dq / ω, ddq / ω², …) for noise of variance 1.

    Attributes:
        covariance: (m, m) of the predicted state.
        innovation: variance.
        gain: (m,) of the predicted state.
        poles: (m,) of the filter, complex, one of each conjugate pair.
        modes: (m, poles) their eigenvectors, twofold where they stand for a pair.
        duals: (poles, m) the matching rows of the inverse.
        whitening: second-order sections that turn positions into innovations.
        pad: samples after which the filter has forgotten how it began.
    """

    covariance: Array
    innovation: float
    gain: Array
    poles: NDArray[np.complex128]
    modes: NDArray[np.complex128]
    duals: NDArray[np.complex128]
    whitening: Array
    pad: int


@lru_cache(maxsize=256)
def _steady(order: int, delta: float) -> _Steady:
    """Solve the Riccati equation of ``order`` integrators; ``delta`` is ω T."""
    step = np.arange(order)
    ahead = step[None, :] - step[:, None]
    transition = np.where(ahead >= 0, delta ** np.maximum(ahead, 0.0), 0.0)
    transition /= special.factorial(np.maximum(ahead, 0))
    rest = order - 1 - step
    driven = delta ** (2.0 * order - step[:, None] - step) / (
        (rest[:, None] + rest + 1) * np.outer(special.factorial(rest), special.factorial(rest))
    )
    measured = np.eye(order)[:, :1]
    covariance = np.asarray(linalg.solve_discrete_are(transition.T, measured, driven, np.eye(1)))
    innovation = float(covariance[0, 0]) + 1.0
    gain = transition @ covariance[:, 0] / innovation
    poles, modes = np.linalg.eig(transition - np.outer(gain, measured))
    duals = np.linalg.inv(modes)
    kept = poles.imag >= 0
    twofold = np.where(poles.imag > 0, 2.0, 1.0)
    pad = ceil(log(_SETTLED) / log(np.abs(poles).max()))
    return _Steady(
        covariance=covariance,
        innovation=innovation,
        gain=gain,
        poles=poles[kept],
        modes=(modes * twofold)[:, kept],
        duals=duals[kept],
        whitening=np.asarray(signal.zpk2sos(np.ones(order), poles, 1.0)),
        pad=pad,
    )


def _run(
    poles: NDArray[np.complex128], inputs: NDArray[np.complex128], values: Array
) -> NDArray[np.complex128]:
    """Each mode z_t = pole z_(t-1) + input value_t: (poles, N).

    One by one, they lose no digits where poles crowd at 1: at high sampling rates.
    """
    return np.array(
        [
            signal.lfilter([gain], [1.0, -pole], values)
            for pole, gain in zip(poles, inputs, strict=True)
        ]
    )


def _padded(position: Array, pad: int, *, periodic: bool) -> Array:
    """Go on at both ends with what was before (periodic), or with its point reflection."""
    if periodic:
        return np.pad(position, pad, mode="wrap")
    return np.pad(position, pad, mode="reflect", reflect_type="odd")


def _most_likely(position: Array, rate: float, periodic: bool) -> tuple[int, float, float]:
    """Order, band width [Hz] and standard deviation of the noise of one joint (N,)."""
    samples = len(position)
    highest = _HIGHEST_SHARE * rate
    lowest = min(max(_LOWEST_HZ, 4 * rate / samples), highest / 2)
    centred = position - position[0]

    def mean_square(log_hz: float, order: int) -> float:
        steady = _steady(order, 2 * np.pi * np.exp(log_hz) / rate)
        padded = _padded(centred, steady.pad, periodic=periodic)[: steady.pad + samples]
        innovations = signal.sosfilt(steady.whitening, padded)
        return float(np.mean(innovations[steady.pad + samples // 10 :] ** 2))

    grid = np.linspace(np.log(lowest), np.log(highest), _GRID)
    found = []
    for order in _ORDERS:
        values = [mean_square(point, order) for point in grid]
        best = int(np.argmin(values))
        around = grid[max(0, best - 1)], grid[min(_GRID - 1, best + 1)]
        refined = optimize.minimize_scalar(
            mean_square, bounds=around, args=(order,), method="bounded", options={"xatol": 0.02}
        )
        found += [(values[best], order, grid[best]), (refined.fun, order, refined.x)]
    least, order, log_hz = min(found)
    hz = float(np.exp(log_hz))
    innovation = _steady(order, 2 * np.pi * hz / rate).innovation
    return order, hz, float(np.sqrt(least / innovation))


def _smoothed(position: Array, steady: _Steady, *, periodic: bool) -> Array:
    """Smooth one joint (N,) into position, velocity / ω and acceleration / ω² (3, N).

    Forwards the filter's predictions a, backwards the adjoint r of its innovations e:
    x = a + P r, r_(t-1) = hᵀ e_t / S + Lᵀ r_t (Durbin and Koopman 2012, section 4.4).
    """
    padded = _padded(position - position[0], steady.pad, periodic=periodic)
    predicted = _run(steady.poles, steady.duals @ steady.gain, padded)
    backwards = signal.sosfilt(steady.whitening, padded)[::-1] / steady.innovation
    adjoint = _run(steady.poles, steady.modes[0], backwards)
    inner = slice(steady.pad, steady.pad + len(position))
    states = (steady.covariance[:3] @ steady.duals.T @ adjoint).real[:, ::-1][:, inner]
    before = slice(inner.start - 1, inner.stop - 1)  # a prediction knows the samples before it
    states += (steady.modes[:3] @ predicted[:, before]).real
    states[0] += position[0]
    return np.asarray(states)
