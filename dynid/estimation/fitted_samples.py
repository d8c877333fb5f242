"""Which samples are fitted."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.signals.filters import ParallelFilter
from dynid.signals.signals import Signals

_LEAST_LEFT = 0.5  # of a joint's samples in motion, after leaving out those near rest


def fitted_samples(
    signals: Signals, parallel_filter: ParallelFilter, *, fit_all: bool | NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the samples (N, n) that are fitted.

    Where samples at rest are not fitted, their torque is unknown: a joint that sticks at a reversal
    has any torque between the limits of static friction. Filters mix it into the samples beside it.
    So a sample is left out too if such a reversal is closer than 1/f, f the lowest cut-off of all
    filters: a low-pass of order 4 has settled to 2 % by then. For a joint that reverses so often
    that less than half of its samples in motion would be left, this distance is halved until they
    are. Samples that were missing and interpolated are left out too.

    Args:
        signals: of the recording.
        parallel_filter: of torque and regressor.
        fit_all: whether samples at rest are fitted too, of all joints or of each (n,).
    """
    moving = signals.moving
    result = moving | fit_all
    measured = True if signals.missing is None else ~signals.missing[:, None]
    reach = settling_samples(signals, parallel_filter)
    for joint in np.flatnonzero(~np.broadcast_to(fit_all, moving.shape[1])).tolist():
        for distance in _halved(int(reach[joint])):
            left = moving[:, joint] & ~near_rest(signals, joint, distance)
            if left.sum() >= _LEAST_LEFT * moving[:, joint].sum():
                result[:, joint] = left
                break
    return result & measured


def near_rest(signals: Signals, joint: int, distance: int) -> NDArray[np.bool_]:
    """Return the samples (N,) up to ``distance`` samples from a reversal or rest of a joint.

    This is a run of samples below the velocity threshold in which the velocity changes its sign.
    """
    velocity = signals.velocity[:, joint]
    slow = np.abs(velocity) <= signals.velocity_threshold[joint]
    slow[1:] |= velocity[1:] * velocity[:-1] < 0
    slow[:-1] |= slow[1:] & (velocity[1:] * velocity[:-1] < 0)
    starts = np.flatnonzero(np.diff(slow, prepend=not slow[0]))  # of runs, slow or not
    lowest, highest = (of.reduceat(velocity, starts) for of in (np.minimum, np.maximum))
    reverses = slow[starts] & (lowest * highest <= 0)
    rest = np.repeat(reverses, np.diff(starts, append=len(slow)))
    return np.asarray(scipy.ndimage.maximum_filter1d(rest, 2 * distance + 1, mode="nearest"))


def settling_samples(signals: Signals, parallel_filter: ParallelFilter) -> NDArray[np.intp]:
    """Return 1/f of each joint in samples (n,); 0 without filters."""
    motion = signals.motion_filter
    bandwidth = np.inf if motion is None else motion.bandwidth_hz
    lowest = np.minimum(bandwidth, parallel_filter.bandwidth_hz)
    samples = (signals.sampling_rate / lowest).astype(np.intp)
    return np.broadcast_to(samples, signals.position.shape[1:])


def _halved(distance: int) -> list[int]:
    """Return the distance, its half, and so on down to one sample; [0] for 0."""
    return [distance >> n for n in range(max(distance.bit_length(), 1))]
