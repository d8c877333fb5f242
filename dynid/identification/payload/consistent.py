"""Physically consistent body from the normal equations of a payload.

The prior of a payload is normal: its centre of mass is within about ``REACH`` of the joint, its
radius of gyration is about ``RADIUS``, and its mass is unknown. With this prior, parameters that
are not identifiable increase the uncertainty of the others by a realistic amount.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.rigid_body import LARGEST_DEVIATION, RADIUS, REACH, Body, steiner
from dynid.estimation.physical import body_cone, solve_in_cones

_UNINFORMATIVE = 1e3  # prior standard deviation of the mass over its scale
_PULL = 1e-3  # weight of the reference in parameters that are not identifiable
_ROUNDS = 5


class Posterior(NamedTuple):
    """Posterior of the ten parameters, not necessarily physically consistent.

    Attributes:
        mean: (10,).
        covariance: (10, 10).
        scale: (10,) typical size of each parameter.
        reference: (10,) values of parameters that are not identifiable: the inertia of a point mass
            with the identified mass and centre, otherwise 0.
    """

    mean: Array
    covariance: Array
    scale: Array
    reference: Array

    @property
    def identifiable(self) -> NDArray[np.bool_]:
        """Which parameters (10,) are identifiable from the data."""
        return np.asarray(np.sqrt(np.diag(self.covariance)) < LARGEST_DEVIATION * self.scale)


def find_posterior(matrix: Array, right: Array, scatter: Array) -> Posterior:
    """Combine weighted normal equations of the ten parameters with the prior of payloads.

    Args:
        matrix: (10, 10) weighted normal matrix.
        right: (10,) weighted right-hand side.
        scatter: (10, 10) covariance of ``right``.
    """
    mass = _mass_alone(matrix, right)
    posterior = _update(matrix, right, scatter, mass, np.zeros(10))
    for _ in range(_ROUNDS):
        if posterior.identifiable[0] and posterior.mean[0] > 0:
            mass = float(posterior.mean[0])
        posterior = _update(matrix, right, scatter, mass, _reference(posterior))
    return posterior


def _update(
    matrix: Array, right: Array, scatter: Array, mass: float, reference: Array
) -> Posterior:
    """Return the posterior; its covariance uses ``scatter`` as the covariance of ``right``."""
    scale = payload_scale(mass)
    prior = np.diag([1 / _UNINFORMATIVE**2, *9 * [1.0]])
    inverse = np.linalg.inv(scale[:, None] * matrix * scale + prior)
    noise = scale[:, None] * scatter * scale + prior
    return Posterior(
        mean=reference + scale * (inverse @ (scale * (right - matrix @ reference))),
        covariance=scale[:, None] * (inverse @ noise @ inverse) * scale,
        scale=scale,
        reference=reference,
    )


def consistent_body(posterior: Posterior) -> Body:
    """Return the physically consistent body nearest to the posterior.

    Parameters that are not identifiable are those of a point mass, changed only as far as the
    pseudo-inertia matrix requires to be positive definite (Wensing, Kim, Slotine, RA-L 2018).

    Raises:
        EstimationError: the solver fails.
    """
    known, scale = posterior.identifiable, posterior.scale
    goal = np.where(known, posterior.mean, posterior.reference) / scale
    cost = _PULL * np.diag((~known).astype(float))
    covariance = posterior.covariance / np.outer(scale, scale)
    cost[np.ix_(known, known)] = np.linalg.inv(covariance[np.ix_(known, known)])
    block, bound, cone = body_cone(scale)
    answer = solve_in_cones(cost, -cost @ goal, scipy.sparse.csc_matrix(block), bound, [cone])
    return Body(scale * answer, posterior.covariance, known)


def _mass_alone(matrix: Array, right: Array) -> float:
    """Estimate the size of the mass [kg] from the first parameter with an effect."""
    for part, scale in ((slice(0, 1), 1.0), (slice(1, 4), REACH), (slice(4, 10), RADIUS**2)):
        if matrix[part, part].any():
            values = np.linalg.lstsq(matrix[part, part], right[part], rcond=1e-9)[0]
            return max(float(np.linalg.norm(values)) / scale, 1e-6)
    return 1.0


def payload_scale(mass: float) -> Array:
    """Return typical sizes of the parameters (10,) of a payload of this mass."""
    return mass * np.array([1.0, *3 * [REACH], *6 * [RADIUS**2]])


def _reference(posterior: Posterior) -> Array:
    mass = float(posterior.mean[0])
    if not posterior.identifiable[0] or mass <= 0:
        return np.zeros(10)
    inertia = steiner(mass, np.where(posterior.identifiable[1:4], posterior.mean[1:4], 0.0) / mass)
    return np.concatenate([np.zeros(4), inertia])
