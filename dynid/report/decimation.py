"""Fewer samples for plots, without a lost peak.

Of every interval the smallest and the largest value are kept, in their order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array


def extremes(values: Array, size: int) -> Array:
    """Keep the smallest and the largest of every ``size`` values along axis 0, in their order.

    Args:
        values: (N, n); NaN are left out where an interval has others.
        size: of an interval; with 1 or 2 all values are kept.

    Returns:
        (2 * ceil(N / size), n), or the values themselves. Row r is at the time of row r * size / 2.
    """
    if size <= 2:
        return values
    return np.asarray(np.take_along_axis(values, _rows(values, size), axis=0))


def interval(samples: int, most: int) -> int:
    """Return the size of the intervals of which at most about ``most`` values are kept."""
    return 1 if samples <= most else -(-2 * samples // most)


def envelope(time: Array, values: Array, buckets: int) -> tuple[Array, Array]:
    """Keep the smallest and the largest value of each interval, at their times.

    Args:
        time: (N,).
        values: (N,).
        buckets: intervals with equal numbers of samples; at most two points of each are kept.

    Returns:
        Times and values, (M,) with M ≤ 2 * buckets + 2, or all of them if there are no more. The
        first and the last sample are always included.
    """
    count = len(values)
    if count <= 2 * buckets:
        return time, values
    rows = _rows(values[:, np.newaxis], -(-count // buckets))[:, 0]
    kept = np.unique(np.concatenate([[0], rows, [count - 1]]))
    return time[kept], values[kept]


def evenly(count: int, most: int) -> NDArray[np.intp]:
    """Return at most ``most`` of ``count`` rows, evenly spread."""
    return np.unique(np.linspace(0, max(count - 1, 0), min(count, most)).astype(np.intp))


def _rows(values: Array, size: int) -> NDArray[np.intp]:
    """Return the rows of the extremes of each interval, (2 * ceil(N / size), n)."""
    count = -(-len(values) // size)
    filled = np.concatenate([values, np.repeat(values[-1:], count * size - len(values), axis=0)])
    parts = filled.reshape(count, size, -1)
    low = np.where(np.isnan(parts), np.inf, parts).argmin(axis=1)
    high = np.where(np.isnan(parts), -np.inf, parts).argmax(axis=1)
    start = size * np.arange(count)[:, np.newaxis]
    pairs = np.stack([np.minimum(low, high) + start, np.maximum(low, high) + start], axis=1)
    return np.asarray(np.minimum(pairs.reshape(2 * count, -1), len(values) - 1))
