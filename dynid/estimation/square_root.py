"""Recursive least squares on triangular factors, which stay valid however long they run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from dynid.arrays import Array
from dynid.errors import EstimationError

_HUBER = 1.345  # 95 % efficient on normal errors (Huber 1981)
_WEIGHT_ITERATIONS = 2
_NEGLIGIBLE = 1e-12  # forgetting that has faded away
_TOLD = 0.5  # of its deviation beforehand, below which a parameter's says that data determine it


class Solution(NamedTuple):
    """What the samples so far say.

    Attributes:
        parameters: (k,).
        covariance: (k, k).
        joint_variance: (n,) of the torque error, over the samples not yet forgotten.
        determined: (k,) bool, data have at least halved the deviation given beforehand.
    """

    parameters: Array
    covariance: Array
    joint_variance: Array
    determined: NDArray[np.bool_]


@dataclass(frozen=True)
class Forgetting:
    """λ(t) = (1 - μ) λ(t-1) + μ: by how much a sample counts less with each that follows.

    P. Ratiroch-Anant et al., "Recursive simultaneous estimation of a two-link direct drive
    manipulator with great variation of payload", (14). With μ > 0 it fades, so that only the first
    samples, whose filters had not settled, are forgotten; with μ = 0 it stays, and parameters that
    change are followed, over the last 1 / (1 - λ) samples.

    Attributes:
        initial: λ(0), above 0 and up to 1.
        rate: μ, from 0 to 1.
    """

    initial: float = 1.0
    rate: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what would grow errors, or forget everything.

        Raises:
            EstimationError: a number is impossible.
        """
        if not (0 < self.initial <= 1 and 0 <= self.rate <= 1):
            message = (
                f"forgetting {self.initial:g}, fading at {self.rate:g}: the factor must be above 0 "
                "and up to 1 (1 forgets nothing), and its rate from 0 to 1."
            )
            raise EstimationError(message)

    def factors(self, first: int, samples: int) -> Array:
        """λ of the samples number ``first``, ``first`` + 1, … counted from 1; (samples,)."""
        ages = np.arange(first, first + samples)
        return np.asarray(1 - (1 - self.initial) * (1 - self.rate) ** ages)


_NOTHING = Forgetting()


