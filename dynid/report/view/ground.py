"""The grid that a robot stands on."""

from __future__ import annotations

import math


def grid_step(reach: float) -> float:
    """Return a power of ten [m] that fits a robot of such a reach [m], between its lines."""
    return float(10.0 ** math.floor(math.log10(reach / 2)))
