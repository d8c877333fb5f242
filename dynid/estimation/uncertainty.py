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

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.estimation.block_jackknife import block_equations, jackknife_variance, raised
from dynid.estimation.estimate import Estimate
from dynid.estimation.fitted_samples import near_rest, settling_samples
from dynid.estimation.regression import Problem, Rows, unfiltered_torque
from dynid.estimation.repeatability import Repeatability, find_repeatability
from dynid.linalg import ScaledSpectrum
from dynid.signals.motion_filter import MotionFilter

SKEW = 0.5
"""Standard deviation of the time between torque and position, in sampling periods."""

_PERIODS_TO_SETTLE = 2.0  # periods of the cut-off frequency at an end, where filters extrapolate


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
            lost = _filter_error(problem, rows, estimate.base, model)
            yield np.stack([lost, _skew_error(rows, model)])

    return perturbations(problem, estimate, errors())


def _filter_error(problem: Problem, rows: Rows, base: Array, model: Array) -> Array:
    """Return the torque (m, n) of the model that the filter of positions removed, at each row.

    A joint that reverses against dry friction sticks for a moment, and its acceleration jumps. A
    low-pass smooths both, and friction and inertia are fitted to another motion than the real one.
    The error repeats at each reversal, so that residuals of the fit do not show all of it.

    Filtering the filtered motion once more shows what the filter does to it. Its gain at a
    frequency f is H = 1 / (1 + (f / f_c)^p). At a jump of the acceleration the spectrum of the
    velocity falls with f², and the first pass changes the velocity by the integral of
    (1 - H) / f², the second by that of (1 - H) H / f². Their ratio is

        B(1 - 1/p, 1/p) / B(1 - 1/p, 1 + 1/p) = p,

    with the beta function B: the error of the first pass is p times that of the second. It is 0 if
    velocities were measured, or positions are not filtered.

    Args:
        problem: that was solved.
        rows: of one of its recordings.
        base: (k,) base parameters.
        model: (m, n) their torque W b at the rows [N m or N].
    """
    signals, parallel = rows.signals, rows.parallel_filter
    filters = signals.motion_filter
    if filters is None or not np.isfinite(filters.bandwidth_hz).all():
        return np.zeros_like(rows.torque)
    once = signals.motion
    times = _times_larger(rows, filters)
    position, velocity, acceleration = (
        own + times * (own - again)
        for own, again in zip(once, filters.motion(signals.position), strict=True)
    )
    other = replace(signals, position=position, velocity=velocity, acceleration=acceleration)
    standard = problem.base.lift(base, np.zeros(len(problem.mechanism.parameter_names)))
    torque = unfiltered_torque(problem.mechanism, other, standard)
    if parallel.passes_through:
        return torque - model
    # a difference, so not from the rows, whose filter is cut off at the ends of blocks
    lost = torque - unfiltered_torque(problem.mechanism, signals, standard)
    return parallel.decimate(parallel.smooth(lost))


def _times_larger(rows: Rows, filters: MotionFilter) -> Array:
    """Return the error of the first pass over that of the second (N, n)."""
    signals = rows.signals
    times = np.ones_like(signals.position)
    exponent = np.broadcast_to(filters.exponent, times.shape[1])
    distance = settling_samples(signals, rows.parallel_filter)
    for joint in np.flatnonzero(rows.fitted.all(axis=0)).tolist():
        times[near_rest(signals, joint, distance[joint]), joint] = exponent[joint]
    extrapolated = int(_PERIODS_TO_SETTLE * signals.sampling_rate / filters.bandwidth_hz.min())
    if not filters.periodic:
        times[:extrapolated] = 0.0
        times[-extrapolated:] = 0.0
    return times


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
    directions = ScaledSpectrum.of(matrix[:-1, :-1]).directions
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
    motion = signals.motion
    return mechanism.products(*motion, errors, past=signals.past(mechanism))[:, columns]


def _skew_error(rows: Rows, model: Array) -> Array:
    """Return the torque error (m, n) at each row due to the time between torque and position.

    A drive reports, at the end of a control cycle, the position of that instant and a torque that
    it averaged over the cycle: half a sampling period earlier. Others sample both at any instants
    of the cycle. A recording does not state it, and least squares changes it into friction and
    inertia. A torque that is late by d is W b - d d(W b)/dt to first order.

    Args:
        rows: of one recording.
        model: (m, n) torque W b of the model at the rows [N m or N].
    """
    # a row of the decimated rate is ``decimation`` sampling periods
    return np.gradient(model, axis=0) * (SKEW / rows.parallel_filter.decimation)
