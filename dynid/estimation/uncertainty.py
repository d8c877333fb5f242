"""The covariance of base parameters, for another recording of the same robot.

It has four parts:

- errors of torque within the recordings: for each parameter the larger of two variances, that of
  the formula with errors correlated in time, and that of a jackknife over blocks; each misses
  errors that the other shows;
- motion that the low-pass of positions removed;
- the unknown time between torque and position of a sample;
- friction that differs between recordings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.estimation.block_jackknife import block_equations, jackknife_variance, raised
from dynid.estimation.estimate import Estimate
from dynid.estimation.filter_error import filter_error
from dynid.estimation.perturbation import perturbations
from dynid.estimation.regression import Problem
from dynid.estimation.repeatability import Repeatability, find_repeatability
from dynid.estimation.time_skew import skew_error


class EstimateUncertainty(NamedTuple):
    """The covariance (k, k) of base parameters, and the part of friction in it."""

    covariance: Array
    repeatability: Repeatability


def find_uncertainty(
    problem: Problem, estimate: Estimate, setting: float | None
) -> EstimateUncertainty:
    """Find the covariance of an estimate for another recording.

    Args:
        problem: that was solved.
        estimate: with the formula's covariance. An estimator that has another covariance than
            weighted least squares keeps it as the first part.
        setting: ``friction_repeatability`` of the profile.
    """
    recordings = block_equations(problem, estimate)
    within = estimate.covariance
    if estimate.joint_weight is not None:
        within = raised(within, jackknife_variance(np.concatenate(recordings)))
    repeatability = find_repeatability(problem, estimate, recordings, setting)
    between = repeatability.covariance(problem.base, problem.mechanism, estimate.base)
    changes = systematic_changes(problem, estimate)
    systematic = changes.T @ changes
    return EstimateUncertainty(within + systematic + between, repeatability)


def systematic_changes(problem: Problem, estimate: Estimate) -> Array:
    """Return the changes (2, k) of base parameters by the filter of positions and by time skew.

    Both change the estimate by one unknown factor, of variance 1, so the covariance of each is the
    outer product of its change with itself.
    """

    def errors() -> Iterator[Array]:
        residuals = problem.residuals(estimate.base)
        for rows, residual in zip(problem.rows, residuals, strict=True):
            model = rows.torque + residual
            lost = filter_error(problem, rows, estimate.base, model)
            yield np.stack([lost, skew_error(rows, model)])

    return perturbations(problem, estimate, errors())
