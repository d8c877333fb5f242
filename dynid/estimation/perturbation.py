"""Change of an estimate by errors of torque."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dynid.arrays import Array
from dynid.estimation.estimate import Estimate
from dynid.estimation.least_squares import information_directions
from dynid.estimation.regression import Problem


def perturbation(problem: Problem, estimate: Estimate, errors: Iterable[Array]) -> Array:
    """Return by how much errors of the torque change the base parameters (k,).

    It is A^-1 W^T e, with the estimate's weights in W and the normal matrix A.

    Args:
        problem: that was solved.
        estimate: its solution.
        errors: (m, n) of the torque at the rows of each recording [N m or N].
    """
    right = np.zeros(len(estimate.base))
    for number, (rows, error) in enumerate(zip(problem.rows, errors, strict=True)):
        weights = estimate.weights_of(number)
        weight = rows.fitted * (1.0 if weights is None else weights[0])
        weight = weight * estimate.used_joint_weight
        if rows.parallel_filter.passes_through:
            # the core sums without storing the regressor
            whole = np.array([0, len(error)])
            right += problem.span_grams(number, whole, weight, error)[0, :, :-1, -1].sum(axis=0)
            continue
        weighted = error * weight
        for block in problem.blocks(number):
            right += np.einsum("jmk,mj->k", block.stacked[:, :, :-1], weighted[block.span])
    matrix = np.einsum("j,jik->ik", estimate.used_joint_weight, estimate.equations.joint_gram)
    directions = information_directions(matrix[:-1, :-1])
    return np.asarray(directions @ (directions.T @ right))
