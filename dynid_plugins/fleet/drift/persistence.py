"""Correlation of a robot's variation between days with that of the days before.

Where friction follows the weather or the load of the week, the friction of a day resembles that of
the day before. The component between days ``b_i`` is taken as a stationary autoregression of first
order: the correlation of ``b_i`` and ``b_j`` is rho to the power of their distance in time, in
usual intervals between two recordings, with one rho for all directions. Its restricted likelihood
(Patterson and Thompson, Biometrika 58, 1971) from the reference, with a uniform prior, is its
distribution: few recordings leave it wide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from dynid.arrays import Array

GRID = np.append(np.linspace(0.0, 0.9, 10), 0.95)
"""Values of rho; 0.95 is a memory of 20 recordings, more than a reference could show."""


@dataclass(frozen=True, eq=False)
class Persistence:
    """The correlation from one recording to the next, as far as it is known.

    Attributes:
        chances: (11,) probability of each value of ``GRID``.
        inflation: (11,) variance between days over that of independent days which leave the same
            residuals from their mean.
    """

    chances: Array
    inflation: Array

    @property
    def mean(self) -> float:
        """Expected correlation."""
        return float(self.chances @ GRID)

    @property
    def most(self) -> float:
        """Correlation that is exceeded with a chance of 5 %."""
        return float(GRID[min(int(np.searchsorted(np.cumsum(self.chances), 0.95)), len(GRID) - 1)])

    @property
    def mean_inflation(self) -> float:
        """Expected inflation."""
        return float(self.chances @ self.inflation)

    def drawn(self, random: np.random.Generator) -> tuple[float, float]:
        """Return a correlation from the distribution, and its inflation."""
        place = int(random.choice(len(GRID), p=self.chances))
        return float(GRID[place]), float(self.inflation[place])

    @classmethod
    def fixed(cls, correlation: float) -> Persistence:
        """Return a correlation that is known, as the nearest of ``GRID``."""
        chances = np.zeros(len(GRID))
        chances[np.argmin(np.abs(GRID - correlation))] = 1.0
        return cls(chances, np.ones(len(GRID)))


@dataclass(frozen=True, eq=False)
class Directions:
    """Friction of the joints in a row of recordings, whose mean is not known.

    Attributes:
        values: (R, g) relative friction of each joint.
        within: (R, g, g) covariances within the recordings.
        design: (R, d) regressors of the mean: 1, and the temperature where it is recorded.
        steps: (R,) times in usual intervals between recordings.
    """

    values: Array
    within: Array
    design: Array
    steps: Array


def decay(steps: Array, correlation: float) -> Array:
    """Return the correlations (R, R) of recordings at times in intervals (R,)."""
    return np.asarray(correlation ** np.abs(steps[:, None] - steps))


def share_of_mean(steps: Array, correlation: float) -> float:
    """Return the variance of the mean of recordings over that of one."""
    return float(decay(steps, correlation).mean())


def estimate_persistence(spans: Sequence[Directions], between: Array) -> Persistence:
    """Return the distribution of the correlation.

    Args:
        spans: references, each with a mean of its own.
        between: (g, g) covariance between days, estimated as if days were independent.
    """
    related = [GRID[:, None, None] ** np.abs(one.steps[:, None] - one.steps) for one in spans]
    pairs = list(zip(spans, related, strict=True))
    left = np.sum([_left(one.design, matrix) for one, matrix in pairs], axis=0)
    inflation = left[0] / left
    if between.size == 0:
        return Persistence(np.full(len(GRID), 1 / len(GRID)), inflation)
    likelihood = np.sum(
        [_restricted(one, matrix, between, inflation) for one, matrix in pairs], axis=0
    )
    chances = np.exp(likelihood - np.max(likelihood))
    return Persistence(chances / chances.sum(), inflation)


def _left(design: Array, related: Array) -> Array:
    """Return the sum of squares (11,) that is left after a regression of unit variances."""
    orthogonal, _ = np.linalg.qr(design)
    removed = np.einsum("rd,grs,sd->g", orthogonal, related, orthogonal)
    return np.asarray(np.trace(related, axis1=1, axis2=2) - removed)


def _restricted(span: Directions, related: Array, between: Array, inflation: Array) -> Array:
    """Return the logarithm of the restricted likelihood (11,), the largest over a common factor.

    The variance between days is itself known from these few recordings only: a wrong one must not
    be taken for a correlation.
    """
    count, width = span.values.shape
    days = np.einsum("grs,ij->grisj", inflation[:, None, None] * related, between)
    rows = np.arange(count)
    days[:, rows, :, rows, :] += span.within[:, None]
    size = count * width
    root = np.linalg.cholesky(days.reshape(-1, size, size))
    regressors = np.einsum("rd,ij->ridj", span.design, np.eye(width)).reshape(size, -1)
    right = np.column_stack([regressors, span.values.reshape(size)])
    white = np.array(
        [scipy.linalg.solve_triangular(one, right, lower=True, check_finite=False) for one in root]
    )
    design, values = white[..., :-1], white[..., -1:]
    normal = np.swapaxes(design, 1, 2) @ design
    projected = np.swapaxes(design, 1, 2) @ values
    explained = (projected * np.linalg.solve(normal, projected)).sum(axis=(1, 2))
    squares = (values**2).sum(axis=(1, 2)) - explained
    volume = 2 * np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
    free = size - normal.shape[-1]
    return np.asarray(-0.5 * (volume + np.linalg.slogdet(normal)[1] + free * np.log(squares)))
