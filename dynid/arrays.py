"""Array types used in all packages, and pieces of large arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator

Array = NDArray[np.float64]
"""Array of float64, time along axis 0, joints along axis 1; each docstring gives the shape."""
Vector = tuple[float, float, float]
"""x, y and z."""

_BYTES = 8_000_000
"""Of an array in one piece: it fits into a processor's cache, and loops in Python stay short."""


def pieces(count: int, numbers: int) -> Iterator[slice]:
    """Yield slices that divide rows into pieces of a few megabytes, so that memory stays bounded.

    Args:
        count: of the rows.
        numbers: float64 values in each row.
    """
    step = max(1, _BYTES // (8 * max(1, numbers)))
    for first in range(0, count, step):
        yield slice(first, min(first + step, count))
