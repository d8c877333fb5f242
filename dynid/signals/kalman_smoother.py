"""Position, velocity and acceleration by a Kalman smoother with an estimated bandwidth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.errors import PreprocessingError

_FEWEST_SAMPLES = 20  # samples needed to estimate a bandwidth
_LOWEST_HZ = 0.2
_HIGHEST_SHARE = 0.25  # of the sampling rate
_ORDERS = (3, 4, 5, 6)  # integrators between white noise and position
_GRID = 9  # bandwidths at which the likelihood is evaluated before refinement
_SETTLED_RESPONSE = 1e-7  # to which the response of the slowest pole has decayed after the padding


@dataclass(frozen=True)
class KalmanSmoother:
    """Fixed-interval smoother (Rauch, Tung, Striebel 1965) of joints driven by white noise.

    The state (q, dq, ddq, …) is a chain of m integrators driven by white noise of density s: three
    for white jerk, more for smoother motion. Positions are measured with white noise of variance r.
    In the steady state the smoother depends only on m and the bandwidth ω = (s / (r T))^(1/2m) with
    the sampling interval T; its gain at a frequency f is 1 / (1 + (f / f_c)^2m).

    Attributes:
        order: (n,) number m of integrators of each joint.
        bandwidth_hz: (n,) f_c = ω / 2π of each joint.
        standard_deviation: (n,) of the positions' noise [rad or m], the square root of r.
        sampling_rate: [Hz].
        periodic: the samples are one period of a periodic motion.
    """

    order: NDArray[np.intp]
    bandwidth_hz: Array
    standard_deviation: Array
    sampling_rate: float
    periodic: bool

    @classmethod
    def tuned(cls, position: Array, sampling_rate: float, *, periodic: bool) -> KalmanSmoother:
        """Estimate each joint's model and noise by maximum likelihood of the innovations.

        In the steady state the most likely model is the one with the smallest mean square of the
        innovations, for any size of the noise. So a one-dimensional search for each order is enough
        (Harvey 1989, section 4.5).

        Args:
            position: (N, n) [rad or m].
            sampling_rate: [Hz].
            periodic: the N samples are one period.

        Raises:
            PreprocessingError: there are too few samples.
        """
        if len(position) < _FEWEST_SAMPLES:
            raise PreprocessingError(
                f"derivatives = kalman: the recording has {len(position)} samples; at least "
                f"{_FEWEST_SAMPLES} are needed to separate motion from noise."
            )
        order, bandwidth, standard_deviation = np.array(
            [_most_likely(column, sampling_rate, periodic) for column in position.T]
        ).T
        return cls(order.astype(np.intp), bandwidth, standard_deviation, sampling_rate, periodic)

    @property
    def exponent(self) -> NDArray[np.intp]:
        """Exponent (n,) of the gain 1 / (1 + (f / f_c)^exponent)."""
        return 2 * self.order

    def motion(self, position: Array) -> tuple[Array, Array, Array]:
        """Return smoothed positions, velocities and accelerations (N, n) of positions (N, n)."""
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
        innovation: variance of the innovation.
        gain: (m,) of the predicted state.
        poles: complex poles of the filter, one of each conjugate pair.
        modes: (m, poles) their eigenvectors, doubled for a pair.
        duals: (poles, m) the corresponding rows of the inverse.
        whitening: second-order sections from positions to innovations.
        pad: length of the transient [samples].
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
    transition /= scipy.special.factorial(np.maximum(ahead, 0))
    rest = order - 1 - step
    driven = delta ** (2.0 * order - step[:, None] - step) / (
        (rest[:, None] + rest + 1)
        * np.outer(scipy.special.factorial(rest), scipy.special.factorial(rest))
    )
    measured = np.eye(order)[:, :1]
    covariance = np.asarray(
        scipy.linalg.solve_discrete_are(transition.T, measured, driven, np.eye(1))
    )
    innovation = float(covariance[0, 0]) + 1.0
    gain = transition @ covariance[:, 0] / innovation
    poles, modes = np.linalg.eig(transition - np.outer(gain, measured))
    duals = np.linalg.inv(modes)
    kept = poles.imag >= 0
    twofold = np.where(poles.imag > 0, 2.0, 1.0)
    pad = ceil(log(_SETTLED_RESPONSE) / log(np.abs(poles).max()))
    return _Steady(
        covariance=covariance,
        innovation=innovation,
        gain=gain,
        poles=poles[kept],
        modes=(modes * twofold)[:, kept],
        duals=duals[kept],
        whitening=_whitening(poles[kept]),
        pad=pad,
    )


def _whitening(poles: NDArray[np.complex128]) -> Array:
    """Return the second-order sections of a filter with these poles, and as many zeros at 1.

    Args:
        poles: one of each conjugate pair.
    """
    return np.array(
        [
            [1.0, -2.0, 1.0, 1.0, -2.0 * pole.real, abs(pole) ** 2]
            if pole.imag > 0
            else [1.0, -1.0, 0.0, 1.0, -pole.real, 0.0]
            for pole in poles
        ]
    )


def _run(
    poles: NDArray[np.complex128], inputs: NDArray[np.complex128], values: Array
) -> NDArray[np.complex128]:
    """Compute each mode z_t = pole z_(t-1) + input value_t; (poles, N).

    Separate modes stay accurate at high sampling rates, where all poles are close to 1.
    """
    return np.array(
        [
            scipy.signal.lfilter([gain], [1.0, -pole], values)
            for pole, gain in zip(poles, inputs, strict=True)
        ]
    )


def _padded(position: Array, pad: int, *, periodic: bool) -> Array:
    """Extend positions (N,) periodically, or by point reflection at both ends."""
    if periodic:
        return np.pad(position, pad, mode="wrap")
    return np.pad(position, pad, mode="reflect", reflect_type="odd")


def _most_likely(position: Array, rate: float, periodic: bool) -> tuple[int, float, float]:
    """Estimate order, bandwidth [Hz] and standard deviation of the noise of one joint (N,)."""
    samples = len(position)
    highest = _HIGHEST_SHARE * rate
    lowest = min(max(_LOWEST_HZ, 4 * rate / samples), highest / 2)
    centred = position - position[0]

    def mean_square(log_hz: float, order: int) -> float:
        steady = _steady(order, 2 * np.pi * np.exp(log_hz) / rate)
        padded = _padded(centred, steady.pad, periodic=periodic)[: steady.pad + samples]
        innovations = scipy.signal.sosfilt(steady.whitening, padded)
        return float(np.mean(innovations[steady.pad + samples // 10 :] ** 2))

    grid = np.linspace(np.log(lowest), np.log(highest), _GRID)
    optima = []
    for order in _ORDERS:
        values = [mean_square(point, order) for point in grid]
        best = int(np.argmin(values))
        around = grid[max(0, best - 1)], grid[min(_GRID - 1, best + 1)]
        refined = scipy.optimize.minimize_scalar(
            mean_square, bounds=around, args=(order,), method="bounded", options={"xatol": 0.02}
        )
        optima += [(values[best], order, grid[best]), (refined.fun, order, refined.x)]
    least, order, log_hz = min(optima)
    hz = float(np.exp(log_hz))
    innovation = _steady(order, 2 * np.pi * hz / rate).innovation
    return order, hz, float(np.sqrt(least / innovation))


def _smoothed(position: Array, steady: _Steady, *, periodic: bool) -> Array:
    """Return smoothed position, velocity / ω and acceleration / ω² (3, N) of one joint (N,).

    The forward pass gives the filter's predictions a, the backward pass the adjoint r of its
    innovations e: x = a + P r, r_(t-1) = hᵀ e_t / S + Lᵀ r_t (Durbin and Koopman 2012, section
    4.4).
    """
    padded = _padded(position - position[0], steady.pad, periodic=periodic)
    predicted = _run(steady.poles, steady.duals @ steady.gain, padded)
    backwards = scipy.signal.sosfilt(steady.whitening, padded)[::-1] / steady.innovation
    adjoint = _run(steady.poles, steady.modes[0], backwards)
    inner = slice(steady.pad, steady.pad + len(position))
    states = (steady.covariance[:3] @ steady.duals.T @ adjoint).real[:, ::-1][:, inner]
    before = slice(inner.start - 1, inner.stop - 1)  # a prediction uses the samples before it
    states += (steady.modes[:3] @ predicted[:, before]).real
    states[0] += position[0]
    return np.asarray(states)
