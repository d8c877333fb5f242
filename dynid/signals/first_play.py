"""How far positions at rest appear to move, by encoder steps and noise."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array

_STEPS = 2.0  # both the first position and a later one are uncertain by a step
_DEVIATIONS = 6.0  # of noise: range of a thousand normally distributed positions
_WINDOW = 0.5  # [s] at the start
_THIRD_DIFFERENCE = np.sqrt(20.0)  # its standard deviation over that of white noise: 1, 3, 3, 1


def first_play(position: Array, step: Array, rate: float) -> Array:
    """Return how far each joint can appear to move at the start without moving; (n,) [rad or m].

    Noise is that of the third differences of the first half second, which motion hardly changes.

    Args:
        position: (N, n) unfiltered.
        step: (n,) between recorded positions; 0 where there is none.
        rate: [Hz].
    """
    start = position[: max(8, round(_WINDOW * rate))]
    third = np.diff(start, n=3, axis=0)
    noise = np.sqrt(np.mean(third**2, axis=0)) / _THIRD_DIFFERENCE
    return np.asarray(np.maximum(_STEPS * step, _DEVIATIONS * noise))
