"""Uncertainty of parameters from the unknown time between a sample's torque and its position.

A drive reports, at the end of a control cycle, the position of that instant and a torque that it
averaged over the cycle: half a sampling period earlier. Others sample both at any instants of the
cycle. A recording does not state it, and least squares changes it into friction and inertia.
"""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.estimation.estimate import Estimate
from dynid.estimation.perturbation import perturbation
from dynid.estimation.regression import Problem

SKEW = 0.5
"""Standard deviation of the time between torque and position, in sampling periods."""


def skew_covariance(problem: Problem, estimate: Estimate) -> Array:
    """Return the covariance (k, k) of base parameters due to this time.

    A torque that is late by d is W b - d d(W b)/dt to first order.
    """
    errors = [
        # a row of the decimated rate is ``decimation`` sampling periods
        np.gradient(rows.torque + residuals, axis=0) * (SKEW / rows.parallel_filter.decimation)
        for rows, residuals in zip(problem.rows, problem.residuals(estimate.base), strict=True)
    ]
    change = perturbation(problem, estimate, errors)
    return np.outer(change, change)
