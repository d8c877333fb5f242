"""Uncertainty of parameters from the unknown time between a sample's torque and its position.

A drive reports, at the end of a control cycle, the position of that instant and a torque that it
averaged over the cycle: half a sampling period earlier. Others sample both at any instants of the
cycle. A recording does not state it, and least squares changes it into friction and inertia.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynid.arrays import Array
from dynid.estimation.estimate import Estimate
from dynid.estimation.least_squares import information_directions
from dynid.estimation.regression import Problem

SKEW = 0.5
"""Standard deviation of the time between torque and position, in sampling periods."""


def skew_covariance(problem: Problem, estimate: Estimate) -> Array:
    """Return the covariance (k, k) of base parameters due to this time.

    A torque that is late by d is W b - d d(W b)/dt to first order, and the estimate of it changes
    by -d A^-1 W^T d(W b)/dt, with the normal matrix A.
    """
    right = np.zeros(len(estimate.base))
    residuals = problem.residuals(estimate.base)
    for number, (rows, errors) in enumerate(zip(problem.rows, residuals, strict=True)):
        rate = rows.signals.sampling_rate / rows.parallel_filter.decimation
        slope = np.gradient(rows.torque + errors, 1 / rate, axis=0)
        shifted = replace(rows, torque=slope * SKEW / rows.signals.sampling_rate)
        weights = None if estimate.row_weights is None else [estimate.row_weights[number]]
        one = replace(problem, rows=(shifted,), folds=1, _kept={})
        one = replace(one, rows=(replace(shifted, fold=np.zeros_like(rows.fold)),))
        gram = one.normal_equations(weights).joint_gram
        right += np.einsum("j,ji->i", _joint_weight(estimate), gram[:, :-1, -1])
    matrix = np.einsum("j,jik->ik", _joint_weight(estimate), estimate.equations.joint_gram)
    directions = information_directions(matrix[:-1, :-1])
    change = directions @ (directions.T @ right)
    return np.outer(change, change)


def _joint_weight(estimate: Estimate) -> Array:
    weight = estimate.joint_weight
    return 1 / estimate.joint_variance if weight is None else weight
