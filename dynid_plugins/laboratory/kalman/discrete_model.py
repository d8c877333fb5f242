"""Discrete-time model of the joints' motion for Kalman filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array, pieces
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.regression import Problem, Rows
from dynid.signals.signals import Signals

_RATE = 100.0  # [Hz] highest rate of the filter's steps
_SMALLEST_DEVIATION = 1e-6  # [rad or m] below the resolution of positions
_PERTURBATION = 1e-6  # [rad or m, and per s] of central differences


class Inputs(NamedTuple):
    """One recording as input of a filter, K steps.

    Attributes:
        step: duration of a step [s].
        measured: (K + 1, n) raw positions at the steps' ends [rad or m].
        torque: (K, n) mean over a step [N m or N].
        friction: (K, n, f) mean regressor of the terms computed from recorded motion.
        unknown: (K, n) extra torque variance at rest, where static friction is unknown.
        velocity, acceleration: (n,) at the beginning.
        standard_deviation: (n,) of the measured positions' noise [rad or m].
    """

    step: float
    measured: Array
    torque: Array
    friction: Array
    unknown: Array
    velocity: Array
    acceleration: Array
    standard_deviation: Array


def first_filtered(rows: Rows) -> int:
    """Return the number of the first row after the first fold's first part."""
    return int(np.argmax(rows.fold > 0))


@dataclass(frozen=True)
class DiscreteModel:
    """The model M(q; β) ddq = τ - h(q, dq; β) - Φ β, over steps with mean torque τ and friction Φ.

    Friction and springs are regressors Φ of the recorded motion, not of the filter's state, so that
    the sign of the velocity does not chatter.

    Attributes:
        mechanism: the robot.
        independent: (k,) indices of the base parameters among the standard ones.
        inertial: (i,) indices of the base parameters in M and h.
        recorded: (f,) indices of the base parameters in Φ.
    """

    mechanism: Mechanism
    independent: NDArray[np.intp]
    inertial: NDArray[np.intp]
    recorded: NDArray[np.intp]

    @classmethod
    def of(cls, problem: Problem) -> DiscreteModel:
        """Return the model of a problem's mechanism in its base parameters."""
        mechanism, independent = problem.mechanism, problem.base.independent
        follows = np.array(
            [False] * mechanism.first_term + [not term.traits.inertial for term in mechanism.terms]
        )[independent]
        return cls(mechanism, independent, np.flatnonzero(~follows), np.flatnonzero(follows))

    def inputs(self, rows: Rows) -> Inputs:
        """Average a recording over steps, without the rows before its second fold."""
        signals, decimation = rows.signals, rows.parallel_filter.decimation
        first = first_filtered(rows) * decimation
        length = max(1, round(signals.sampling_rate / _RATE))
        steps = (len(signals.time) - 1 - first) // length
        kept = slice(first, first + steps * length + 1)

        def mean(values: Array) -> Array:
            middle = (values[:-1] + values[1:]) / 2
            return np.asarray(middle.reshape(steps, length, *values.shape[1:]).mean(axis=1))

        fitted = np.repeat(rows.fitted, decimation, axis=0)[: len(signals.time)]
        torque = signals.raw_torque[kept]
        taken = np.std(signals.raw_position - signals.position, axis=0)
        return Inputs(
            step=length / signals.sampling_rate,
            measured=signals.raw_position[kept][::length],
            torque=mean(torque),
            friction=mean(self._friction(signals)[kept]),
            unknown=(mean(fitted[kept]) < 1) * np.mean(torque**2, axis=0),
            velocity=signals.velocity[first],
            acceleration=signals.acceleration[first],
            standard_deviation=np.maximum(taken, _SMALLEST_DEVIATION),
        )

    def least_inertia(self, q: Array, beta: Array) -> float:
        """Smallest eigenvalue of M over the positions (P, n); negative if M is not valid there."""
        columns = self.dynamics(q, np.zeros_like(q))[:, 1:] @ beta[self.inertial]
        return float(np.linalg.eigvalsh(columns).min())

    def dynamics(self, q: Array, dq: Array) -> Array:
        """Regressors (P, 1 + n, n, i) of h and of M's columns, at states (P, n)."""
        points, n = q.shape
        unit = np.vstack([np.zeros(n), np.eye(n)])
        regressor = self.mechanism.regressor(
            np.repeat(q, n + 1, axis=0), np.repeat(dq, n + 1, axis=0), np.tile(unit, (points, 1))
        )
        parts = regressor[:, :, self.independent[self.inertial]]
        parts = parts.reshape(points, n + 1, n, len(self.inertial))
        parts[:, 1:] -= parts[:, :1]
        return np.asarray(parts)

    def slopes(self, q: Array, dq: Array, ddq: Array, beta: Array) -> tuple[Array, Array]:
        """Differentiate the torque M ddq + h by q and by dq at one state, (n, n) each."""
        n = len(q)
        standard = np.zeros(len(self.mechanism.parameter_names))
        standard[self.independent[self.inertial]] = beta[self.inertial]
        perturbations = _PERTURBATION * np.vstack([np.eye(2 * n), -np.eye(2 * n)])
        states = np.concatenate([q, dq]) + perturbations
        torque = self.mechanism.torque(
            states[:, :n], states[:, n:], np.tile(ddq, (4 * n, 1)), standard
        )
        slope = (torque[: 2 * n] - torque[2 * n :]).T / (2 * _PERTURBATION)
        return slope[:, :n], slope[:, n:]

    def _friction(self, signals: Signals) -> Array:
        """Regressor of the recorded terms along a recording, (N, n, f)."""
        columns, past = self.independent[self.recorded], self.mechanism.new_past()
        numbers = len(self.mechanism.joints) * len(self.mechanism.parameter_names)
        parts: Sequence[Array] = [
            self.mechanism.regressor(
                signals.position[piece],
                signals.velocity[piece],
                signals.acceleration[piece],
                past=past,
            )[:, :, columns]
            for piece in pieces(len(signals.time), numbers)
        ]
        return np.concatenate(parts)
