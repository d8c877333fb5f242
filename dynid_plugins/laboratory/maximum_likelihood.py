"""Maximum likelihood: base parameters together with the covariance of the torque errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.estimation.estimate import Estimate, Estimator, error_correlation
from dynid.estimation.least_squares import WeightedLeastSquares, estimate_at, weighted_solution
from dynid.estimation.regression import NormalEquations, Problem
from dynid.linalg import ScaledSpectrum

_HIGHEST_ORDER = 12
_ROWS_AN_ORDER = 50  # fewer rows do not determine a coefficient
_LEFT_ROWS = 0.9  # share of the rows that must remain usable between pauses
_WHITE_SHARE = 1e-3  # of the variance: avoids amplification in the stop band of a filter


@dataclass(frozen=True)
class TorqueNoiseModel:
    """An autoregression per joint; the white innovations are correlated between joints.

    e_t + c_1 e_(t-1) + … + c_p e_(t-p) = u_t, with u_t of covariance S.

    Attributes:
        coefficients: (p_j + 1,) of each joint, beginning with 1 for the present row.
        covariance: (n, n) S.
    """

    coefficients: tuple[Array, ...]
    covariance: Array

    @property
    def memory(self) -> int:
        """Order of the longest autoregression [rows]."""
        return max(len(one) for one in self.coefficients) - 1

    @classmethod
    def fitted_to(
        cls, errors: Sequence[Array], fitted: Sequence[Array], floor: Array
    ) -> TorqueNoiseModel:
        """Fit errors (m, n) of each recording where ``fitted`` (m, n) is above 0.

        Autoregressions by Yule and Walker's equations, their orders by Schwarz's criterion (1978).

        Args:
            errors: torque errors (m, n) of each recording.
            fitted: (m, n) of each recording, above 0 where the error counts.
            floor: (n,) smallest variance of an innovation, above 0.
        """
        counted = [mask > 0 for mask in fitted]
        coefficients = tuple(
            _autoregression([e[:, joint] for e in errors], [c[:, joint] for c in counted])
            for joint in range(len(floor))
        )
        model = cls(coefficients, np.diag(floor))
        innovations = np.concatenate([model.innovations(one) for one in errors])
        usable = np.concatenate([model.usable(one) for one in counted])
        return cls(coefficients, _lag_covariance(innovations, usable, floor))

    def usable(self, counted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Rows (m, n) that count together with all earlier rows of the joint's autoregression."""
        result = np.zeros_like(counted)
        for joint, coefficients in enumerate(self.coefficients):
            result[:, joint] = _unbroken(counted[:, joint], len(coefficients))
        return result

    def innovations(self, errors: Array) -> Array:
        """White innovations of the errors, both (m, n)."""
        return np.asarray(self.whitened(errors.T)[..., 0].T)

    def whitened(self, values: Array) -> Array:
        """Apply each joint's autoregression to its values (n, m) or (n, m, c); (n, m, c)."""
        columns = values.reshape(*values.shape[:2], -1)
        pairs = zip(self.coefficients, columns, strict=True)
        return np.array([scipy.signal.lfilter(one, [1.0], own, axis=0) for one, own in pairs])

    def gram(self, stacked: Array, usable: NDArray[np.bool_]) -> Array:
        """Sum of AᵀS⁻¹A over rows, A the whitened ``stacked`` (n, m, c); (c, c).

        If a row is usable for some joints only, their part of the covariance S is used.
        """
        total = np.zeros((stacked.shape[2], stacked.shape[2]))
        kinds, which = np.unique(usable, axis=0, return_inverse=True)
        for number, kind in enumerate(kinds):
            joints = np.flatnonzero(kind)
            if len(joints) == 0:
                continue
            chosen = stacked[np.ix_(joints, np.flatnonzero(which.ravel() == number))]
            root = scipy.linalg.cholesky(self.covariance[np.ix_(joints, joints)], lower=True)
            flat = scipy.linalg.solve_triangular(root, chosen.reshape(len(joints), -1), lower=True)
            flat = flat.reshape(-1, stacked.shape[2])
            total += flat.T @ flat
        return total


