"""The extended Kalman filter of positions, velocities and base parameters."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.estimation.estimate import Estimate, Estimator
from dynid.estimation.regression import Problem
from dynid_plugins.laboratory.kalman.discrete_model import DiscreteModel, Inputs
from dynid_plugins.laboratory.kalman.state_filter import Prior, fit_by_filter, starting_motion


class ExtendedKalmanFilter(Estimator):
    """EKF on x = (q, dq, β), with torque as input, position as output (Gautier, Poignet 2001).

    It needs no accelerations. The prior is weighted least squares on the first fold.
    """

    name = "ekf"
    summary = "extended Kalman filter of motion and parameters"
    round_share = 0.5

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`."""
        return fit_by_filter(problem, start, LinearisedFilter)


class LinearisedFilter:
    """The EKF; a step is linearised at its middle, with the acceleration from its mean torque."""

    def __init__(self, model: DiscreteModel, prior: Prior, drift: Array) -> None:
        self._model, self._drift = model, drift
        self._n, self._k = len(model.mechanism.joints), len(prior.mean)
        size = 2 * self._n + self._k
        self._mean = np.concatenate([np.zeros(2 * self._n), prior.mean])
        self._covariance = np.zeros((size, size))
        self._covariance[2 * self._n :, 2 * self._n :] = prior.covariance
        self._step, self._noise = 0.0, np.ones(self._n)
        self._acceleration = np.zeros(self._n)

    def begin(self, inputs: Inputs) -> None:
        """See :class:`StateFilter`."""
        moving = slice(2 * self._n)
        self._mean[moving], variance = starting_motion(inputs)
        self._covariance[moving] = 0.0
        self._covariance[:, moving] = 0.0
        self._covariance[moving, moving] = np.diag(variance)
        self._step, self._noise = inputs.step, inputs.standard_deviation**2
        self._acceleration = inputs.acceleration

    def predict(self, torque: Array, friction: Array, variance: Array) -> None:
        """See :class:`StateFilter`."""
        n, step, model = self._n, self._step, self._model
        q, dq, beta = self._mean[:n], self._mean[n : 2 * n], self._mean[2 * n :]
        middle_q, middle_dq = q + step / 2 * dq, dq + step / 2 * self._acceleration
        parts = model.dynamics(middle_q[None], middle_dq[None])[0]
        columns = parts @ beta[model.inertial]
        inverse = np.linalg.inv(columns[1:].T)
        ddq = inverse @ (torque - columns[0] - friction @ beta[model.recorded])
        by_q, by_dq = model.slopes(middle_q, middle_dq, ddq, beta)
        slope = np.zeros((n, len(self._mean)))
        slope[:, :n] = -inverse @ by_q
        slope[:, n : 2 * n] = -inverse @ (by_dq + step / 2 * by_q)
        slope[:, 2 * n + model.inertial] = -inverse @ (
            parts[0] + np.einsum("a,ank->nk", ddq, parts[1:])
        )
        slope[:, 2 * n + model.recorded] = -inverse @ friction
        self._advance(ddq, slope, inverse * np.sqrt(variance))

    def correct(self, measured: Array) -> float:
        """See :class:`StateFilter`."""
        n = self._n
        innovation = measured - self._mean[:n]
        spread = self._covariance[:n, :n] + np.diag(self._noise)
        gain = np.linalg.solve(spread, self._covariance[:n]).T
        self._mean = self._mean + gain @ innovation
        kept = -gain
        kept_covariance = self._covariance + kept @ self._covariance[:n]
        # Joseph form, which stays positive definite
        self._covariance = (
            kept_covariance + kept_covariance[:, :n] @ kept.T + gain * self._noise @ gain.T
        )
        return float(innovation @ np.linalg.solve(spread, innovation))

    @property
    def parameters(self) -> tuple[Array, Array]:
        """See :class:`StateFilter`."""
        beta = slice(2 * self._n, None)
        return self._mean[beta], self._covariance[beta, beta]

    def _advance(self, ddq: Array, slope: Array, driven: Array) -> None:
        """Advance by a step; ``driven`` (n, n) maps torque errors of variance 1 to ddq."""
        n, step = self._n, self._step
        self._mean[:n] += step * self._mean[n : 2 * n] + step**2 / 2 * ddq
        self._mean[n : 2 * n] += step * ddq
        self._acceleration = ddq
        rows = np.vstack([step**2 / 2 * slope, step * slope])
        rows[:, : 2 * n] += np.block([[np.eye(n), step * np.eye(n)], [np.zeros((n, n)), np.eye(n)]])
        across = rows @ self._covariance
        driven = np.vstack([step**2 / 2 * driven, step * driven])
        self._covariance[: 2 * n, 2 * n :] = across[:, 2 * n :]
        self._covariance[2 * n :, : 2 * n] = across[:, 2 * n :].T
        self._covariance[: 2 * n, : 2 * n] = across @ rows.T + driven @ driven.T
        diagonal = np.arange(2 * n, len(self._mean))
        self._covariance[diagonal, diagonal] += self._drift
