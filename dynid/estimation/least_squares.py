"""Least squares on the normal equations: ordinary, weighted, and robust against outliers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.estimation.estimate import Estimate, Estimator, error_correlation, joint_variance
from dynid.estimation.regression import NormalEquations, Problem
from dynid.linalg import ScaledSpectrum


@dataclass(frozen=True)
class LeastSquaresSolution:
    """Solution of ``matrix x = right``.

    Attributes:
        base: (k,) x.
        inverse: (k, k) pseudo-inverse; zero in directions without information.
        determined: (k,) bool, which elements of x are identifiable.
        condition_number: of the scaled regressor.
    """

    base: Array
    inverse: Array
    determined: NDArray[np.bool_]
    condition_number: float


def solve(information: Array, matrix: Array, right: Array, start: Array) -> LeastSquaresSolution:
    """Solve ``matrix x = right`` in the directions in which there is information.

    Other directions keep the value of ``start``. With instruments Z, ``information`` is Z^T Z,
    ``matrix`` Z^T W and ``right`` Z^T tau.

    Args:
        information: (k, k) information matrix.
        matrix: (k, k).
        right: (k,) right-hand side.
        start: (k,) parameters where there is no information.

    Raises:
        EstimationError: there is no information, or instruments and regressor are uncorrelated.
    """
    spectrum = ScaledSpectrum.of(information)
    if not spectrum.known.any():
        raise EstimationError("the recording contains no motion from which to estimate parameters.")
    directions = spectrum.basis
    try:
        inverse = directions @ np.linalg.solve(directions.T @ matrix @ directions, directions.T)
    except np.linalg.LinAlgError:
        raise EstimationError(
            "the simulated motion is not correlated with the measured one; check the recording's "
            "units and the order of its joints."
        ) from None
    return LeastSquaresSolution(
        base=start + inverse @ (right - matrix @ start),
        inverse=inverse,
        determined=spectrum.determined,
        condition_number=float(np.sqrt(spectrum.values[-1] / spectrum.values[spectrum.known][0])),
    )


_HUBER = 1.345  # 95 % efficient on normal errors (Huber 1981)
_WEIGHT_ITERATIONS = 2
_HUBER_ITERATIONS = 12
_HUBER_TOLERANCE = 0.01  # change of a parameter over its standard deviation


class OrdinaryLeastSquares(Estimator):
    """OLS: torque errors of all joints have the same weight."""

    name = "ols"
    summary = "ordinary least squares"

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`."""
        equations = problem.normal_equations()
        equal = np.ones(len(equations.joint_rows))
        solution = _solve(equations, equal, problem.base.project(start))
        variance = joint_variance(equations, solution.base)
        return _finished(problem, equations, solution, equal, variance)


class WeightedLeastSquares(Estimator):
    """WLS: joints weighted by the inverse variance of their torque error (Gautier 1997)."""

    name = "wls"
    summary = "weighted least squares: each joint is weighted by its own noise"

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`."""
        equations = problem.normal_equations()
        return _weighted(problem, equations, start)


class IterativelyReweightedLeastSquares(Estimator):
    """IRLS: WLS with Huber's weights, which limit the influence of outliers."""

    name = "irls"
    summary = "iteratively reweighted least squares (Huber): outliers have little weight"

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`."""
        plain = problem.normal_equations()
        state = problem.state
        base = state if isinstance(state, np.ndarray) else _weighted(problem, plain, start).base
        estimate = _reweighted(problem, base, start)
        for _ in range(_HUBER_ITERATIONS - 1):
            step, base = np.abs(estimate.base - base), estimate.base
            if np.all(step <= _HUBER_TOLERANCE * np.sqrt(np.diag(estimate.covariance))):
                break
            estimate = _reweighted(problem, base, start)
        return replace(estimate, plain_equations=plain, state=estimate.base)


def weighted_solution(equations: NormalEquations, start: Array) -> Array:
    """Solve weighted least squares for base parameters (k,), starting from ``start`` (k,)."""
    return _iterate_weights(equations, start)[0].base


def solutions_without_folds(equations: NormalEquations, start: Array) -> Array:
    """Solve weighted least squares without each fold (F, k), with the joints' weights of all."""
    weight = 1 / _iterate_weights(equations, start)[1]
    of_folds = np.einsum("j,fjik->fik", weight, equations.gram)
    return np.stack(
        [
            solve(left[:-1, :-1], left[:-1, :-1], left[:-1, -1], start).base
            for left in of_folds.sum(axis=0) - of_folds
        ]
    )


def estimate_at(problem: Problem, base: Array, covariance: Array | None = None) -> Estimate:
    """Return the estimate at base parameters (k,) that least squares did not find.

    Args:
        problem: the regression problem.
        base: (k,) base parameters.
        covariance: (k, k) of ``base``; None: that of weighted least squares.

    Raises:
        EstimationError: there is no motion.
    """
    equations = problem.normal_equations()
    variance = joint_variance(equations, base)
    solution = replace(_solve(equations, 1 / variance, base), base=base)
    estimate = _finished(problem, equations, solution, 1 / variance, variance)
    if covariance is None:
        return estimate
    return replace(estimate, covariance=covariance, joint_weight=None)


def _weighted(problem: Problem, equations: NormalEquations, start: Array) -> Estimate:
    solution, variance = _iterate_weights(equations, problem.base.project(start))
    return _finished(problem, equations, solution, 1 / variance, variance)


def _iterate_weights(
    equations: NormalEquations, start: Array
) -> tuple[LeastSquaresSolution, Array]:
    solution = _solve(equations, np.ones(len(equations.joint_rows)), start)
    variance = joint_variance(equations, solution.base)
    for _ in range(_WEIGHT_ITERATIONS):
        solution = _solve(equations, 1 / variance, start)
        variance = joint_variance(equations, solution.base)
    return solution, variance


def _solve(equations: NormalEquations, joint_weight: Array, start: Array) -> LeastSquaresSolution:
    """Weighted least squares from the normal equations, columns scaled to unit norm.

    Directions that are not identifiable keep the value of ``start`` (k,).
    """
    extended = np.einsum("j,jik->ik", joint_weight, equations.joint_gram)
    matrix, right = extended[:-1, :-1], extended[:-1, -1]
    return solve(matrix, matrix, right, start)


def _finished(
    problem: Problem,
    equations: NormalEquations,
    solution: LeastSquaresSolution,
    joint_weight: Array,
    variance: Array,
) -> Estimate:
    correlation = error_correlation(problem.residuals(solution.base))
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
        joint_weight=joint_weight,
    )


def _reweighted(problem: Problem, base: Array, start: Array) -> Estimate:
    """Return the estimate with Huber's weights for the residuals at base parameters (k,)."""
    weights = _huber_weights(problem, list(problem.residuals(base)))
    estimate = _weighted(problem, problem.normal_equations(weights), start)
    return replace(estimate, row_weights=tuple(weights))


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
