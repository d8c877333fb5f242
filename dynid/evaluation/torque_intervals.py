"""Intervals that contain the torque of a joint: quantiles of the errors on unseen data.

The quantile of absolute errors of data that were not fitted covers new data of the same kind with
its probability, whatever their distribution (split conformal prediction; Vovk, Gammerman and
Shafer, Algorithmic Learning in a Random World, 2005; Lei et al., J. Am. Stat. Assoc. 113, 2018).
Samples in motion and at rest have quantiles of their own, since friction at rest is undetermined.
"""

from __future__ import annotations

from math import nan

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array

COVERAGE = 0.95
"""Share of the samples that an interval contains."""
_FEWEST_SAMPLES = 20  # of a 95 % quantile


def torque_intervals(
    error: Array, moving: NDArray[np.bool_], static_friction: float
) -> tuple[float, float]:
    """Return the half-width of the interval in motion and at rest [N m or N].

    Args:
        error: (N,) torque error of one joint on unseen data [N m or N].
        moving: (N,) whether it moves.
        static_friction: by which friction can hold it at rest; NaN: not known. It is the interval
            at rest, where errors there are smaller.
    """
    in_motion, at_rest = (_half_width(error[chosen]) for chosen in (moving, ~moving))
    if np.isnan(at_rest):
        at_rest = in_motion
    if np.isfinite(at_rest):
        at_rest = float(np.fmax(at_rest, static_friction))
    return in_motion, at_rest


def _half_width(error: Array) -> float:
    """Return the quantile of the absolute errors, with the correction for their number."""
    count = len(error)
    if count < _FEWEST_SAMPLES or not np.isfinite(error).all():
        return nan
    level = min(np.ceil((count + 1) * COVERAGE) / count, 1.0)
    return float(np.quantile(np.abs(error), level))
