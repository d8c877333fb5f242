"""Long signals drawn with few points that look the same."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray


def envelope(time: Array, values: Array, buckets: int) -> tuple[Array, Array]:
    """Keep the smallest and largest value of each bucket, in their order; no peak is lost.

    Args:
        time: (N,).
        values: (N,).
        buckets: Stretches of equally many samples; at most two points of each are kept.

    Returns:
        Times and values, (M,) with M ≤ 2 * buckets + 2, or all of them if there are no more. The
        first and the last sample are always among them.
    """
    count = len(values)
    if count <= 2 * buckets:
        return time, values
    edges = np.linspace(0, count, buckets + 1).astype(int)
    kept = {0, count - 1}
    for first, past in pairwise(edges):
        part = values[first:past]
        kept.update((int(first + np.argmin(part)), int(first + np.argmax(part))))
    rows = np.array(sorted(kept))
    return time[rows], values[rows]


def evenly(count: int, most: int) -> NDArray[np.intp]:
    """Return at most ``most`` of ``count`` rows, evenly spread."""
    return np.unique(np.linspace(0, max(count - 1, 0), min(count, most)).astype(np.intp))
