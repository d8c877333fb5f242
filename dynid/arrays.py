"""Array types used in all packages, pieces of large arrays, and runs of flags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynid.errors import ArgumentError

Array = NDArray[np.float64]
"""Array of float64, time along axis 0, joints along axis 1; each docstring gives the shape."""
Vector = tuple[float, float, float]
"""x, y and z."""

_BYTES = 8_000_000
"""Of an array in one piece: it fits into a processor's cache, and loops in Python stay short."""


def as_numbers(name: str, values: ArrayLike) -> Array:
    """Return a new array of the values, in C order.

    Args:
        name: of the function and its argument.
        values: what numpy makes an array of.

    Raises:
        ArgumentError: they are not real numbers.
    """
    try:
        given = np.asarray(values)
        if given.dtype.kind != "c":  # numpy would leave out the imaginary part
            return np.array(given, np.float64, order="C")
    except (TypeError, ValueError):
        pass
    raise ArgumentError(f"{name} must be an array of numbers.")


def pieces(count: int, numbers: int) -> Iterator[slice]:
    """Yield slices that divide rows into pieces of a few megabytes, so that memory stays bounded.

    Args:
        count: of the rows.
        numbers: float64 values in each row.
    """
    step = max(1, _BYTES // (8 * max(1, numbers)))
    for first in range(0, count, step):
        yield slice(first, min(first + step, count))


def runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return each run of consecutive true flags (N,): first index, and index past the last."""
    edges = np.flatnonzero(np.diff(flags.astype(np.int8), prepend=0, append=0))
    return [(int(first), int(past)) for first, past in edges.reshape(-1, 2)]


def in_runs(spans: Iterable[tuple[int, int]], count: int) -> NDArray[np.bool_]:
    """Return which of ``count`` indices are in runs, the inverse of :func:`runs`; (count,)."""
    flags = np.zeros(count, dtype=bool)
    for first, past in spans:
        flags[first:past] = True
    return flags
