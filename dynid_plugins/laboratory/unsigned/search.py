"""Segments of torque with a constant sign, and a beam search over their signs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid_plugins.laboratory.unsigned.drive_rows import DriveRows

_NEAR_ZERO = 0.1  # share of samples ignored, those closest to zero (Pennese and Vulcano, 2.4)
_FEWEST_ROWS = 3  # rows of a segment
_WIDTH = 5  # hypotheses kept (Pennese and Vulcano, section 2.4)
_MOST_SEGMENTS = 1500  # that are searched, those with most torque; others get the model's sign
_GUESSED_ERROR = 0.1  # initial torque error over torque
_SMALLEST_NORM = 1e-12  # of a column's squared norm, relative to the largest


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


@dataclass(frozen=True)
class SegmentEquations:
    """Normal equations of segments with absolute torque.

    The sign of a segment changes only the sign of its ``right``. For signs s the squared error at
    the best parameters is ``sum(squared) - sᵀ G s`` with G of :meth:`gain`.

    Attributes:
        drive: (S,) drive of each segment.
        matrix: (S, k, k) sums of ``wᵀ w``.
        right: (S, k) sums of ``wᵀ |τ|``.
        squared: (S,) sums of ``|τ|²``.
        rows: (S,) number of rows.
    """

    drive: NDArray[np.intp]
    matrix: Array
    right: Array
    squared: Array
    rows: Array

    def weighted(self, weight: Array) -> SegmentEquations:
        """Return the equations with squared errors multiplied by ``weight`` (n,) of the drives."""
        by = weight[self.drive]
        return SegmentEquations(
            self.drive,
            by[:, None, None] * self.matrix,
            by[:, None] * self.right,
            by * self.squared,
            self.rows,
        )

    def prior(self) -> Array:
        """Return the prior precision of the parameters (k,), with mean zero.

        Its standard deviation is the value with which a parameter alone causes the torque of a
        drive, so that segments with few rows do not fit equally well with any sign.
        """
        norms = np.einsum("skk->k", self.matrix)
        floor = np.maximum(norms, _SMALLEST_NORM * norms.max())
        return np.asarray(floor * len(np.unique(self.drive)) / self.squared.sum())

    def gain(self) -> Array:
        """Return G (S, S), with which ``sᵀ G s`` is the squared torque explained with signs s."""
        factor = scipy.linalg.cho_factor(self.matrix.sum(axis=0) + np.diag(self.prior()))
        return np.asarray(self.right @ scipy.linalg.cho_solve(factor, self.right.T))

    def solve(self, signs: Array) -> Array:
        """Solve for base parameters (k,) with these signs (S,)."""
        factor = scipy.linalg.cho_factor(self.matrix.sum(axis=0) + np.diag(self.prior()))
        return np.asarray(scipy.linalg.cho_solve(factor, signs @ self.right))


def largest_segments(rows: Sequence[DriveRows], segments: list[Segment]) -> list[Segment]:
    """Return the segments for the search, those with the most information first."""
    mean = _mean_square(rows)

    def information(segment: Segment) -> float:
        size = rows[segment.recording].searched[segment.rows, segment.drive]
        return float(size @ size / mean[segment.drive])

    return sorted(segments, key=information, reverse=True)[:_MOST_SEGMENTS]


def segment_equations(rows: Sequence[DriveRows], segments: Sequence[Segment]) -> SegmentEquations:
    """Build the normal equations of each segment [(N m)² or N²]."""
    count, k = len(segments), rows[0].regressor.shape[2]
    matrix, right, squared = np.zeros((count, k, k)), np.zeros((count, k)), np.zeros(count)
    for i, segment in enumerate(segments):
        one = rows[segment.recording]
        regressor = one.regressor[segment.rows, segment.drive]
        size = one.searched[segment.rows, segment.drive]
        matrix[i], right[i], squared[i] = regressor.T @ regressor, size @ regressor, size @ size
    lengths = np.array([s.rows.stop - s.rows.start for s in segments], dtype=float)
    drive = np.array([s.drive for s in segments], dtype=np.intp)
    return SegmentEquations(drive, matrix, right, squared, lengths)


def first_weights(rows: Sequence[DriveRows]) -> Array:
    """Return the initial inverse variance of each drive's torque error (n,), from its torque."""
    return np.asarray(1 / (_GUESSED_ERROR**2 * _mean_square(rows)))


def beam_search(equations: SegmentEquations) -> Array:
    """Search the signs (S,) of the segments in their order; the first is 1 by convention.

    All hypotheses of a level have the same matrix and different right-hand sides, so one
    triangular factor is enough.
    """
    matrix = np.diag(equations.prior())
    right = np.zeros((1, matrix.shape[0]))
    signs = np.zeros((1, 0))
    for segment, addition in zip(equations.matrix, equations.right, strict=True):
        matrix = matrix + segment
        ways = (1.0,) if signs.shape[1] == 0 else (1.0, -1.0)
        right = np.concatenate([right + way * addition for way in ways])
        signs = np.concatenate([np.column_stack([signs, np.full(len(signs), way)]) for way in ways])
        solved = scipy.linalg.cho_solve(scipy.linalg.cho_factor(matrix), right.T).T
        best = np.argsort(-np.einsum("ik,ik->i", right, solved), kind="stable")[:_WIDTH]
        right, signs = right[best], signs[best]
    return np.asarray(signs[0])


def improve(gain: Array, signs: Array) -> Array:
    """Flip the segment with the largest improvement, one at a time, until none improves."""
    signs = np.array(signs)
    pull, own = gain @ signs, np.diag(gain)
    for _ in range(10 * len(signs)):
        better = own - signs * pull
        best = int(np.argmax(better))
        if better[best] <= 1e-9 * abs(float(signs @ pull)):
            break
        pull -= 2 * signs[best] * gain[:, best]
        signs[best] *= -1
    return signs


def turning_cost(gain: Array, signs: Array) -> Array:
    """Return the increase of the squared error if one segment is flipped (S,), after a new fit."""
    return np.asarray(4 * (signs * (gain @ signs) - np.diag(gain)))


def _mean_square(rows: Sequence[DriveRows]) -> Array:
    mean = np.mean(np.concatenate([one.searched for one in rows]) ** 2, axis=0)
    return np.where(mean > 0, mean, 1.0)  # drives without torque have no segment
