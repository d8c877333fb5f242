"""Fit of gains, base parameters and payload by weighted least squares on recorded torque.

The current is noisy, so the error of joint j is ``b_j (W_j x + c_j) - t_j``. Least squares on
``g_j t_j - W_j x - c_j``, which is linear in the gains, would be biased towards small gains. For
given inverse gains b the other unknowns are linear and are solved for exactly, which leaves n
unknowns (variable projection, Golub and Pereyra 1973).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.estimation.estimate import error_correlation
from dynid.identification.drive_gains.equations import GainProblem
from dynid.linalg import ScaledSpectrum

_WEIGHT_ROUNDS = 10
_WEIGHT_TOLERANCE = 0.02
_LOAD_ROUNDS = 6
_LOAD_TOLERANCE = 0.05  # change of a gain over its standard deviation
_LARGEST_LOG_GAIN = 15.0  # of a gain's logarithm: limits gains that the recordings do not determine
_UNDETERMINED = 1e-10  # eigenvalue of the scaled normal matrix, relative to the largest


@dataclass(frozen=True)
class GainFit:
    """Gains and other unknowns with their uncertainty.

    Attributes:
        problem: the problem of the last iteration.
        gram: (n, m + 2, m + 2) its normal equations.
        gains: (n,) true over recorded torque.
        unknowns: (m,) base parameters, payload parameters and change of friction.
        covariance: (n + m, n + m) of the inverse gains' logarithms and the unknowns; 0 in
            directions that are not identifiable.
        determined: (n,) bool, the gain is identifiable from the recordings.
        weight: (n,) of the joints' squared errors: information per row.
    """

    problem: GainProblem
    gram: Array
    gains: Array
    unknowns: Array
    covariance: Array
    determined: NDArray[np.bool_]
    weight: Array

    @property
    def relative_standard_deviations(self) -> Array:
        """Relative standard deviations of the gains (n,); infinite if not identifiable."""
        sizes = np.sqrt(np.diag(self.covariance)[: len(self.gains)])
        return np.where(self.determined, sizes, np.inf)


def fit_gains(problem: GainProblem) -> GainFit:
    """Fit gains and parameters; iterate for load-dependent friction.

    Raises:
        EstimationError: a joint has no current, or does not move.
    """
    fit = _fit_once(problem)
    if not any(term.traits.loaded for term in problem.unloaded.mechanism.terms):
        return fit
    for _ in range(_LOAD_ROUNDS):
        previous, fit = fit, _fit_once(problem.with_loads(fit.unknowns))
        change = np.abs(fit.gains / previous.gains - 1)
        if np.all(change <= _LOAD_TOLERANCE * fit.relative_standard_deviations):
            break
    return fit


@dataclass(frozen=True)
class _Roots:
    """Square roots of the normal equations: ``[W, c, t]`` with as few rows as columns.

    Attributes:
        regressor: (n, m + 2, m), its columns scaled to unit norm.
        known: (n, m + 2) torque of the known payload parameters.
        torque: (n, m + 2) as recorded.
        scale: (m,) of the columns.
        start: (m,) scaled unknowns in directions that are not identifiable.
    """

    regressor: Array
    known: Array
    torque: Array
    scale: Array
    start: Array

    def alone(self) -> Array:
        """Return the norm of each joint's residual with separate parameters (n,)."""
        wide = np.concatenate([self.regressor, self.known[:, :, None]], axis=2)
        pairs = zip(wide, self.torque, strict=True)
        fits = [
            columns @ np.linalg.lstsq(columns, torque, rcond=1e-8)[0] - torque
            for columns, torque in pairs
        ]
        return np.asarray(np.linalg.norm(fits, axis=1))

    def solve(self, inverse_gains: Array, weight: Array) -> tuple[Array, Array]:
        """Return the scaled unknowns (m,) for inverse gains (n,), and weighted errors."""
        factor = (weight * inverse_gains)[:, None]
        matrix = factor[:, :, None] * self.regressor
        right = weight[:, None] * self.torque - factor * self.known - matrix @ self.start
        flat = matrix.reshape(-1, matrix.shape[2])
        # pivoted QR takes a third of the time that the SVD does
        cut = np.sqrt(_UNDETERMINED)
        step = scipy.linalg.lstsq(
            flat, right.ravel(), cond=cut, lapack_driver="gelsy", check_finite=False
        )[0]
        return self.start + step, np.asarray(matrix @ step - right)


def _fit_once(problem: GainProblem) -> GainFit:
    gram, rows = problem.gram(), problem.rows()
    _check(problem, gram, rows)
    k, m = len(problem.base.independent), gram.shape[1] - 2
    start = np.zeros(m)
    start[:k] = problem.base.project(problem.unloaded.mechanism.urdf_parameters)
    roots = _roots(gram, start)
    freedom = np.maximum(rows - (m + len(rows)) / len(rows), 1.0)
    smallest = 1e-6 * np.linalg.norm(roots.torque, axis=1) / np.sqrt(freedom)
    error = np.maximum(roots.alone() / np.sqrt(freedom), smallest)
    inverse = _first_inverse(roots, 1 / error)
    for _ in range(_WEIGHT_ROUNDS):
        inverse = _search(roots, inverse, 1 / error)
        left = error * np.linalg.norm(roots.solve(inverse, 1 / error)[1], axis=1)
        last, error = error, np.maximum(left / np.sqrt(freedom), smallest)
        if np.allclose(error, last, rtol=_WEIGHT_TOLERANCE):
            break
    unknowns = roots.scale * roots.solve(inverse, 1 / error)[0]
    return _finished(problem, gram, inverse, unknowns, error)


