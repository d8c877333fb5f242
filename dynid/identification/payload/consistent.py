"""From normal equations to a body: what they tell, and what they leave to a body's consistency.

Before anything is measured, a payload is a body with its centre of mass within some ``REACH`` of
the joint and a radius of gyration of some ``RADIUS``; of its mass nothing is known. What data say
is put together with that (a normal prior), so that a parameter they say nothing about makes the
others as uncertain as it deserves, and no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dynid.arrays import Array
from dynid.dynamics.body import LARGEST_DEVIATION, RADIUS, REACH, Body, steiner
from dynid.estimation.physical import body_cone, solve_in_cones

_NOTHING_KNOWN = 1e3  # times its size: standard deviation of a mass before data
_PULL = 1e-3  # of what is not told to a point: next to nothing against what is told
_ROUNDS = 5


class Belief(NamedTuple):
    """What is believed of the ten parameters after data, whether such a body can exist or not.

    Attributes:
        mean: (10,).
        covariance: (10, 10).
        size: (10,) what is large for each.
        reference: (10,) what is not told is taken to be: the inertia is that of a point with the
            mass and centre that are told, anything else is 0.
    """

    mean: Array
    covariance: Array
    size: Array
    reference: Array

    @property
    def told(self) -> NDArray[np.bool_]:
        """Which parameters (10,) the data tell."""
        return np.asarray(np.sqrt(np.diag(self.covariance)) < LARGEST_DEVIATION * self.size)


def believe(matrix: Array, right: Array, scatter: Array) -> Belief:
    """Put weighted normal equations of the ten parameters together with what any payload is like.

    Args:
        matrix: (10, 10) weighted normal matrix.
        right: (10,) weighted right-hand side.
        scatter: (10, 10) covariance of ``right``.
    """
    mass = _mass_alone(matrix, right)
    belief = _update(matrix, right, scatter, mass, np.zeros(10))
    for _ in range(_ROUNDS):
        if belief.told[0] and belief.mean[0] > 0:
            mass = float(belief.mean[0])
        belief = _update(matrix, right, scatter, mass, _reference(belief))
    return belief


def _update(matrix: Array, right: Array, scatter: Array, mass: float, reference: Array) -> Belief:
    """The posterior mean, and its covariance where errors are not those the matrix presumes."""
    size = _sizes(mass)
    # solved in units in which every parameter is about one
    prior = np.diag([1 / _NOTHING_KNOWN**2, *9 * [1.0]])
    inverse = np.linalg.inv(size[:, None] * matrix * size + prior)
    noise = size[:, None] * scatter * size + prior
    return Belief(
        mean=reference + size * (inverse @ (size * (right - matrix @ reference))),
        covariance=size[:, None] * (inverse @ noise @ inverse) * size,
        size=size,
        reference=reference,
    )


def consistent_body(belief: Belief) -> Body:
    """The body that can exist and is nearest to what is believed.

    What is not told is that of a point, and of more than that only where the pseudo-inertia matrix
    would not be positive definite otherwise (Wensing, Kim, Slotine, RA-L 2018).
    """
    told, size = belief.told, belief.size
    goal = np.where(told, belief.mean, belief.reference) / size
    cost = _PULL * np.diag((~told).astype(float))
    covariance = belief.covariance / np.outer(size, size)
    cost[np.ix_(told, told)] = np.linalg.inv(covariance[np.ix_(told, told)])
    block, bound, cone = body_cone(size)
    answer = solve_in_cones(cost, -cost @ goal, sparse.csc_matrix(block), bound, [cone])
    return Body(size * answer, belief.covariance, told)


def _mass_alone(matrix: Array, right: Array) -> float:
    """How large a mass is to be reckoned with [kg]: what the first parameter that shows gives."""
    for part, scale in ((slice(0, 1), 1.0), (slice(1, 4), REACH), (slice(4, 10), RADIUS**2)):
        if matrix[part, part].any():
            values = np.linalg.lstsq(matrix[part, part], right[part], rcond=1e-9)[0]
            return max(float(np.linalg.norm(values)) / scale, 1e-6)
    return 1.0


def _sizes(mass: float) -> Array:
    """What is large for each parameter (10,) of a payload of this mass."""
    return mass * np.array([1.0, *3 * [REACH], *6 * [RADIUS**2]])


def _reference(belief: Belief) -> Array:
    mass = float(belief.mean[0])
    if not belief.told[0] or mass <= 0:
        return np.zeros(10)
    inertia = steiner(mass, np.where(belief.told[1:4], belief.mean[1:4], 0.0) / mass)
    return np.concatenate([np.zeros(4), inertia])
