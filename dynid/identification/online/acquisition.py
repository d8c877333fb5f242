"""Regression rows from the samples of a running robot."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.identification.online.state_variable_filter import StateVariableFilter

_DEGREE = 5
_MEMORY = 10.0  # time constants after which a third-order filter has settled to 0.3 %


class OnlineRows(NamedTuple):
    """Filtered rows of the regression, m instants.

    Attributes:
        stacked: (n, m, p+1) [W_j, τ_j] of each joint, all standard parameters.
        moving: (m, n) 1.0 where the joint moves, else 0.0.
    """

    stacked: Array
    moving: Array


class MotionSmoother:
    """Smoother of position, velocity and acceleration with a fixed delay ``lag``.

    Polynomials of degree 5 through the samples within ``lag`` on both sides (Savitzky, Golay 1964),
    symmetric, so that the only time shift is ``lag``.

    Args:
        lag: delay [s].
        sampling_rate: [Hz].
        measured_velocity: differentiate measured velocities instead of positions.
    """

    def __init__(
        self, lag: float, sampling_rate: float, *, measured_velocity: bool = False
    ) -> None:
        self.half = max(3, round(lag * sampling_rate))
        self._measured = measured_velocity
        degree, width = _DEGREE - measured_velocity, 2 * self.half + 1
        first = 0 if measured_velocity else 1
        position = scipy.signal.savgol_coeffs(width, _DEGREE, use="dot")
        self._position = position
        self._derivatives = [
            scipy.signal.savgol_coeffs(width, degree, deriv=k, delta=1 / sampling_rate, use="dot")
            for k in (first, first + 1)
        ]
        self.reset()

    def reset(self) -> None:
        """Restart with the next sample."""
        self._kept: Array | None = None

    def __call__(
        self, position: Array, torque: Array, velocity: Array | None = None
    ) -> tuple[Array, Array, Array, Array]:
        """Return position, velocity, acceleration and torque (m, n) of the completed instants.

        Args:
            position: (N, n) next samples [rad or m].
            torque: (N, n) returned unchanged with the same delay.
            velocity: (N, n) measured, if used [rad/s or m/s].

        Raises:
            ValueError: measured velocities are missing.
        """
        if self._measured and velocity is None:
            raise ValueError("measured velocities are required, but none are given")
        source = position if velocity is None or not self._measured else velocity
        new = np.stack([position, source, torque])
        kept = new if self._kept is None else np.concatenate([self._kept, new], axis=1)
        self._kept = kept[:, -2 * self.half :]
        if kept.shape[1] <= 2 * self.half:
            empty = np.zeros((0, position.shape[1]))
            return empty, empty, empty, empty
        q, s = np.lib.stride_tricks.sliding_window_view(kept[:2], 2 * self.half + 1, axis=1)
        dq, ddq = (np.asarray(s @ weights) for weights in self._derivatives)
        return np.asarray(q @ self._position), dq, ddq, kept[2, self.half : -self.half]


class Acquisition:
    """Conversion of samples to rows with equally filtered torque and regressor.

    P. Ratiroch-Anant et al., "Recursive simultaneous estimation of a two-link direct drive
    manipulator with great variation of payload", (17) to (20), filter position, velocity and
    acceleration, compute the regressor from these, and filter the sign of unfiltered differences. A
    nonlinear function of filtered signals is not the filtered function, and the sign is noisy; both
    bias inertias and friction. Here the motion is smoothed with a fixed lag, the regressor is
    computed from the smoothed motion, and all its columns, including the signs of friction, are
    filtered by G0 = 1/(1 + τ s)^3 like the torque, so that the filtered signals satisfy the
    equation of motion.

    Args:
        mechanism: gives the regressor.
        sampling_rate: of the samples [Hz].
        slowest: (n,) speed below which a joint counts as at rest [rad/s or m/s].
        lag: of the smoother [s].
        time_constant: τ [s].
        measured_velocity: use measured velocities.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        sampling_rate: float,
        slowest: Array,
        *,
        lag: float = 0.03,
        time_constant: float = 0.008,
        measured_velocity: bool = False,
    ) -> None:
        self._mechanism, self._slowest = mechanism, np.asarray(slowest, dtype=np.float64)
        self._smoother = MotionSmoother(lag, sampling_rate, measured_velocity=measured_velocity)
        self._filter = StateVariableFilter(time_constant, 3, sampling_rate)
        self.step = max(1, round(3 * time_constant * sampling_rate))
        """Samples between rows, as the filtered signals are correlated."""
        self._memory = round(_MEMORY * time_constant * sampling_rate)
        self.delay = self._smoother.half / sampling_rate + self._filter.delay
        """Delay of the newest row [s]."""
        self.reset()

    def reset(self) -> None:
        """Restart with the next sample, as after a gap; rows follow after filters have settled."""
        self._smoother.reset()
        self._filter.reset()
        self._past = self._mechanism.new_past()
        self._waiting = self._memory

    def __call__(self, position: Array, torque: Array, velocity: Array | None = None) -> OnlineRows:
        """Process the next N samples and return the completed rows.

        Args:
            position: (N, n) [rad or m].
            torque: (N, n) [N m or N].
            velocity: (N, n) measured, if used [rad/s or m/s].

        Raises:
            MechanismError: a closed chain cannot reach a position.
        """
        q, dq, ddq, tau = self._smoother(position, torque, velocity)
        regressor = self._mechanism.regressor(q, dq, ddq, past=self._past)
        moving = (np.abs(dq) > self._slowest).astype(np.float64)
        columns = np.concatenate([regressor, tau[:, :, None], moving[:, :, None]], axis=2)
        filtered = self._filter(columns)[0] if len(columns) else columns
        chosen: NDArray[np.float64] = filtered[self._waiting :: self.step]
        self._waiting += len(chosen) * self.step - len(filtered)
        stacked = np.ascontiguousarray(chosen[:, :, :-1].transpose(1, 0, 2))
        return OnlineRows(stacked, (chosen[:, :, -1] > 0.5).astype(np.float64))
