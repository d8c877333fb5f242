"""Uncertainty of parameters from the unknown time between a sample's torque and its position.

A drive reports, at the end of a control cycle, the position of that instant and a torque that it
averaged over the cycle: half a sampling period earlier. Others sample both at any instants of the
cycle. A recording does not state it, and least squares changes it into friction and inertia.
"""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.estimation.regression import Rows

SKEW = 0.5
"""Standard deviation of the time between torque and position, in sampling periods."""


def skew_error(rows: Rows, model: Array) -> Array:
    """Return the torque error (m, n) at each row due to this time [N m or N].

    A torque that is late by d is W b - d d(W b)/dt to first order.

    Args:
        rows: of one recording.
        model: (m, n) torque W b of the model at the rows [N m or N].
    """
    # a row of the decimated rate is ``decimation`` sampling periods
    return np.gradient(model, axis=0) * (SKEW / rows.parallel_filter.decimation)
