"""The statistic of the sequential test: every cause, over windows of several lengths.

The size of a cause in each recording is a weighted contrast of its parameters (generalised least
squares). A window-limited generalised likelihood ratio (Lai, J. R. Stat. Soc. B 57, 1995) compares
the mean over the last 1, 2, 3, 5, … 34 recordings with the mean of the reference, which has its own
uncertainty; where temperatures are recorded, with its regression on temperature. The variance of
each mean holds the correlation of the days in it, and with those of the reference.

The reference alone is few recordings. Later ones add to what is known of the variation between
days, in blocks as long as the reference. Each block has a mean of its own, so that only differences
within it count: a slow change, which the test has not found yet, hardly enters the variance by
which it is to be found. A block counts once as many recordings after it have raised no alarm, and
never for the mean that recordings are compared with. What is known grows in doubled numbers of
blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.linalg import ScaledSpectrum
from dynid_plugins.fleet.drift.baseline import (
    SLOPE,
    Baseline,
    Resemblance,
    Series,
    cumulated,
    fit_baseline,
)
from dynid_plugins.fleet.drift.between_days import BetweenDays, Groups
from dynid_plugins.fleet.drift.causes import Cause
from dynid_plugins.fleet.drift.freedom import as_if_known, freedom_of_windows
from dynid_plugins.fleet.drift.reference import Span, find_variation

LENGTHS = (1, 2, 3, 5, 8, 13, 21, 34)
"""Lengths of windows [recordings]; a geometric series loses little against all (Lai 1995)."""

_SINGULAR = 1e-12
# beyond which the tail's leading term is used, before it is 0 in double precision
_LARGEST_EXACT_ARGUMENT = 300.0
MOST = 4
"""Blocks that are used at most: more would make little difference, and days change over years."""


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
        parts = ScaledSpectrum.of(weighted @ cause.signature).directions.T @ weighted
        rows += list(parts)
        owner += [number] * len(parts)
    return Contrasts(np.array(rows), np.array(owner), tuple(causes))


def contrast_series(
    span: Span, between: BetweenDays, contrasts: Contrasts, reference: int
) -> Series:
    """Return the contrasts of recordings with a component between days."""
    matrix, days = contrasts.matrix, between.days(span.within)
    variances, own = (
        (matrix @ one * matrix).sum(axis=-1)[span.kind] for one in (span.within + days, days)
    )
    return Series(
        span.values @ matrix.T,
        variances,
        np.sqrt(np.maximum(own, 0.0)),
        span.steps,
        span.temperatures,
        between.persistence.mean,
        freedom_of_windows(
            between, matrix, span.within.mean(axis=0), contrasts.owner, reference, LENGTHS
        ),
    )


class Stage(NamedTuple):
    """Recordings that are tested with the same estimate, counted from the begin of the reference.

    Attributes:
        reference: number of recordings of the reference.
        blocks: number of blocks that are known; the reference is the first.
        begin, end: the recordings.
    """

    reference: int
    blocks: int
    begin: int
    end: int

    def edges(self, start: int) -> list[tuple[int, int]]:
        """Return begin and end of each block, of a reference that begins at ``start``."""
        length = self.reference
        return [(start + i * length, start + (i + 1) * length) for i in range(self.blocks)]


def stages(reference: int, count: int) -> Iterator[Stage]:
    """Yield the stages of ``count`` recordings, of which the first ``reference`` are the reference.

    ``n`` blocks are known once ``n + 1`` have passed.
    """
    blocks, begin = 1, reference
    while begin < count:
        following = 2 * blocks
        end = count if following > MOST else min(count, (following + 1) * reference)
        yield Stage(reference, blocks, begin, end)
        blocks, begin = following, end


def scan(series: Series, baseline: Baseline, owner: NDArray[np.intp]) -> Array:
    """Return the statistic (T, causes): the largest z² summed over a cause's rows, over windows.

    Each is that of known variances which is as unlikely.

    Args:
        series: the contrasts after the reference.
        baseline: of the reference.
        owner: (c,) cause of each row.
    """
    count = len(series.sizes)
    design = baseline.design(series.temperatures, count)
    weight = 1 / series.variances
    departure = (series.sizes - design @ baseline.coefficients) * weight
    starts = np.flatnonzero(np.r_[True, np.diff(owner) > 0])
    best = np.zeros((count, len(starts)))
    sums = [cumulated(departure), cumulated(weight)]
    moments = cumulated(design[:, :, None] * weight[:, None, :])
    resemblance = Resemblance(series, baseline)
    rows = np.bincount(owner)
    for length in LENGTHS:
        if length > count:
            break
        total, information = (one[length:] - one[:-length] for one in sums)
        moment = moments[length:] - moments[:-length]
        extra = np.einsum("tdc,cde,tec->tc", moment, baseline.covariance, moment)
        variance = information + extra + resemblance.of_windows(length, moment)
        summed = np.add.reduceat(total**2 / variance, starts, axis=1)
        if length in series.freedom:
            summed = as_if_known(summed, rows, series.freedom[length])
        best[length - 1 :] = np.maximum(best[length - 1 :], summed)
    return best


def surprise(statistic: Array, owner: NDArray[np.intp]) -> Array:
    """Return minus the natural logarithm of the probability of such a statistic (…, causes)."""
    found = np.empty_like(statistic)
    for cause, freedom in enumerate(np.bincount(owner)):
        values = statistic[..., cause]
        if freedom == 1:
            found[..., cause] = -np.log(2) - scipy.special.log_ndtr(-np.sqrt(values))
        else:
            half = np.maximum(values / 2, 1.0)
            far = half - (freedom / 2 - 1) * np.log(half) + scipy.special.gammaln(freedom / 2)
            near = -scipy.stats.chi2.logsf(values, freedom)
            found[..., cause] = np.where(half > _LARGEST_EXACT_ARGUMENT, far, near)
    return found


class StageResult(NamedTuple):
    """What the recordings of a stage show, by what is known then.

    Attributes:
        between: component between days.
        series: all contrasts.
        baseline: of the reference.
        surprise: (recordings of the stage, causes).
    """

    between: BetweenDays
    series: Series
    baseline: Baseline
    surprise: Array


def evaluate_stage(
    span: Span,
    blocks: Sequence[tuple[int, int]],
    groups: Groups,
    contrasts: Contrasts,
    stage: Stage,
    start: int = 0,
) -> StageResult:
    """Test the recordings of a stage.

    Windows of earlier recordings after the reference end at them too.

    Args:
        span: all recordings.
        blocks: begin and end of those that show the variation between days.
        groups: of the parameters.
        contrasts: of the causes.
        stage: the recordings.
        start: first recording of the reference.
    """
    between = find_variation([span.part(*one) for one in blocks], groups)
    series = contrast_series(span, between, contrasts, stage.reference)
    prior = SLOPE * np.abs(contrasts.matrix @ np.diag(groups.sizes)).sum(axis=1)  # of slopes
    baseline = fit_baseline(series.part(start, start + stage.reference), prior)
    first = max(stage.reference, stage.begin - LENGTHS[-1] + 1)
    found = scan(series.part(start + first, start + stage.end), baseline, contrasts.owner)
    statistic = found[stage.begin - first :]
    return StageResult(between, series, baseline, surprise(statistic, contrasts.owner))
