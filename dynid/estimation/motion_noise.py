"""The noise that filters leave in position, velocity and acceleration."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.signals.signals import Signals


class MotionNoise(NamedTuple):
    """One realisation of what sensors' noise comes to behind the filters.

    Attributes:
        deviation: (n,) standard deviation of the measured positions' noise [rad or m].
        position, velocity, acceleration: (N, n) errors of the filtered signals.
    """

    deviation: Array
    position: Array
    velocity: Array
    acceleration: Array


def motion_noise(signals: Signals) -> MotionNoise:
    """Make white noise as large as the measured positions', and filter it as they were.

    What the filters took from the positions tells how large it is: they take the same share of
    white noise of known size.

    Raises:
        EstimationError: nothing was filtered from the positions, or velocities were measured too.
    """
    filters = signals.motion_filter
    if filters is None:
        message = (
            "the noise of measured velocities is not known; use velocity: differentiated, or "
            "another estimator than this."
        )
        raise EstimationError(message)
    # near the ends, filters guess what lies beyond
    edge = len(signals.time) // 20
    inner = slice(edge, len(signals.time) - edge)
    taken = np.std((signals.raw_position - signals.position)[inner], axis=0)
    white = np.random.default_rng(0).standard_normal(signals.raw_position.shape)
    position, velocity, acceleration = filters.motion(white)
    share = np.std((white - position)[inner], axis=0)
    if not share.all():
        message = (
            "positions are not filtered, so that their noise cannot be told from motion; set "
            "cutoff_hz or derivatives: kalman."
        )
        raise EstimationError(message)
    deviation = taken / share
    return MotionNoise(
        deviation, position * deviation, velocity * deviation, acceleration * deviation
    )
