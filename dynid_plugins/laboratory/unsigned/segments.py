"""Segments of torque with a constant sign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid_plugins.laboratory.unsigned.drive_rows import DriveRows

_NEAR_ZERO = 0.1  # share of samples ignored, those closest to zero (Pennese and Vulcano, 2.4)
_FEWEST_ROWS = 3  # rows of a segment


@dataclass(frozen=True)
class Segment:
    """Rows of one drive in one recording with the same unknown sign."""

    recording: int
    drive: int
    rows: slice


def find_segments(rows: Sequence[DriveRows], cutoff_hz: float | None) -> list[Segment]:
    """Divide every drive's torque where its sign may change, without the samples near zero.

    The sign may change where the absolute value is near zero, where it has a minimum that is too
    short for a sample near zero, and where the drive reverses, because of Coulomb friction. Only
    for this, the absolute value is averaged over a period of ``cutoff_hz`` against noise.

    Raises:
        EstimationError: no segment is long enough.
    """
    found = [
        Segment(number, drive, span)
        for number, one in enumerate(rows)
        for drive in range(one.size.shape[1])
        for span in _spans(one, drive, cutoff_hz)
    ]
    if not found:
        raise EstimationError(
            "the torque is always near zero, or changes from sample to sample, so its signs cannot "
            "be found; record longer motion with more torque."
        )
    return found


def _spans(rows: DriveRows, drive: int, cutoff_hz: float | None) -> Iterator[slice]:
    rate = rows.signals.sampling_rate / rows.stride
    window = 1 if cutoff_hz is None else max(1, min(len(rows.searched), round(rate / cutoff_hz)))
    size = scipy.ndimage.uniform_filter1d(rows.searched[:, drive], window)
    threshold = float(np.quantile(size, _NEAR_ZERO))
    if size.max() <= 0:
        return
    apart = size > threshold
    forwards = rows.velocity[:: rows.stride, drive] > 0
    cut = np.zeros(len(size), dtype=bool)
    cut[1:] = (apart[1:] != apart[:-1]) | (forwards[1:] != forwards[:-1])
    dips, _ = scipy.signal.find_peaks(-size, prominence=max(threshold, _smallest(size)))
    cut[dips] = True
    edges = [0, *np.flatnonzero(cut), len(size)]
    for start, stop in pairwise(edges):
        if stop - start >= max(_FEWEST_ROWS, window) and apart[start]:
            yield slice(int(start), int(stop))


def _smallest(size: Array) -> float:
    """Return the least depth of a minimum, needed if a tenth of the samples is zero."""
    return 0.01 * float(size.max())
