"""The statistic of the sequential test: every cause, over windows of several lengths.

The size of a cause in each recording is a weighted contrast of its parameters (generalised least
squares). A window-limited generalised likelihood ratio (Lai, J. R. Stat. Soc. B 57, 1995) compares
the mean over the last 1, 2, 3, 5, … 34 recordings with the mean of the reference, which has its own
uncertainty; where temperatures are recorded, with its regression on temperature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, log_ndtr
from scipy.stats import chi2

from dynid.arrays import Array
from dynid.drift.causes import Cause

LENGTHS = (1, 2, 3, 5, 8, 13, 21, 34)
"""Lengths of windows [recordings]; a geometric series loses little against all (Lai 1995)."""
_NO_INFORMATION = 1e-9
_SINGULAR = 1e-12
_FAR = 300.0  # beyond which the tail's leading term is used, before it is 0 in double precision
SLOPE = 0.02
"""Prior standard deviation of friction's relative change per kelvin: friction of robot joints falls
by a third to a half over 30 K (Bittencourt and Gunnarsson 2012)."""


@dataclass(frozen=True, eq=False)
class Contrasts:
    """The causes as weighted sums of parameters.

    Attributes:
        matrix: (c, k); row by parameters is the size of a cause, or a normalised part of one.
        owner: (c,) index of the cause of each row.
        causes: the causes.
    """

    matrix: Array
    owner: NDArray[np.intp]
    causes: tuple[Cause, ...]


def precision(covariances: Array) -> Array:
    """Return the inverses of covariances (…, k, k), whose units may differ by orders of size."""
    sizes = np.sqrt(np.diagonal(covariances, axis1=-2, axis2=-1))
    scale = sizes[..., :, None] * sizes[..., None, :]
    inverse = np.linalg.pinv(covariances / scale, hermitian=True, rcond=_SINGULAR)
    return np.asarray(inverse / scale)


def make_contrasts(causes: Sequence[Cause], information: Array) -> Contrasts:
    """Return the contrasts that have the least variance if one cause is present alone.

    Args:
        causes: with signatures (k, m).
        information: (k, k) inverse covariance of a recording, with the variation between days.
    """
    rows: list[Array] = []
    owner: list[int] = []
    for number, cause in enumerate(causes):
        weighted = cause.signature.T @ information
        values, vectors = np.linalg.eigh(_scaled(weighted @ cause.signature))
        kept = values > _NO_INFORMATION * values[-1]
        basis = (vectors[:, kept] / np.sqrt(values[kept])).T
        norm = np.sqrt(np.maximum(np.diag(weighted @ cause.signature), 1e-300))
        rows += list(basis @ (weighted / norm[:, None]))
        owner += [number] * int(kept.sum())
    return Contrasts(np.array(rows), np.array(owner), tuple(causes))


def _scaled(matrix: Array) -> Array:
    norm = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    return np.asarray(matrix / norm / norm[:, None])


@dataclass(frozen=True, eq=False)
class Baseline:
    """Mean or regression on temperature of the contrasts over a reference.

    Attributes:
        coefficients: (d, c); d = 1, or 2 with temperature.
        covariance: (c, d, d) of them.
        middle: temperature at the reference's mean [°C].
    """

    coefficients: Array
    covariance: Array
    middle: float = 0.0

    def design(self, temperatures: Array | None, count: int) -> Array:
        """Return the regressors (count, d) of recordings."""
        return _design(count, temperatures, self.middle, len(self.coefficients))


def fit_baseline(
    sizes: Array, variances: Array, temperatures: Array | None, prior: Array
) -> Baseline:
    """Fit the mean of contrasts, and with temperatures their slope.

    Args:
        sizes: (R, c) of the contrasts.
        variances: (R, c) of these.
        temperatures: (R,) or None.
        prior: (c,) standard deviation of the slope before any data, 0 where temperature has no
            effect.
    """
    width = 1 if temperatures is None else 2
    middle = 0.0 if temperatures is None else float(np.mean(temperatures))
    design = _design(len(sizes), temperatures, middle, width)
    normal = np.einsum("rd,re,rc->cde", design, design, 1 / variances)
    if width == 2:
        normal[:, 1, 1] += 1 / np.maximum(prior, 1e-12) ** 2
    covariance = np.linalg.inv(normal)
    right = np.einsum("rd,rc->cd", design, sizes / variances)
    return Baseline(np.einsum("cde,ce->dc", covariance, right), covariance, middle)


def slope_prior(contrasts: Contrasts, friction: Array) -> Array:
    """Return the prior (c,) of slopes for ``friction`` (k,), which is 0 at other parameters."""
    return np.asarray(SLOPE * np.abs(contrasts.matrix @ np.diag(friction)).sum(axis=1))


def scan(
    sizes: Array,
    variances: Array,
    temperatures: Array | None,
    baseline: Baseline,
    owner: NDArray[np.intp],
) -> Array:
    """Return the statistic (T, causes): the largest z² summed over a cause's rows, over windows.

    Args:
        sizes: (T, c) of the contrasts after the reference.
        variances: (T, c) of these.
        temperatures: (T,) or None.
        baseline: of the reference.
        owner: (c,) cause of each row.
    """
    count = len(sizes)
    design = baseline.design(temperatures, count)
    weight = 1 / variances
    departure = (sizes - design @ baseline.coefficients) * weight
    starts = np.flatnonzero(np.r_[True, np.diff(owner) > 0])
    best = np.zeros((count, len(starts)))
    sums = [_cumulated(departure), _cumulated(weight)]
    moments = _cumulated(design[:, :, None] * weight[:, None, :])
    for length in LENGTHS:
        if length > count:
            break
        total, information = (one[length:] - one[:-length] for one in sums)
        moment = moments[length:] - moments[:-length]
        extra = np.einsum("tdc,cde,tec->tc", moment, baseline.covariance, moment)
        scores = total**2 / (information + extra)
        summed = np.add.reduceat(scores, starts, axis=1)
        best[length - 1 :] = np.maximum(best[length - 1 :], summed)
    return best


def surprise(statistic: Array, owner: NDArray[np.intp]) -> Array:
    """Return minus the natural logarithm of the probability of such a statistic (…, causes)."""
    found = np.empty_like(statistic)
    for cause, freedom in enumerate(np.bincount(owner)):
        values = statistic[..., cause]
        if freedom == 1:
            found[..., cause] = -np.log(2) - log_ndtr(-np.sqrt(values))
        else:
            half = np.maximum(values / 2, 1.0)
            far = half - (freedom / 2 - 1) * np.log(half) + gammaln(freedom / 2)
            near = -chi2.logsf(values, freedom)
            found[..., cause] = np.where(half > _FAR, far, near)
    return found


def _design(count: int, temperatures: Array | None, middle: float, width: int) -> Array:
    ones = np.ones((count, 1))
    if width == 1 or temperatures is None:
        return ones
    return np.column_stack([ones, temperatures - middle])


def _cumulated(values: Array) -> Array:
    return np.concatenate([np.zeros_like(values[:1]), np.cumsum(values, axis=0)])
