"""Beam search over the signs of segments, on their normal equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from dynid.arrays import Array
from dynid.identification.unsigned.drive_rows import DriveRows
from dynid.identification.unsigned.segments import Segment

_WIDTH = 5  # hypotheses kept (Pennese and Vulcano, section 2.4)
_MOST_SEGMENTS = 1500  # that are searched, those with most torque; the model signs the others
_GUESSED_ERROR = 0.1  # torque error over torque, before anything is known
_SMALLEST = 1e-12  # of a column's squared norm, relative to the largest


@dataclass(frozen=True)
class SegmentEquations:
    """Normal equations of segments, with the size of torque in place of torque.

    Turning a segment's sign round turns ``right`` round and leaves all else: for signs s the
    squared error at the best parameters is ``sum(squared) - sᵀ G s``, with G of :meth:`gain`.

    Attributes:
        drive: (S,) drive of each segment.
        matrix: (S, k, k) sums of ``wᵀ w``.
        right: (S, k) sums of ``wᵀ |τ|``.
        squared: (S,) sums of ``|τ|²``.
        rows: (S,) how many rows.
    """

    drive: NDArray[np.intp]
    matrix: Array
    right: Array
    squared: Array
    rows: Array

    def weighted(self, weight: Array) -> SegmentEquations:
        """The same with squared errors multiplied by ``weight`` (n,) of their drives."""
        by = weight[self.drive]
        return SegmentEquations(
            self.drive,
            by[:, None, None] * self.matrix,
            by[:, None] * self.right,
            by * self.squared,
            self.rows,
        )

    def prior(self) -> Array:
        """What is assumed before any segment counts (k,): no torque, and less the more it is.

        Each parameter by itself makes, give or take, the torque of a drive, so that segments that
        have more parameters than information do not fit any sign whatever.
        """
        norms = np.einsum("skk->k", self.matrix)
        floor = np.maximum(norms, _SMALLEST * norms.max())
        return np.asarray(floor * len(np.unique(self.drive)) / self.squared.sum())

    def gain(self) -> Array:
        """G (S, S): how much of the squared torque is explained with signs s is ``sᵀ G s``."""
        factor = cho_factor(self.matrix.sum(axis=0) + np.diag(self.prior()))
        return np.asarray(self.right @ cho_solve(factor, self.right.T))

    def solve(self, signs: Array) -> Array:
        """Base parameters (k,) with these signs."""
        factor = cho_factor(self.matrix.sum(axis=0) + np.diag(self.prior()))
        return np.asarray(cho_solve(factor, signs @ self.right))


def largest_segments(rows: Sequence[DriveRows], segments: list[Segment]) -> list[Segment]:
    """Those that the search can afford, in the order in which they say most."""
    mean = _mean_square(rows)

    def information(segment: Segment) -> float:
        size = rows[segment.recording].searched[segment.rows, segment.drive]
        return float(size @ size / mean[segment.drive])

    return sorted(segments, key=information, reverse=True)[:_MOST_SEGMENTS]


def segment_equations(rows: Sequence[DriveRows], segments: Sequence[Segment]) -> SegmentEquations:
    """Normal equations of each segment, in [N m]²."""
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
    """Inverse variance of each drive's torque error (n,), guessed from its torque."""
    return np.asarray(1 / (_GUESSED_ERROR**2 * _mean_square(rows)))


def beam_search(equations: SegmentEquations) -> Array:
    """Signs (S,) of the segments, taken in their order; the first is 1 as all may be turned round.

    All hypotheses of a level have one matrix, whose triangular factor serves them all; they differ
    in their right sides only.
    """
    matrix = np.diag(equations.prior())
    right = np.zeros((1, matrix.shape[0]))
    signs = np.zeros((1, 0))
    for segment, addition in zip(equations.matrix, equations.right, strict=True):
        matrix = matrix + segment
        ways = (1.0,) if signs.shape[1] == 0 else (1.0, -1.0)
        right = np.concatenate([right + way * addition for way in ways])
        signs = np.concatenate([np.column_stack([signs, np.full(len(signs), way)]) for way in ways])
        solved = cho_solve(cho_factor(matrix), right.T).T
        best = np.argsort(-np.einsum("ik,ik->i", right, solved), kind="stable")[:_WIDTH]
        right, signs = right[best], signs[best]
    return np.asarray(signs[0])


def improve(gain: Array, signs: Array) -> Array:
    """Turn one segment round at a time, that which explains most more, until none does."""
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
    """How much the squared error grows if a segment alone is turned round (S,), refitted."""
    return np.asarray(4 * (signs * (gain @ signs) - np.diag(gain)))


def _mean_square(rows: Sequence[DriveRows]) -> Array:
    mean = np.mean(np.concatenate([one.searched for one in rows]) ** 2, axis=0)
    return np.where(mean > 0, mean, 1.0)  # a drive without torque has no segment