def _search(roots: _Roots, inverse: Array, weight: Array) -> Array:
    """Find the inverse gains (n,) with the least weighted error, with the signs of ``inverse``."""
    sign, begin = np.sign(inverse), np.log(np.abs(inverse))

    def weighted_error(logarithms: Array) -> Array:
        return roots.solve(sign * np.exp(logarithms), weight)[1].ravel()

    bounds = (begin - _LARGEST_LOG_GAIN, begin + _LARGEST_LOG_GAIN)
    return np.asarray(
        sign * np.exp(scipy.optimize.least_squares(weighted_error, begin, bounds=bounds).x)
    )


def _first_inverse(roots: _Roots, weight: Array) -> Array:
    """Find a start: gains by least squares on ``g_j t_j - W_j x = c_j``, linear but biased.

    A negative gain results from the bias or from the sign of the current; the fit decides.
    """
    n, rows, m = roots.regressor.shape
    matrix = np.zeros((n, rows, n + m))
    matrix[np.arange(n), :, np.arange(n)] = roots.torque
    matrix[:, :, n:] = -roots.regressor
    size = np.linalg.norm(roots.torque, axis=1)
    flat = (matrix / size[:, None, None]).reshape(n * rows, -1)
    gains = np.linalg.lstsq(flat, (roots.known / size[:, None]).ravel(), rcond=1e-8)[0][:n]
    typical = float(np.median(np.abs(gains))) or 1.0
    signed = 1 / np.where(gains == 0, typical, gains)
    if np.all(signed > 0):
        return signed
    searches = [_search(roots, start, weight) for start in (np.full(n, 1 / typical), signed)]
    return min(searches, key=lambda inverse: float(np.linalg.norm(roots.solve(inverse, weight)[1])))


def _check(problem: GainProblem, gram: Array, rows: Array) -> None:
    for joint, name in enumerate(problem.unloaded.mechanism.joints):
        if rows[joint] < 2 or not np.any(np.diag(gram[joint])[:-2]):
            raise EstimationError(
                f"joint '{name}' does not move in the recordings; record motion of all joints."
            )
        if gram[joint, -1, -1] <= 0:
            raise EstimationError(
                f"the current of joint '{name}' is zero in the recordings; record its current."
            )


def _roots(gram: Array, start: Array) -> _Roots:
    values, vectors = np.linalg.eigh(gram)
    root = np.sqrt(np.maximum(values, 0.0))[:, :, None] * vectors.transpose(0, 2, 1)
    norms = np.sqrt(np.einsum("jii->i", gram)[:-2])
    scale = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1.0), 1.0)
    return _Roots(root[:, :, :-2] * scale, root[:, :, -2], root[:, :, -1], scale, start / scale)


def _finished(
    problem: GainProblem, gram: Array, inverse: Array, unknowns: Array, error: Array
) -> GainFit:
    correlation = error_correlation(problem.residuals(inverse, unknowns))
    # errors are correlated in time, see Estimate.covariance
    normal, _ = linearised(gram, inverse, unknowns, error**-2)
    spread, _ = linearised(gram, inverse, unknowns, error**-2 * correlation)
    n = len(inverse)
    spectrum = ScaledSpectrum.of(normal)
    bread = spectrum.inverse
    return GainFit(
        problem=problem,
        gram=gram,
        gains=1 / inverse,
        unknowns=unknowns,
        covariance=bread @ spread @ bread,
        determined=spectrum.determined[:n],
        weight=error**-2 / correlation,
    )


def linearised(gram: Array, inverse: Array, unknowns: Array, weight: Array) -> tuple[Array, Array]:
    """Return half the Hessian (Gauss–Newton) and gradient of the weighted squared error.

    Args:
        gram: (n, m + 2, m + 2) of the problem.
        inverse: (n,) inverse gains.
        unknowns: (m,).
        weight: (n,) of the joints' squared errors.

    Returns:
        (n + m, n + m) and (n + m,), by the logarithms of the inverse gains and the unknowns.
    """
    n, m = len(inverse), len(unknowns)
    matrix, slope = np.zeros((n + m, n + m)), np.zeros(n + m)
    for joint in range(n):
        # of b (W x + c) - t: the derivative by log b is b (W x + c), that by x is b W
        jacobian = np.zeros((m + 2, n + m))
        jacobian[:, joint] = np.append(unknowns, [1.0, 0.0])
        jacobian[:m, n:] = np.eye(m)
        jacobian *= inverse[joint]
        left = np.append(inverse[joint] * np.append(unknowns, 1.0), -1.0)
        weighted = weight[joint] * gram[joint] @ jacobian
        matrix += jacobian.T @ weighted
        slope += left @ weighted
    return matrix, slope
