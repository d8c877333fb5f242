"""Estimators of base parameters: a class each, behind one interface, chosen by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dynid.errors import EstimationError
from dynid.estimation.regression import NormalEquations, Problem
from dynid.preprocessing.signals import Array

_HUBER = 1.345  # 95 % efficient on normal errors (Huber 1981)
_UNDETERMINED = 1e-10  # eigenvalue of the scaled normal matrix, relative to the largest
_WEIGHT_ITERATIONS = 2
_HUBER_ITERATIONS = 12
_HUBER_TOLERANCE = 0.01  # change of a parameter, in its standard deviations


@dataclass(frozen=True)
class Estimate:
    """Base parameters and what is known about them.

    Attributes:
        base: (k,) estimate; where the data determine nothing it stays at the URDF's value.
        covariance: (k, k), with errors correlated in time accounted for.
        determined: (k,) bool, the data hold information on this parameter.
        joint_variance: (n,) variance of the torque error.
        correlation: (n,) how many samples share one independent error (1: white).
        equations: normal equations it was solved from, with the estimator's row weights.
        plain_equations: the same with every row counting alike.
        condition_number: of the weighted regressor with columns scaled to unit norm.
    """

    base: Array
    covariance: Array
    determined: NDArray[np.bool_]
    joint_variance: Array
    correlation: Array
    equations: NormalEquations
    plain_equations: NormalEquations
    condition_number: float


class Estimator(Protocol):
    """What every estimator offers."""

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """Estimate base parameters; ``start`` (p,) are the URDF's standard parameters."""
        ...