def _unbroken(counted: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
    """Which samples end a run of at least ``length`` samples that count."""
    result = np.zeros_like(counted)
    if len(counted) >= length:
        windows = np.lib.stride_tricks.sliding_window_view(counted, length)
        result[length - 1 :] = windows.all(axis=1)
    return result


def _autoregression(errors: Sequence[Array], counted: Sequence[NDArray[np.bool_]]) -> Array:
    """Coefficients of one joint's errors (m,), the present one's first."""
    rows = sum(int(mask.sum()) for mask in counted)
    highest = min(_HIGHEST_ORDER, rows // _ROWS_AN_ORDER)
    masked = [e * mask for e, mask in zip(errors, counted, strict=True)]
    products = np.zeros(highest + 1)
    for one in masked:
        for lag in range(min(len(one), highest + 1)):
            products[lag] += one[lag:] @ one[: len(one) - lag]
    best, least = np.ones(1), np.log(max(products[0], 1e-300)) * rows
    products[0] *= 1 + _WHITE_SHARE
    for order in range(1, highest + 1):
        left = sum(int(_unbroken(mask, order + 1).sum()) for mask in counted)
        if products[0] <= 0 or left < _LEFT_ROWS * rows:
            break
        ahead = scipy.linalg.solve_toeplitz(products[:order], products[1 : order + 1])
        variance = products[0] - ahead @ products[1 : order + 1]
        criterion = np.log(variance) * rows + order * np.log(rows)
        if criterion < least:
            best, least = np.append(1.0, -ahead), criterion
    return best


def _lag_covariance(innovations: Array, usable: NDArray[np.bool_], floor: Array) -> Array:
    """Covariance (n, n) of innovations (m, n).

    From rows that are usable at all joints if there are enough of them, else joint by joint.
    """
    together = usable.all(axis=1)
    if together.sum() >= _ROWS_AN_ORDER * len(floor):
        chosen = innovations[together]
        return np.asarray(chosen.T @ chosen / len(chosen) + np.diag(floor))
    counts = np.maximum(usable.sum(axis=0), 1)
    return np.diag(np.sum((innovations * usable) ** 2, axis=0) / counts + floor)


_ROUNDS = 10
_TOLERANCE = 0.01  # change of a parameter over its standard deviation


class MaximumLikelihood(Estimator):
    """ML for errors correlated in time and between joints (Olsen, Swevers, Verdonck 2002).

    Two steps alternate, each of which increases the likelihood of normal errors: the covariance of
    the errors for given parameters, and the parameters for a given covariance. The latter is
    generalised least squares (Cochrane and Orcutt 1949 in time, Zellner 1962 across joints). Motion
    is taken as exact.
    """

    name = "ml"
    summary = "maximum likelihood: torque errors may be correlated over time and between joints"

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
            covariance = ScaledSpectrum.of(equations.joint_gram[0, :-1, :-1]).inverse
            covariance *= _left_correlation(problem, noise, base)
            standard_deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
            if np.all(np.abs(base - previous) <= _TOLERANCE * standard_deviation):
                break
        return estimate_at(problem, base, covariance)


def _left_correlation(problem: Problem, noise: TorqueNoiseModel, base: Array) -> float:
    """Correlation time [rows] of errors that the autoregression did not whiten completely."""
    innovations = (
        noise.innovations(errors) * noise.usable(rows.fitted > 0)
        for errors, rows in zip(problem.residuals(base), problem.rows, strict=True)
    )
    return float(error_correlation(innovations).mean())


def _whitened_equations(problem: Problem, noise: TorqueNoiseModel) -> NormalEquations:
    """Build the normal equations of whitened rows, with errors of variance 1, as of one joint.

    Raises:
        EstimationError: too few rows are consecutive.
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
        raise EstimationError(
            f"maximum likelihood: only {count} consecutive samples are in motion, too few for "
            f"{size - 1} base parameters; record a longer motion, or use wls."
        )
    return NormalEquations(gram[None, None], np.full((1, 1), float(count)))
