"""The fit: estimator, load-dependent friction, physical consistency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.estimate import Estimate
from dynid.estimation.estimators import make_estimator
from dynid.estimation.penalty import penalised_parameters
from dynid.estimation.physical import consistent_parameters, is_physically_consistent
from dynid.estimation.regression import Problem, make_rows, with_folds_of_recordings
from dynid.estimation.repeatability import UNKNOWN_REPEATABILITY, Repeatability
from dynid.estimation.settings import EstimationSettings
from dynid.estimation.uncertainty import find_uncertainty
from dynid.estimation.work import Rest, Work
from dynid.signals.filters import ParallelFilter
from dynid.signals.repetition import folds_of_motion
from dynid.signals.settings import VelocityThreshold
from dynid.signals.signals import Signals

_LOAD_ROUNDS = 6
_LOAD_TOLERANCE = 0.05  # change of base parameters, in their standard deviations


@dataclass(frozen=True)
class Fit:
    """Result of a fit: the last problem, its estimate, and the standard parameters.

    Attributes:
        problem: the regression problem of the last iteration.
        estimate: the estimator's result.
        unconstrained: (p,) standard parameters with exactly the estimator's base parameters.
        standard: (p,) the same made physically consistent, if enabled in the settings.
        determined: (p,) which standard parameters are identifiable from the data alone.
        essential: (k,) which base parameters remain after stepwise elimination.
        consistent: whether ``standard`` is physically consistent.
        repeatability: of friction between recordings.
    """

    problem: Problem
    estimate: Estimate
    unconstrained: Array
    standard: Array
    determined: NDArray[np.bool_]
    essential: NDArray[np.bool_]
    consistent: bool
    repeatability: Repeatability = UNKNOWN_REPEATABILITY


def build_problem(
    mechanism: Mechanism,
    base: BaseParameterization,
    signals: Sequence[Signals],
    settings: EstimationSettings,
    folds: Sequence[NDArray[np.intp]] | None = None,
) -> Problem:
    """Build the regression problem of these signals.

    Args:
        mechanism: of the robot.
        base: its base parameters.
        signals: one per recording.
        settings: of the estimation.
        folds: (N,) of each recording's samples; None: parts of its motion that are longer than the
            filter's memory of what is beside them.
    """
    at_rest = fitted_at_rest(mechanism, settings.velocity_threshold)
    rows = []
    for number, recording in enumerate(signals):
        parallel = ParallelFilter.of(settings, recording.sampling_rate)
        shortest = 1 / (parallel.cutoff_hz or np.inf)
        fold = (
            folds_of_motion(recording, settings.folds, shortest) if folds is None else folds[number]
        )
        rows.append(make_rows(recording, parallel, fold=fold, fit_all=at_rest))
    joined = with_folds_of_recordings(rows, settings.folds)
    return Problem(mechanism, base, joined, settings.folds)


def fitted_at_rest(mechanism: Mechanism, threshold: VelocityThreshold) -> NDArray[np.bool_]:
    """Return the joints whose samples at rest are fitted too, (n,).

    Where dry friction is not smoothed, its sign at rest is that of the encoder's noise, and torque
    at rest any between the limits of static friction.
    """
    joints = len(mechanism.joints)
    if threshold.chooses_samples:
        return np.zeros(joints, dtype=bool)
    if threshold.fit == "all":
        return np.ones(joints, dtype=bool)
    sharp = np.zeros(joints, dtype=bool)
    for term in mechanism.terms:
        if term.traits.smoothed and term.smoothing == 0 and term.joint < joints:
            sharp |= np.arange(joints) == term.joint if term.side == "joint" else True
    return ~sharp


def fit(problem: Problem, settings: EstimationSettings, work: Work | None = None) -> Fit:
    """Estimate parameters and make them consistent; iterate for load-dependent friction.

    The covariance is that for another recording (:mod:`dynid.estimation.uncertainty`).

    Args:
        problem: the regression problem.
        settings: of the estimator and of consistency.
        work: takes the share that is done, of an estimator with a ``round_share``.

    Raises:
        EstimationError: there is no motion, or the physical bounds contradict each other.
    """
    result = _iterate_load(problem, settings, work or Work())
    uncertainty = find_uncertainty(result.problem, result.estimate, settings.friction_repeatability)
    estimate = replace(result.estimate, covariance=uncertainty.covariance, state=None)
    return replace(result, estimate=estimate, repeatability=uncertainty.repeatability)


def _iterate_load(problem: Problem, settings: EstimationSettings, work: Work) -> Fit:
    loaded = any(term.traits.loaded for term in problem.mechanism.terms)
    rest = Rest(work)
    of_a_round = (make_estimator(settings.estimator).round_share if loaded else None) or 1.0
    result = _fit_once(problem.reporting(rest.take(of_a_round)), settings)
    for _ in range(_LOAD_ROUNDS if loaded else 0):
        # iterative estimators begin where the last round ended
        changed = problem.with_parameters(result.standard, result.estimate.state)
        again = _fit_once(changed.reporting(rest.take(of_a_round)), settings)
        change = np.abs(again.estimate.base - result.estimate.base)
        result = again
        if np.all(change <= _LOAD_TOLERANCE * np.sqrt(np.diag(result.estimate.covariance))):
            break
    return result


def _fit_once(problem: Problem, settings: EstimationSettings) -> Fit:
    mechanism, base = problem.mechanism, problem.base
    near = mechanism.urdf_parameters
    estimate = make_estimator(settings.estimator).fit(problem, near)
    essential, essential_base = essential_parameters(estimate)
    chosen = essential_base if settings.essential else estimate.base
    unconstrained = base.lift(chosen, near)
    standard = unconstrained
    determined = np.zeros(len(near), dtype=bool)
    determined[base.independent] = estimate.determined
    if settings.physical.enabled:
        solution = consistent_parameters(mechanism, base, estimate, settings.physical)
        standard, determined = solution.parameters, solution.determined
        if settings.physical.method == "penalty":
            standard = penalised_parameters(mechanism, base, estimate, settings.physical)
    consistent = is_physically_consistent(mechanism, standard)
    return Fit(problem, estimate, unconstrained, standard, determined, essential, consistent)


_LARGE_STANDARD_DEVIATION = 0.3  # relative; parameters below it are kept
_ERROR_GROWTH = 0.01  # allowed growth of the weighted squared error, all eliminations together


def essential_parameters(estimate: Estimate) -> tuple[NDArray[np.bool_], Array]:
    """Eliminate the parameter of largest relative standard deviation, one after the other.

    Stops when every remaining parameter has a relative standard deviation below 30 %, or when the
    next elimination would raise the weighted squared error by more than 1 % in total (Gautier and
    Khalil; Janot).

    Returns:
        (k,) which parameters are essential, and (k,) their values, zero elsewhere.
    """
    weight = 1 / estimate.joint_variance
    extended = np.einsum("j,jik->ik", weight, estimate.equations.joint_gram)
    inflation = float(np.max(estimate.correlation))
    left = np.flatnonzero(estimate.determined)
    inverse = _inverse(extended[np.ix_(left, left)])
    values = inverse @ extended[left, -1]
    allowed = _ERROR_GROWTH * _squared_error(extended[np.ix_([*left, -1], [*left, -1])], values)
    while len(left) > 1:
        variance = np.diag(inverse)
        relative = np.sqrt(inflation * variance) / np.maximum(np.abs(values), 1e-300)
        worst = int(np.argmax(relative))
        # without a parameter the squared error grows by its square over its variance
        allowed -= float(values[worst] ** 2 / variance[worst])
        if relative[worst] <= _LARGE_STANDARD_DEVIATION or allowed < 0:
            break
        share = inverse[:, worst] / variance[worst]
        values = np.delete(values - share * values[worst], worst)
        inverse = inverse - np.outer(share, inverse[worst])
        inverse = np.delete(np.delete(inverse, worst, axis=0), worst, axis=1)
        left = np.delete(left, worst)
    essential = np.zeros(len(estimate.determined), dtype=bool)
    essential[left] = True
    values_of_all = np.zeros(len(essential))
    values_of_all[left] = values
    return essential, values_of_all


def _inverse(matrix: Array) -> Array:
    """Return the inverse of a positive definite matrix (k, k)."""
    scale = 1 / np.sqrt(np.diag(matrix))
    return np.asarray(
        scale[:, None] * np.linalg.pinv(scale[:, None] * matrix * scale, hermitian=True) * scale
    )


def _squared_error(extended: Array, values: Array) -> float:
    vector = np.append(values, -1.0)
    return float(vector @ extended @ vector)
