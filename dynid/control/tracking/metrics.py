"""Measures of a tracking error."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.errors import SimulationError


def settling_time(error: Array, step: float, window: float, hold: float) -> float:
    """Return when an error enters a window and stays there [s].

    softMC's settling (PESETTLE, TIMESETTLE), but over the whole rest of the record.

    Args:
        error: its size (N,), from the end of the commanded motion on.
        step: time between samples [s].
        window: largest size of a settled error.
        hold: shortest time for which the error must be settled [s].

    Raises:
        SimulationError: it does not settle within the record.
    """
    outside = np.flatnonzero(error > window)
    first = int(outside[-1]) + 1 if len(outside) else 0
    if (len(error) - first) * step < hold:
        message = (
            f"tracking: the tool is {error[-1]:.3g} m from its goal at the end, outside "
            f"settle_window {window:g} m; increase 'hold' or 'settle_window'."
        )
        raise SimulationError(message)
    return first * step


def peak_to_peak(error: Array) -> float:
    """Return the range of an error (N,)."""
    return float(np.ptp(error))