class SquareRootLeastSquares:
    """Recursive least squares, every joint's rows condensed in a triangular factor of its own.

    Of the rows A = [W_j, τ_j] of joint j only R_j with R_jᵀ R_j = Aᵀ A is kept, (k+1, k+1). New
    ones are added by QR of R_j stacked upon them: sums of squares are never formed, and R_jᵀ R_j
    cannot cease to be positive, as the matrix P of the conventional form (14) can by rounding.

    - vector form: all R_j, divided by the deviation of the joint's torque error, are solved for the
      parameters that they share; as in weighted least squares.
    - scalar sub-models: each joint's row is solved alone, the last joint first, for those of its
      parameters that no joint behind it feels; what the others add to its torque is taken as found
      there. Of the two joints of the paper this is the pair (15).

    What is believed beforehand is never forgotten: ``start`` with its deviations. As data are
    forgotten, it moves on to the estimate at the same pace. So what the robot's motion no longer
    shows keeps its last value, and its deviation grows back to the one given beforehand, and no
    further: there is no wind-up. This is exponential resetting (M. E. Salgado, G. C. Goodwin,
    R. H. Middleton, "Modified least squares algorithm incorporating exponential resetting and
    forgetting", Int. J. Control 47, 1988).

    Args:
        joints: n.
        start: (k,) parameters to begin with.
        deviations: (k,) of these; large ones leave the word to the data.
        forgetting: of samples.
        scalar: solve scalar sub-models in place of the vector form.
        robust: count what is far from the model less (Huber): samples around a reversal, contacts.
    """

    def __init__(
        self,
        joints: int,
        start: Array,
        deviations: Array,
        *,
        forgetting: Forgetting = _NOTHING,
        scalar: bool = False,
        robust: bool = False,
    ) -> None:
        self._centre = np.array(start, dtype=np.float64)
        self._precision = 1 / np.asarray(deviations, dtype=np.float64)
        self._forgetting, self._scalar, self._robust = forgetting, scalar, robust
        size = len(self._centre) + 1
        self._factors = np.zeros((joints, size, size))
        self._weights = np.zeros(joints)
        self._samples = 0
        self._variance = np.ones(joints)
        self._enough = 2 * len(self._centre) / joints  # rows that tell a variance
        self.correlation = np.ones(joints)
        """How many rows of each joint share one independent error, (n,); 1: white errors."""

    @property
    def samples(self) -> int:
        """How many have been taken in."""
        return self._samples

    @property
    def factors(self) -> Array:
        """R of each joint, upper triangular with a diagonal that is not negative; (n, k+1, k+1)."""
        return np.array(self._factors)

    @property
    def rows(self) -> Array:
        """How many rows of each joint are not yet forgotten; (n,)."""
        return np.array(self._weights)

    def update(self, stacked: Array, counted: Array | None = None) -> None:
        """Take in the next samples, any number at a time: it comes to the same as one by one.

        But for outliers, which are judged by the parameters before the update.

        Args:
            stacked: (n, m, k+1) [W_j, τ_j] of each joint, as :class:`Block` has them.
            counted: (m, n) how much each counts, 0 for not at all; None: all.
        """
        joints, samples = stacked.shape[:2]
        if samples == 0:
            return
        kept = self._forgetting.factors(self._samples + 1, samples)
        # the forgetting between a row and the end of the block
        later = np.append(np.cumprod(kept[::-1])[::-1][1:], 1.0)
        whole = float(later[0] * kept[0])
        weights = np.ones((samples, joints)) if counted is None else counted
        forgets = whole < 1 - _NEGLIGIBLE
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
        """What the samples so far say, in the form chosen."""
        for _ in range(_WEIGHT_ITERATIONS):
            self._renewed()
        parameters, covariance = self._renewed()
        told = np.diag(covariance) < (_TOLD / self._precision) ** 2
        return Solution(parameters, covariance, self._variance.copy(), told)

    def _renewed(self) -> tuple[Array, Array]:
        """Parameters and covariance in the form chosen, which the joints' variances then follow."""
        parameters, covariance = self._per_joint() if self._scalar else self._vector()
        errors = np.sum((self._factors @ np.append(parameters, -1.0)) ** 2, axis=1)
        self._variance = self._variances(errors)
        return parameters, covariance

    def _huber_weights(self, stacked: Array, parameters: Array) -> Array:
        """Weights (m, n) by which errors beyond 1.345 deviations count in proportion (Huber)."""
        size = np.abs(stacked @ np.append(parameters, -1.0)).T
        bound = np.where(self._weights > self._enough, _HUBER * np.sqrt(self._variance), np.inf)
        return np.asarray(np.minimum(1.0, bound / np.maximum(size, 1e-300)))

    def _vector(self) -> tuple[Array, Array]:
        """Parameters and covariance from all joints' rows together."""
        weighted = self._factors / np.sqrt(self._variance * self.correlation)[:, None, None]
        return _solved(_triangle(self._prior, weighted.reshape(-1, weighted.shape[-1])))

    def _per_joint(self) -> tuple[Array, Array]:
        """Parameters and covariance joint by joint; one leaves its error to those before it."""
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
        """What is believed without data, as rows (k, k+1)."""
        return np.column_stack([np.diag(self._precision), self._precision * self._centre])

    def _variances(self, squared_errors: Array) -> Array:
        """Variance of each joint's torque error; as before where there are too few rows yet."""
        freedom = self._weights - self._enough / 2
        floor = 1e-12 * np.sum(self._factors[:, :, -1] ** 2, axis=1) / np.maximum(self._weights, 1)
        variance = np.maximum(squared_errors / np.maximum(freedom, 1.0), floor)
        return np.where((self._weights > self._enough) & (variance > 0), variance, self._variance)


def _triangle(above: Array, below: Array) -> Array:
    """R of the rows of both, with a diagonal that is not negative."""
    triangle = np.linalg.qr(np.concatenate([above, below]), mode="r")
    signs = np.where(np.diag(triangle) < 0, -1.0, 1.0)
    return np.asarray(signs[:, None] * triangle)


def _solved(triangle: Array) -> tuple[Array, Array]:
    """Least squares and its covariance from R of [W, τ] with errors of unit variance."""
    k = triangle.shape[1] - 1
    inverse = solve_triangular(triangle[:k, :k], np.eye(k))
    return inverse @ triangle[:k, k], inverse @ inverse.T
