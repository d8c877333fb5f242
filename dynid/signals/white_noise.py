"""White noise of a torque that varies smoothly."""

from __future__ import annotations

from math import comb

import numpy as np

from dynid.arrays import Array

_LOWEST_ORDER, _HIGHEST_ORDER = 2, 6  # order of differences
_FEWEST_SAMPLES = 50  # samples: of fewer no noise is estimated
_EXAMINED = 50_000  # samples
_SCATTER = 1.05  # of the estimates of two orders, two standard deviations for 4000 samples
_NORMAL = 1.4826  # standard deviation over median absolute value of a normal distribution


def white_noise(torque: Array) -> Array:
    """Estimate the standard deviation (n,) of white noise on torque (N, n).

    A difference of order p has the variance C(2p, p) σ² for white noise (Gasser, Sroka and
    Jennen-Steinmetz, Biometrika 73, 1986). What varies smoothly adds to low orders, and high orders
    scatter more: of several orders the lowest is used whose estimate is not larger than the
    smallest one beyond this scatter. The median is not affected by friction at reversals and by
    spikes.
    """
    if len(torque) < _FEWEST_SAMPLES:
        return np.zeros(torque.shape[1])
    differences = np.ascontiguousarray(torque[:_EXAMINED].T)
    rows = []
    for order in range(1, _HIGHEST_ORDER + 1):
        differences = np.diff(differences)
        if order >= _LOWEST_ORDER:
            size = np.median(np.abs(differences), axis=1, overwrite_input=True)
            rows.append(_NORMAL * size / np.sqrt(comb(2 * order, order)))
    levels = np.array(rows)
    lowest = np.argmax(levels <= _SCATTER * levels.min(axis=0), axis=0)
    return np.asarray(np.take_along_axis(levels, lowest[None], axis=0)[0])
