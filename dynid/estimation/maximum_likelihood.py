"""Maximum likelihood: base parameters together with the covariance of the torque errors."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.estimation.estimate import Estimate, error_correlation
from dynid.estimation.least_squares import WeightedLeastSquares, estimate_at, weighted_solution
from dynid.estimation.regression import NormalEquations, Problem
from dynid.estimation.torque_noise_model import TorqueNoiseModel

_ROUNDS = 10
_TOLERANCE = 0.01  # change of a parameter, in its standard deviations
_UNDETERMINED = 1e-10  # eigenvalue of the scaled normal matrix, relative to the largest


class MaximumLikelihood:
    """ML for errors that persist, and that joints share (Olsen, Swevers, Verdonck 2002).

    The likelihood of normal errors grows by turns: the errors' covariance for given parameters,
    then the parameters for given covariance, which is generalised least squares (Cochrane and
    Orcutt 1949 in time, Zellner 1962 across joints). Motion counts as exact.
    """

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`."""
        near = problem.base.project(start)
        estimate = WeightedLeastSquares().fit(problem, start)
        base, covariance = estimate.base, estimate.covariance
        floor = 1e-6 * estimate.joint_variance
        fitted = [rows.fitted for rows in problem.rows]
        for _ in range(_ROUNDS):
            noise = TorqueNoiseModel.fitted_to(list(problem.residuals(base)), fitted, floor)
            equations = _whitened_equations(problem, noise)
            previous, base = base, weighted_solution(equations, near)
            covariance = _covariance(equations.joint_gram[0, :-1, :-1])
            covariance *= _left_correlation(problem, noise, base)
            deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
            if np.all(np.abs(base - previous) <= _TOLERANCE * deviations):
                break
        return estimate_at(problem, base, covariance)


def _left_correlation(problem: Problem, noise: TorqueNoiseModel, base: Array) -> float:
    """By how much an autoregression that does not whiten all errors overstates what is known."""
    innovations = (
        noise.innovations(errors) * noise.usable(rows.fitted > 0)
        for errors, rows in zip(problem.residuals(base), problem.rows, strict=True)
    )
    return float(error_correlation(innovations).mean())


def _whitened_equations(problem: Problem, noise: TorqueNoiseModel) -> NormalEquations:
    """Normal equations of rows whose errors are white and of variance 1, as of a single joint.

    Raises:
        EstimationError: too few rows follow one another.
    """
    size = len(problem.base.independent) + 1
    gram, count = np.zeros((size, size)), 0
    for number, rows in enumerate(problem.rows):
        usable = noise.usable(rows.fitted > 0)
        tail = np.zeros((len(noise.coefficients), 0, size))
        for block in problem.blocks(number):
            values = np.concatenate([tail, block.stacked], axis=1)
            whitened = noise.whitened(values)[:, tail.shape[1] :]
            gram += noise.gram(whitened, usable[block.span])
            tail = values[:, max(0, values.shape[1] - noise.memory) :]
        count += int(usable.sum())
    if count < size:
        message = (
            f"maximum likelihood: only {count} samples in motion follow one another, for "
            f"{size - 1} base parameters; record a longer motion, or use wls."
        )
        raise EstimationError(message)
    return NormalEquations(gram[None, None], np.full((1, 1), float(count)))


def _covariance(matrix: Array) -> Array:
    """Pseudo-inverse (k, k) of a normal matrix, whose columns differ in size."""
    norms = np.sqrt(np.diag(matrix))
    scale = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1.0), 0.0)
    scaled = scale[:, None] * matrix * scale
    inverse = np.linalg.pinv(scaled, rcond=_UNDETERMINED, hermitian=True)
    return np.asarray(scale[:, None] * inverse * scale)
