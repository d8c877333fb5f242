"""Samples that are sent again before the source has measured the next one.

A publisher that is a little faster than its source sends a sample twice every now and then. Its
stamps are up to a step late, with each sample less, then a whole step again. So positions seem to
stop: at 0.5 rad/s and 30 Hz they are wrong by up to 0.02 rad, which differentiated twice is more
than any acceleration of the robot.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.recording.samples import NANOSECONDS, Samples

_FEWEST_REPEATS = 3  # repeats: fewer give no rate of the source
# steps of the stamps: lateness of a regular source is at most one, and its rate may drift a little
_LARGEST_LATENESS = 1.5
_HALFWAY = 0.5  # from a ratio of 1 to those of 0 and 2


def without_repeats(samples: Samples) -> Samples:
    """Return the samples without those sent again, at the times of their regular source.

    A sample is sent again if position, velocity and effort of all joints equal those before. The
    source is regular where its stamps differ from equal steps by hardly more than a step of the
    stamps, and the robot moves as far over a repeat as over any other step. Otherwise, such as
    with a robot that rests without noise, the samples are returned as they are.

    Args:
        samples: N, with increasing stamps.
    """
    same = np.all([(values[1:] == values[:-1]).all(axis=1) for values in samples.signals], axis=0)
    kept = np.concatenate([[True], ~same])
    count = len(kept) - int(kept.sum())
    if count < _FEWEST_REPEATS or len(kept) - count < _FEWEST_REPEATS:
        return samples
    measured = samples.take(kept)
    step, lateness = _regular(measured.seconds)
    over_repeat = np.flatnonzero(np.diff(np.flatnonzero(kept)) > 1)
    if lateness > _LARGEST_LATENESS * np.median(
        np.diff(samples.seconds)
    ) or not _moves_as_elsewhere(measured.position, over_repeat):
        return samples
    times = np.rint(step * NANOSECONDS * np.arange(len(measured))).astype(np.int64)
    return replace(measured, stamps=measured.stamps[0] + times).noting(
        f"{count} of {len(samples)} samples were sent twice and were dropped; the others got the "
        f"regular times of their source, {1 / step:.4g} Hz, as their stamps were up to "
        f"{1e3 * lateness:.3g} ms late."
    )


def _regular(seconds: NDArray[np.float64]) -> tuple[float, float]:
    """Return the step of regular times nearest to others, and the range of the distances [s]."""
    number = np.arange(len(seconds))
    mean = seconds[-1] / number[-1]

    def distances(step: float) -> float:
        return float(np.ptp(seconds - step * number))

    reach = 2 * distances(mean) / number[-1]
    found = scipy.optimize.minimize_scalar(
        distances, bounds=(mean - reach, mean + reach), method="bounded"
    )
    return float(found.x), float(found.fun)


def _moves_as_elsewhere(position: NDArray[np.float64], places: NDArray[np.intp]) -> bool:
    """Return whether the steps at ``places`` are as large as those beside them, and this is sure.

    The ratio would be 2 where another sample was lost, and 0 where nothing can be told from the
    steps beside; its standard error is that of a regression through the origin.
    """
    steps = np.diff(position, axis=0)
    places = places[(places > 0) & (places < len(steps) - 1)]
    beside = ((steps[places - 1] + steps[places + 1]) / 2).ravel()
    over = steps[places].ravel()
    total = float(beside @ beside)
    if total == 0 or len(over) < 2:
        return False
    ratio = float(over @ beside) / total
    error = float(np.sqrt(np.sum((over - ratio * beside) ** 2) / (len(over) - 1) / total))
    return abs(ratio - 1) + 2 * error < _HALFWAY
