"""The square-root unscented Kalman filter of positions, velocities and base parameters."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.estimation.estimate import Estimate, Estimator
from dynid.estimation.regression import Problem
from dynid_plugins.laboratory.kalman.discrete_model import DiscreteModel, Inputs
from dynid_plugins.laboratory.kalman.state_filter import Prior, fit_by_filter, starting_motion

_SPREAD = np.sqrt(3.0)  # of the sigma points, in standard deviations; optimal for normal errors
_BETA = 2.0  # parameter β of the covariance weights; optimal for normal errors


class SquareRootUnscentedKalmanFilter(Estimator):
    """SR-UKF on x = (q, dq, β), torque as input, position as output (van der Merwe, Wan 2001).

    It needs neither accelerations nor derivatives of the model. The prior is weighted least squares
    on the first fold.
    """

    name = "srukf"
    summary = "square-root unscented Kalman filter of motion and parameters"
    round_share = 0.5

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`."""
        return fit_by_filter(problem, start, UnscentedFilter)


class UnscentedFilter:
    """The UKF with sigma points x ± h S_i, P = S Sᵀ, S lower triangular.

    Points that differ only in β share q and dq. With d the predicted points minus the predicted
    central point and δ the weighted mean of d, the predicted covariance is
    Σ w d dᵀ + (β - α²) δ δᵀ, with w = 1 / (2 h²) and α² = h² / size. These are the usual weights
    with the negative weight of the central point expanded, so that no downdate is needed.
    """

    def __init__(self, model: DiscreteModel, prior: Prior, drift: Array) -> None:
        self._model, self._drift = model, np.sqrt(drift)
        self._n = len(model.mechanism.joints)
        size = 2 * self._n + len(prior.mean)
        self._mean = np.concatenate([np.zeros(2 * self._n), prior.mean])
        self._root = np.zeros((size, size))
        self._root[2 * self._n :, 2 * self._n :] = np.linalg.cholesky(prior.covariance)
        self._step, self._noise = 0.0, np.ones(self._n)
        self._acceleration = np.zeros(self._n)

    def begin(self, inputs: Inputs) -> None:
        """See :class:`StateFilter`."""
        moving, beta = slice(2 * self._n), slice(2 * self._n, None)
        self._mean[moving], variance = starting_motion(inputs)
        below = _lower(self._root[beta])
        self._root[:] = 0.0
        self._root[moving, moving] = np.diag(np.sqrt(variance))
        self._root[beta, beta] = below
        self._step, self._noise = inputs.step, inputs.standard_deviation
        self._acceleration = inputs.acceleration

    def predict(self, torque: Array, friction: Array, variance: Array) -> None:
        """See :class:`StateFilter`."""
        n, step, size = self._n, self._step, len(self._mean)
        moving = slice(2 * n)
        offsets = _SPREAD * np.hstack([np.zeros((size, 1)), self._root, -self._root])
        points = (self._mean[:, None] + offsets).T
        ddq, inverse = self._accelerations(points, torque, friction)
        q, dq = points[:, :n], points[:, n : 2 * n]
        points[:, :n] = q + step * dq + step**2 / 2 * ddq
        points[:, n : 2 * n] = dq + step * ddq
        difference = points[1:] - points[0]
        weight = 1 / (2 * _SPREAD**2)
        shift = weight * difference.sum(axis=0)
        self._mean = points[0] + shift
        self._acceleration = ddq[0] + weight * (ddq[1:] - ddq[0]).sum(axis=0)
        driven = np.zeros((size, n))
        driven[moving] = np.vstack([step**2 / 2 * inverse, step * inverse])
        driven *= np.sqrt(variance)
        drift = np.zeros((size, len(self._drift)))
        drift[2 * n :] = np.diag(self._drift)
        central = np.sqrt(_BETA - _SPREAD**2 / size) * shift[:, None]
        self._root = _lower(np.hstack([np.sqrt(weight) * difference.T, central, driven, drift]))

    def correct(self, measured: Array) -> float:
        """See :class:`StateFilter`."""
        n, size = self._n, len(self._mean)
        # [noise, S_q; 0, S] transformed to [S_y, 0; K S_y, S'], all lower triangular
        array = np.zeros((n + size, n + size))
        array[:n, :n] = np.diag(self._noise)
        array[:n, n:] = self._root[:n]
        array[n:, n:] = self._root
        turned = _lower(array)
        whitened = np.linalg.solve(turned[:n, :n], measured - self._mean[:n])
        self._mean = self._mean + turned[n:, :n] @ whitened
        self._root = turned[n:, n:]
        return float(whitened @ whitened)

    @property
    def parameters(self) -> tuple[Array, Array]:
        """See :class:`StateFilter`."""
        rows = self._root[2 * self._n :]
        return self._mean[2 * self._n :], rows @ rows.T

    def _accelerations(self, points: Array, torque: Array, friction: Array) -> tuple[Array, Array]:
        """Accelerations (P, n) at the step's middle, and M⁻¹ (n, n) at the first point."""
        n, model, size = self._n, self._model, len(self._mean)
        # index of each point's motion: points that differ only in β share that of the mean
        own = np.concatenate([[0], 1 + np.arange(2 * n), 1 + size + np.arange(2 * n)])
        motion = np.zeros(len(points), dtype=np.intp)
        motion[own] = np.arange(len(own))
        dq = points[own, n : 2 * n]
        parts = model.dynamics(
            points[own, :n] + self._step / 2 * dq, dq + self._step / 2 * self._acceleration
        )
        beta = points[:, 2 * n :]
        inertial = beta[:, model.inertial]
        columns = np.empty((len(points), n + 1, n))
        still = motion == 0
        columns[still] = (inertial[still] @ parts[0].reshape(-1, inertial.shape[1]).T).reshape(
            -1, n + 1, n
        )
        columns[own[1:]] = np.einsum("pank,pk->pan", parts[1:], inertial[own[1:]])
        load = torque - columns[:, 0] - beta[:, model.recorded] @ friction.T
        mass = columns[:, 1:].transpose(0, 2, 1)
        ddq = np.linalg.solve(mass, load[:, :, None])[:, :, 0]
        return ddq, np.linalg.inv(mass[0])


def _lower(array: Array) -> Array:
    """Lower triangular S with S Sᵀ = A Aᵀ, without forming the product."""
    return np.asarray(np.transpose(np.linalg.qr(array.T, mode="r")))
