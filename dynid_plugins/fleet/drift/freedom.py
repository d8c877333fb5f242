"""Degrees of freedom of the variances that windows are tested with.

A variance that few recordings determine is often too small, and what it divides then seems large.
The variance of the difference between a window's mean and that of the reference is a sum: noise,
which is known, and the parts of the variation between days, each with degrees of freedom of its
own, times what the uncertain correlation of days makes of them. Its degrees of freedom are those of
a chi-squared distribution with the same mean and variance (Satterthwaite, Biometrics Bulletin 2,
1946). A statistic over such a variance has an F distribution, and a logarithm brings it back to a
chi-squared one (Bartlett, Proc. R. Soc. A 160, 1937; for one row also Wallace, Ann. Math. Stat. 30,
1959). So causes whose variance is well known are not tested as if it was not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid_plugins.fleet.drift.between_days import BetweenDays
from dynid_plugins.fleet.drift.persistence import GRID, share_of_mean

_FEWEST_DEGREES_OF_FREEDOM = 1.0  # degrees of freedom; below, a variance is not known at all
_NONE = 1e-12  # relative variance of a variance that is known


def freedom_of_windows(
    between: BetweenDays,
    matrix: Array,
    within: Array,
    owner: NDArray[np.intp],
    reference: int,
    lengths: Sequence[int],
) -> dict[int, Array]:
    """Return degrees of freedom (causes,) of the variances of windows, by their length.

    Args:
        between: component between days, as it was estimated.
        matrix: (c, k) contrasts.
        within: (k, k) covariance within a typical recording.
        owner: (c,) cause of each contrast; its rows' harmonic mean is taken.
        reference: number of recordings of the reference.
        lengths: (l,) numbers of recordings of windows.
    """
    known = between.persistence
    noise = (matrix @ within * matrix).sum(axis=1)
    parts = between.parts(matrix, within)
    independent = 1 / np.array(lengths, dtype=float) + 1 / reference
    share = _shares(tuple(lengths), reference) * (known.inflation / known.mean_inflation)
    mean = share @ known.chances
    spread = np.maximum(share**2 @ known.chances - mean**2, 0.0)
    total = np.outer(independent, noise) + np.outer(mean, parts.sum(axis=0))
    freedom = between.freedom_if(known.mean)
    estimated = np.outer(mean**2, (2 / freedom) @ parts**2)
    uncertain = (estimated + np.outer(spread, parts.sum(axis=0) ** 2)) / total**2
    starts = np.flatnonzero(np.r_[True, np.diff(owner) > 0])
    rows = np.add.reduceat(uncertain, starts, axis=1) / np.bincount(owner)
    found = np.maximum(2 / np.maximum(rows, _NONE), _FEWEST_DEGREES_OF_FREEDOM)
    return dict(zip(lengths, found, strict=True))


def as_if_known(statistic: Array, rows: NDArray[np.intp], freedom: Array) -> Array:
    """Return the chi-squared statistics that are as unlikely as those with estimated variances.

    Args:
        statistic: (…, causes) sums of squares over the variance of each.
        rows: (causes,) number of squares.
        freedom: (causes,) degrees of freedom of the variances.
    """
    return np.asarray((freedom + rows / 2 - 1) * np.log1p(statistic / freedom))


def as_estimated(statistic: Array, rows: NDArray[np.intp], freedom: Array) -> Array:
    """Return what ``as_if_known`` makes ``statistic`` from."""
    with np.errstate(over="ignore"):
        return np.asarray(freedom * np.expm1(statistic / (freedom + rows / 2 - 1)))


@cache
def _shares(lengths: tuple[int, ...], reference: int) -> Array:
    """Return variances (l, 11) of windows against the reference, of days of unit variance.

    At each correlation of ``GRID``, as if a window was far from the reference.
    """
    first = np.array([share_of_mean(np.arange(float(reference)), rho) for rho in GRID])
    windows = [[share_of_mean(np.arange(float(one)), rho) for rho in GRID] for one in lengths]
    return np.asarray(np.array(windows) + first)
