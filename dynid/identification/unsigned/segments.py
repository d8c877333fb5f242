"""Stretches of torque that cannot have changed its sign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.ndimage import uniform_filter1d
from scipy.signal import find_peaks

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.identification.unsigned.drive_rows import DriveRows

_NEAR_ZERO = 0.1  # share of samples left out, those closest to zero (Pennese and Vulcano, 2.4)
_FEWEST = 3  # rows of a segment


@dataclass(frozen=True)
class Segment:
    """Rows of one drive in one recording, all with the same unknown sign."""

    recording: int
    drive: int
    rows: slice


def find_segments(rows: Sequence[DriveRows], cutoff_hz: float | None) -> list[Segment]:
    """Cut every drive's torque where its sign may change, and leave the samples near zero out.

    It may change where the size comes near zero, where it dips towards zero too fast for a sample
    to be near it, and where the drive turns back: Coulomb friction jumps there. For this alone the
    size is averaged over a period of ``cutoff_hz``, so that noise does not cut.

    Raises:
        EstimationError: nothing is long enough.
    """
    found = [
        Segment(number, drive, span)
        for number, one in enumerate(rows)
        for drive in range(one.size.shape[1])
        for span in _spans(one, drive, cutoff_hz)
    ]
    if not found:
        raise EstimationError(
            "the torque stays near zero, or changes from sample to sample: signs cannot be found "
            "in it; record a longer or stronger motion."
        )
    return found


def _spans(rows: DriveRows, drive: int, cutoff_hz: float | None) -> Iterator[slice]:
    rate = rows.signals.sampling_rate / rows.stride
    window = 1 if cutoff_hz is None else max(1, min(len(rows.searched), round(rate / cutoff_hz)))
    size = uniform_filter1d(rows.searched[:, drive], window)
    threshold = float(np.quantile(size, _NEAR_ZERO))
    if size.max() <= 0:
        return
    apart = size > threshold
    forwards = rows.velocity[:: rows.stride, drive] > 0
    cut = np.zeros(len(size), dtype=bool)
    cut[1:] = (apart[1:] != apart[:-1]) | (forwards[1:] != forwards[:-1])
    dips, _ = find_peaks(-size, prominence=max(threshold, _smallest(size)))
    cut[dips] = True
    edges = [0, *np.flatnonzero(cut), len(size)]
    for start, stop in pairwise(edges):
        if stop - start >= max(_FEWEST, window) and apart[start]:
            yield slice(int(start), int(stop))


def _smallest(size: Array) -> float:
    """A dip that is less deep is none, where even a tenth of the samples is at zero."""
    return 0.01 * float(size.max())
