"""Pieces in which large arrays are computed, so that memory does not grow with the series."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BYTES = 8_000_000
"""Of an array in one piece: it fits into a processor's cache, and loops in Python stay short."""


def pieces(count: int, numbers: int) -> Iterator[slice]:
    """Yield slices that divide rows into pieces of a few megabytes.

    Args:
        count: of the rows.
        numbers: float64 values in each row.
    """
    step = max(1, _BYTES // (8 * max(1, numbers)))
    for first in range(0, count, step):
        yield slice(first, min(first + step, count))
