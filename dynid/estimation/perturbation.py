"""Change of an estimate by errors of torque."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dynid.arrays import Array
from dynid.estimation.estimate import Estimate
from dynid.estimation.least_squares import information_directions
from dynid.estimation.regression import Problem


def perturbations(problem: Problem, estimate: Estimate, errors: Iterable[Array]) -> Array:
    """Return by how much several errors of the torque change the base parameters (c, k).

    Each is A^-1 W^T e, with the estimate's weights in W and the normal matrix A.

    Args:
        problem: that was solved.
        estimate: its solution.
        errors: (c, m, n) of the torque at the rows of each recording [N m or N].
    """
    right: Array | float = 0.0
    for number, (rows, error) in enumerate(zip(problem.rows, errors, strict=True)):
        weights = estimate.weights_of(number)
        weight = rows.fitted if weights is None else rows.fitted * weights
        right = right + _projected(problem, number, error * weight * estimate.used_joint_weight)
    matrix = np.einsum("j,jik->ik", estimate.used_joint_weight, estimate.equations.joint_gram)
    directions = information_directions(matrix[:-1, :-1])
    return np.asarray(right @ directions @ directions.T)


def _projected(problem: Problem, number: int, errors: Array) -> Array:
    """Return W^T e (c, k) of errors (c, m, n) at the rows of one recording."""
    rows, count = problem.rows[number], len(errors)
    columns = problem.base.independent
    if not rows.parallel_filter.passes_through:
        projections = np.zeros((count, len(columns)))
        for block in problem.blocks(number):
            projections += np.einsum("jmk,cmj->ck", block.stacked[:, :, :-1], errors[:, block.span])
        return projections
    signals, mechanism = rows.signals, problem.mechanism
    motion = signals.position, signals.velocity, signals.acceleration
    return mechanism.products(*motion, errors, past=signals.past(mechanism))[:, columns]
