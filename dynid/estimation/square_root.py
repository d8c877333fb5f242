"""Recursive least squares on triangular factors, numerically stable for any number of samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.errors import EstimationError

_HUBER = 1.345  # 95 % efficient on normal errors (Huber 1981)
_WEIGHT_ITERATIONS = 2
_NEGLIGIBLE_FORGETTING = 1e-12  # forgetting, 1 - λ
_DETERMINED = 0.5  # posterior over prior standard deviation of a parameter that data determine
_LEAST_EIGENVALUE = 1e-10  # of a correlation matrix, relative to the largest


class Solution(NamedTuple):
    """Estimate from the samples so far.

    Attributes:
        parameters: (k,) base parameters.
        covariance: (k, k) of the parameters.
        joint_variance: (n,) of the torque error [(N m)² or N²], over the samples not yet forgotten.
        determined: (k,) bool, data have at least halved the prior standard deviation.
    """

    parameters: Array
    covariance: Array
    joint_variance: Array
    determined: NDArray[np.bool_]


@dataclass(frozen=True)
class Forgetting:
    """λ(t) = (1 - μ) λ(t-1) + μ: factor of a sample's weight with each sample that follows.

    P. Ratiroch-Anant et al., "Recursive simultaneous estimation of a two-link direct drive
    manipulator with great variation of payload", (14). With μ > 0 forgetting fades: only the first
    samples are forgotten, during which filters settle. With μ = 0 it stays constant, and the
    estimate follows changing parameters with a memory of 1 / (1 - λ) samples.

    Attributes:
        initial: λ(0), above 0 and up to 1.
        rate: μ, from 0 to 1.
    """

    initial: float = 1.0
    rate: float = 0.0

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            EstimationError: a value is out of range.
        """
        if not (0 < self.initial <= 1 and 0 <= self.rate <= 1):
            raise EstimationError(
                f"forgetting factor {self.initial:g} with rate {self.rate:g}: the factor must be "
                "above 0 and at most 1 (1: no forgetting), and the rate between 0 and 1."
            )

    def factors(self, first: int, samples: int) -> Array:
        """λ of samples ``first``, ``first`` + 1, … (samples,), the first sample being number 1."""
        ages = np.arange(first, first + samples)
        return np.asarray(1 - (1 - self.initial) * (1 - self.rate) ** ages)


_NO_FORGETTING = Forgetting()