class OrdinaryLeastSquares:
    """OLS: every joint's torque error counts the same [N m]."""

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`."""
        equations = problem.normal_equations()
        alike = np.ones(len(equations.joint_rows))
        solution = _solve(equations, alike, problem.base.project(start))
        variance = _joint_variance(equations, solution.base)
        return _finished(problem, equations, solution, alike, variance)


class WeightedLeastSquares:
    """WLS: joints weighted by the inverse variance of their torque error (Gautier 1997)."""

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`."""
        equations = problem.normal_equations()
        return _weighted(problem, equations, start)


class IterativelyReweightedLeastSquares:
    """IRLS: WLS with Huber's weights, so that a few wild samples cannot pull the model."""

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`."""
        estimate = _weighted(problem, problem.normal_equations(), start)
        plain = estimate.equations
        for _ in range(_HUBER_ITERATIONS):
            weights = _huber_weights(problem, list(problem.residuals(estimate.base)))
            previous = estimate.base
            estimate = _weighted(problem, problem.normal_equations(weights), start)
            step = np.abs(estimate.base - previous)
            if np.all(step <= _HUBER_TOLERANCE * np.sqrt(np.diag(estimate.covariance))):
                break
        return replace(estimate, plain_equations=plain)


ESTIMATORS: dict[str, type[Estimator]] = {
    "ols": OrdinaryLeastSquares,
    "wls": WeightedLeastSquares,
    "irls": IterativelyReweightedLeastSquares,
}


def weighted_solution(equations: NormalEquations, start: Array) -> Array:
    """Base parameters (k,) of weighted least squares, for cross-validation; ``start`` (k,)."""
    return _iterate_weights(equations, start)[0].base


@dataclass(frozen=True)
class _Solution:
    base: Array
    inverse: Array  # (k, k) pseudo-inverse of the weighted normal matrix
    determined: NDArray[np.bool_]
    condition_number: float


def _weighted(problem: Problem, equations: NormalEquations, start: Array) -> Estimate:
    solution, variance = _iterate_weights(equations, problem.base.project(start))
    return _finished(problem, equations, solution, 1 / variance, variance)


def _iterate_weights(equations: NormalEquations, start: Array) -> tuple[_Solution, Array]:
    solution = _solve(equations, np.ones(len(equations.joint_rows)), start)
    variance = _joint_variance(equations, solution.base)
    for _ in range(_WEIGHT_ITERATIONS):
        solution = _solve(equations, 1 / variance, start)
        variance = _joint_variance(equations, solution.base)
    return solution, variance


def _solve(equations: NormalEquations, joint_weight: Array, start: Array) -> _Solution:
    """Weighted least squares from the normal equations, columns scaled to unit norm.

    Directions the data do not determine keep the value of ``start`` (k,).
    """
    extended = np.einsum("j,jik->ik", joint_weight, equations.joint_gram)
    matrix, right = extended[:-1, :-1], extended[:-1, -1]
    norms = np.sqrt(np.diag(matrix))
    scale = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1.0), 0.0)
    values, vectors = np.linalg.eigh(scale[:, None] * matrix * scale)
    known = values > _UNDETERMINED * values[-1]
    if not known.any():
        raise EstimationError("the recording holds no motion that a parameter could be read from.")
    directions = scale[:, None] * vectors[:, known]
    inverse = (directions / values[known]) @ directions.T
    base = start + inverse @ (right - matrix @ start)
    unknown = vectors[:, ~known]
    determined = (norms > 0) & (np.sum(unknown**2, axis=1) < 1e-6)
    condition = float(np.sqrt(values[-1] / values[known][0]))
    return _Solution(base, inverse, determined, condition)


def _joint_variance(equations: NormalEquations, base: Array) -> Array:
    """Variance of each joint's torque error; the k parameters are shared among the joints."""
    rows = equations.joint_rows
    freedom = np.maximum(rows - len(base) / len(rows), 1.0)
    floor = 1e-12 * equations.squared_torque / np.maximum(rows, 1.0)
    variance = np.maximum(equations.squared_error(base) / freedom, floor)
    # a joint without rows or torque must neither divide by zero nor count for anything
    return np.where(variance > 0, variance, 1.0)


def _finished(
    problem: Problem,
    equations: NormalEquations,
    solution: _Solution,
    joint_weight: Array,
    variance: Array,
) -> Estimate:
    correlation = _error_correlation(problem.residuals(solution.base))
    meat = np.einsum(
        "j,jik->ik", joint_weight**2 * variance * correlation, equations.joint_gram[:, :-1, :-1]
    )
    return Estimate(
        base=solution.base,
        covariance=solution.inverse @ meat @ solution.inverse,
        determined=solution.determined,
        joint_variance=variance,
        correlation=correlation,
        equations=equations,
        plain_equations=equations,
        condition_number=solution.condition_number,
    )


def _error_correlation(residuals: Iterable[Array]) -> Array:
    """Integrated autocorrelation time of each joint's error, in samples, (n,).

    Least squares on errors that persist over c samples is c times less certain than the textbook
    formula says. Summed up to the first negative pair (Geyer 1992).
    """
    times, lengths = [], []
    for errors in residuals:
        times.append([_correlation_time(column) for column in errors.T])
        lengths.append(len(errors))
    return np.asarray(np.average(times, axis=0, weights=lengths))


def _correlation_time(errors: Array) -> float:
    errors = errors - errors.mean()
    size = 2 ** int(np.ceil(np.log2(2 * len(errors))))
    spectrum = np.fft.rfft(errors, size)
    autocorrelation = np.fft.irfft(np.abs(spectrum) ** 2, size)[: len(errors)]
    if autocorrelation[0] <= 0:
        return 1.0
    rho = autocorrelation / autocorrelation[0]
    pairs = rho[1:-1:2] + rho[2::2]
    negative = np.flatnonzero(pairs <= 0)
    last = int(negative[0]) if len(negative) else len(pairs)
    return max(1.0, 1.0 + 2.0 * float(pairs[:last].sum()))


def _huber_weights(problem: Problem, residuals: list[Array]) -> list[Array]:
    weights = [np.ones_like(errors) for errors in residuals]
    for joint in range(len(problem.mechanism.joints)):
        fitted = np.concatenate(
            [
                np.abs(errors[rows.fitted[:, joint] > 0, joint])
                for rows, errors in zip(problem.rows, residuals, strict=True)
            ]
        )
        if len(fitted) == 0:
            continue
        bound = _HUBER * 1.4826 * float(np.median(fitted))
        for weight, errors in zip(weights, residuals, strict=True):
            size = np.abs(errors[:, joint])
            weight[:, joint] = np.minimum(1.0, bound / np.maximum(size, 1e-300))
    return weights