class SquareRootLeastSquares:
    """Recursive least squares with one triangular factor per joint.

    Of the rows A = [W_j, τ_j] of joint j only R_j with R_jᵀ R_j = Aᵀ A is stored, (k+1, k+1). New
    rows are added by a QR decomposition of R_j stacked on them. Sums of squares are never formed,
    and R_jᵀ R_j stays positive semidefinite, which the matrix P of the conventional form (14) may
    not because of rounding.

    - vector form: all R_j, divided by the standard deviation of the joint's torque error, are
      solved together for the shared parameters, as in weighted least squares.
    - scalar sub-models: each joint's row is solved alone, the last joint first, for those of its
      parameters that do not act on a joint behind it; the other parameters are taken from there.
      For the two joints of the paper these are the two equations (15).

    The prior, ``start`` with its standard deviations, is never forgotten. Its mean follows the
    estimate at the rate at which data are forgotten. A parameter that is no longer excited keeps
    its last value, and its standard deviation returns to the prior's but not beyond, so there is no
    covariance wind-up. This is exponential resetting (M. E. Salgado, G. C. Goodwin,
    R. H. Middleton, "Modified least squares algorithm incorporating exponential resetting and
    forgetting", Int. J. Control 47, 1988).

    Args:
        joints: number of joints n.
        start: (k,) prior mean of the parameters.
        standard_deviations: (k,) of the prior; a large one is uninformative.
        correlation: (k, k) of the prior's errors; None: independent. Scalar sub-models ignore it.
        forgetting: of samples.
        scalar: solve scalar sub-models instead of the vector form.
        robust: use Huber's weights against outliers, such as contacts or samples at a reversal.
    """

    def __init__(
        self,
        joints: int,
        start: Array,
        standard_deviations: Array,
        *,
        correlation: Array | None = None,
        forgetting: Forgetting = _NO_FORGETTING,
        scalar: bool = False,
        robust: bool = False,
    ) -> None:
        self._centre = np.array(start, dtype=np.float64)
        self._precision = 1 / np.asarray(standard_deviations, dtype=np.float64)
        self._prior_root = np.diag(self._precision)
        if correlation is not None and not scalar:
            self._prior_root = _inverse_root(correlation) * self._precision
        self._forgetting, self._scalar, self._robust = forgetting, scalar, robust
        size = len(self._centre) + 1
        self._factors = np.zeros((joints, size, size))
        self._weights = np.zeros(joints)
        self._samples = 0
        self._variance = np.ones(joints)
        self._enough = 2 * len(self._centre) / joints  # rows needed to estimate a variance
        self.correlation = np.ones(joints)
        """Integrated autocorrelation time of each joint's error (n,) [rows]; 1: white errors."""

    @property
    def samples(self) -> int:
        """Number of samples so far."""
        return self._samples

    @property
    def factors(self) -> Array:
        """R of each joint, upper triangular with a non-negative diagonal; (n, k+1, k+1)."""
        return np.array(self._factors)

    @property
    def rows(self) -> Array:
        """Effective number of rows of each joint that are not forgotten, (n,)."""
        return np.array(self._weights)

    def update(self, stacked: Array, counted: Array | None = None) -> None:
        """Add the next samples, with the same result in one call or in several.

        Only the weights of outliers depend on it: they use the parameters before the call.

        Args:
            stacked: (n, m, k+1) [W_j, τ_j] of each joint, as :class:`Block` has them.
            counted: (m, n) weight of each row, 0 to ignore it; None: 1.
        """
        joints, samples = stacked.shape[:2]
        if samples == 0:
            return
        kept = self._forgetting.factors(self._samples + 1, samples)
        # the forgetting between a row and the end of the block
        later = np.append(np.cumprod(kept[::-1])[::-1][1:], 1.0)
        whole = float(later[0] * kept[0])
        weights = np.ones((samples, joints)) if counted is None else counted
        forgets = whole < 1 - _NEGLIGIBLE_FORGETTING
        if self._samples and (forgets or self._robust):
            parameters, _ = self._renewed()
            self._centre += (1 - whole) * (parameters - self._centre)
            if self._robust:
                weights = weights * self._huber_weights(stacked, parameters)
        weights = later[:, None] * weights
        for joint, rows in enumerate(stacked):
            weighted = np.sqrt(weights[:, joint, None]) * rows
            self._factors[joint] = _triangle(np.sqrt(whole) * self._factors[joint], weighted)
        self._weights = whole * self._weights + weights.sum(axis=0)
        self._samples += samples

    def solve(self) -> Solution:
        """Solve for the parameters, in the form chosen."""
        for _ in range(_WEIGHT_ITERATIONS):
            self._renewed()
        parameters, covariance = self._renewed()
        determined = np.diag(covariance) < (_DETERMINED / self._precision) ** 2
        return Solution(parameters, covariance, self._variance.copy(), determined)

    def _renewed(self) -> tuple[Array, Array]:
        """Parameters and covariance in the form chosen; updates the joints' variances."""
        parameters, covariance = self._per_joint() if self._scalar else self._vector()
        errors = np.sum((self._factors @ np.append(parameters, -1.0)) ** 2, axis=1)
        self._variance = self._variances(errors)
        return parameters, covariance

    def _huber_weights(self, stacked: Array, parameters: Array) -> Array:
        """Huber's weights (m, n): below 1 for errors beyond 1.345 standard deviations."""
        size = np.abs(stacked @ np.append(parameters, -1.0)).T
        bound = np.where(self._weights > self._enough, _HUBER * np.sqrt(self._variance), np.inf)
        return np.asarray(np.minimum(1.0, bound / np.maximum(size, 1e-300)))

    def _vector(self) -> tuple[Array, Array]:
        """Parameters and covariance from all joints' rows together."""
        weighted = self._factors / np.sqrt(self._variance * self.correlation)[:, None, None]
        return _solved(_triangle(self._prior, weighted.reshape(-1, weighted.shape[-1])))

    def _per_joint(self) -> tuple[Array, Array]:
        """Parameters and covariance joint by joint, errors propagated to the joints before."""
        k = len(self._centre)
        parameters, waiting = self._centre.copy(), np.ones(k, dtype=bool)
        covariance = np.diag(self._precision**-2)
        shared = self._variance * self.correlation
        for factor, variance in zip(self._factors[::-1], shared[::-1], strict=True):
            weighted = factor / np.sqrt(variance)
            own = np.flatnonzero(waiting & weighted[:, :-1].any(axis=0))
            if len(own) == 0:
                continue
            waiting[own] = False
            others = np.setdiff1d(np.arange(k), own)
            left = weighted[:, -1] - weighted[:, others] @ parameters[others]
            rows = np.column_stack([weighted[:, own], left])
            prior = self._prior[np.ix_(own, np.append(own, k))]
            parameters[own], alone = _solved(_triangle(prior, rows))
            passed_on = -alone @ weighted[:, own].T @ weighted[:, others]
            across = passed_on @ covariance[np.ix_(others, others)]
            covariance[np.ix_(own, others)] = across
            covariance[np.ix_(others, own)] = across.T
            covariance[np.ix_(own, own)] = alone + across @ passed_on.T
        return parameters, covariance

    @property
    def _prior(self) -> Array:
        """The prior as rows (k, k+1)."""
        return np.column_stack([self._prior_root, self._prior_root @ self._centre])

    def _variances(self, squared_errors: Array) -> Array:
        """Variance of each joint's torque error (n,); the last value while there are few rows."""
        freedom = self._weights - self._enough / 2
        floor = 1e-12 * np.sum(self._factors[:, :, -1] ** 2, axis=1) / np.maximum(self._weights, 1)
        variance = np.maximum(squared_errors / np.maximum(freedom, 1.0), floor)
        return np.where((self._weights > self._enough) & (variance > 0), variance, self._variance)


def _inverse_root(correlation: Array) -> Array:
    """Return R (k, k) with RᵀR the inverse of a correlation matrix, also if that is singular."""
    values, vectors = np.linalg.eigh(correlation)
    floor = _LEAST_EIGENVALUE * values[-1]
    return np.asarray(vectors.T / np.sqrt(np.maximum(values, floor))[:, None])


def _triangle(above: Array, below: Array) -> Array:
    """R of the stacked rows, with a non-negative diagonal."""
    triangle = np.linalg.qr(np.concatenate([above, below]), mode="r")
    signs = np.where(np.diag(triangle) < 0, -1.0, 1.0)
    return np.asarray(signs[:, None] * triangle)


def _solved(triangle: Array) -> tuple[Array, Array]:
    """Solve least squares from R of [W, τ] with errors of unit variance; solution, covariance."""
    k = triangle.shape[1] - 1
    inverse = scipy.linalg.solve_triangular(triangle[:k, :k], np.eye(k))
    return inverse @ triangle[:k, k], inverse @ inverse.T
