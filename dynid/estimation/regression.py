"""The regression problem: normal equations per joint and fold, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.fitted_samples import fitted_samples
from dynid.estimation.row_memory import RowBlock, RowMemory
from dynid.estimation.work import Work
from dynid.signals.filters import ParallelFilter
from dynid.signals.signals import Signals

BLOCKS = 20
"""Blocks of one recording for a jackknife: enough to estimate a variance (19 degrees of freedom),
and each as long as possible, since errors that repeat with the motion are correlated over
seconds."""

# samples whose regressor is in memory at once, plus the margins of a parallel filter
_BLOCK = 8192


@dataclass(frozen=True)
class Rows:
    """Rows of one recording at the decimated rate of the parallel filter, m per joint.

    Attributes:
        signals: the recording's signals, at full rate.
        parallel_filter: filter of torque and regressor.
        torque: (m, n) filtered torque [N m or N].
        fitted: (m, n) 1.0 where the sample is fitted, else 0.0.
        fold: (m,) the cross-validation block of each row.
    """

    signals: Signals
    parallel_filter: ParallelFilter
    torque: Array
    fitted: Array
    fold: NDArray[np.intp]


@dataclass(frozen=True)
class NormalEquations:
    """Sums of ``[W_j, tau_j]^T [W_j, tau_j]`` over rows for every fold and joint j.

    Attributes:
        gram: (folds, n, k+1, k+1) weighted by the row weights.
        rows: (folds, n) sums of the row weights.
        by_recording: the same sums with whole recordings as folds; None: there is only one.
    """

    gram: Array
    rows: Array
    by_recording: NormalEquations | None = None

    def without(self, fold: int) -> NormalEquations:
        """Return the equations without one fold."""
        keep = np.arange(len(self.gram)) != fold
        return NormalEquations(self.gram[keep], self.rows[keep])

    def only(self, fold: int) -> NormalEquations:
        """Return the equations of one fold."""
        return NormalEquations(self.gram[fold : fold + 1], self.rows[fold : fold + 1])

    def of_columns(self, columns: NDArray[np.intp]) -> NormalEquations:
        """Return the equations of some columns of the regressor and the torque."""
        parts = None if self.by_recording is None else self.by_recording.of_columns(columns)
        return NormalEquations(self.gram[:, :, columns][:, :, :, columns], self.rows, parts)

    @property
    def joint_gram(self) -> Array:
        """Sum over folds, (n, k+1, k+1)."""
        return np.asarray(self.gram.sum(axis=0))

    @property
    def joint_rows(self) -> Array:
        """Sum over folds, (n,)."""
        return np.asarray(self.rows.sum(axis=0))

    def squared_error(self, base: Array) -> Array:
        """Sum of squared errors of each joint for base parameters (k,); (n,)."""
        extended = np.append(base, -1.0)
        error = np.einsum("i,jik,k->j", extended, self.joint_gram, extended)
        return np.asarray(np.maximum(error, 0.0))

    @property
    def squared_torque(self) -> Array:
        """Sum of squared torques of each joint, (n,)."""
        return np.asarray(self.joint_gram[:, -1, -1])


@dataclass(frozen=True)
class Problem:
    """A regression problem: the base parameters of a mechanism that fit the torque of the rows.

    Attributes:
        mechanism: with the current parameters, which load-dependent terms need.
        base: the base parameters.
        rows: of the recordings; may be a lazy sequence that computes or reads its elements on
            access. Only one element is in use at a time.
        folds: number of cross-validation blocks.
        work: takes the share of the estimation that is done.
        state: of the estimate at the parameters before, see ``Estimate.state``.
        memory: results that iterations use again.
    """

    mechanism: Mechanism
    base: BaseParameterization
    rows: Sequence[Rows]
    folds: int
    work: Work = field(default=Work(), repr=False, compare=False)
    state: object = field(default=None, repr=False, compare=False)
    memory: RowMemory = field(default_factory=RowMemory, repr=False, compare=False)

    def with_parameters(self, standard: Array, state: object = None) -> Problem:
        """Return the problem with other current parameters, used by load-dependent terms."""
        mechanism = self.mechanism.with_parameters(standard)
        return Problem(mechanism, self.base, self.rows, self.folds, state=state)

    def reporting(self, work: Work) -> Problem:
        """Return the same problem, whose estimation reports to ``work``."""
        return replace(self, work=work)

    def normal_equations(
        self, weights: Sequence[Array] | None = None, *, at_rest: bool = False
    ) -> NormalEquations:
        """Build the normal equations.

        Args:
            weights: (m, n) per recording, factors of the squared errors; None: 1.
            at_rest: include rows that are not fitted.
        """
        n, k = len(self.mechanism.joints), len(self.base.independent)
        gram = np.zeros((self.folds, n, k + 1, k + 1))
        counts = np.zeros((self.folds, n))
        recordings: list[tuple[Array, Array]] = []
        for number, rows in enumerate(self.rows):
            chosen = None if weights is None else weights[number]
            weight = np.ones_like(rows.fitted) if at_rest else rows.fitted
            weight = weight if chosen is None else weight * chosen
            for fold in range(self.folds):
                counts[fold] += weight[rows.fold == fold].sum(axis=0)
            sums = self._add_folds(gram, number, weight), weight.sum(axis=0)
            if recordings and rows.signals.piece:
                recordings[-1] = recordings[-1][0] + sums[0], recordings[-1][1] + sums[1]
            else:
                recordings.append(sums)
        if len(recordings) < 2:
            return NormalEquations(gram, counts)
        grams, rows_of_each = (np.stack(values) for values in zip(*recordings, strict=True))
        return NormalEquations(gram, counts, NormalEquations(grams, rows_of_each))

    def _add_folds(self, gram: Array, number: int, weight: Array) -> Array:
        """Add the normal equations of one recording to those of the folds; return their sum."""
        fold, total = self.rows[number].fold, np.zeros(gram.shape[1:])
        bounds = np.concatenate([[0], np.flatnonzero(np.diff(fold)) + 1, [len(fold)]])
        for span, of_span in self._grams_of_spans(number, bounds, weight):
            gram[fold[bounds[span]]] += of_span
            total += of_span
        return total

    def block_grams(self, number: int, weights: Array | None = None) -> Array:
        """Return the normal equations of each joint over the blocks of one recording.

        Args:
            number: of the recording.
            weights: (m, n) factors of the squared errors of rows that are fitted; None: 1.

        Returns:
            (BLOCKS, n, k+1, k+1).
        """
        fitted = self.rows[number].fitted
        weight = fitted if weights is None else fitted * weights
        return self.span_grams(number, block_bounds(len(weight)), weight)

    def residuals(self, base: Array) -> Iterator[Array]:
        """Model minus measured torque at every row (m, n) [N m or N], one array per recording.

        Those of the last base parameters are kept, as far as they fit in memory.
        """
        return self.memory.residuals(base, self._new_residuals(base))

    def _new_residuals(self, base: Array) -> Iterator[Array]:
        standard = self.base.lift(base, np.zeros(len(self.mechanism.parameter_names)))
        for number, rows in enumerate(self.rows):
            if rows.parallel_filter.passes_through:
                model = model_torque(self.mechanism, rows.signals, rows.parallel_filter, standard)
                yield model - rows.torque
            else:
                extended = np.append(base, -1.0)
                yield np.concatenate([(b.stacked @ extended).T for b in self.blocks(number)])

    def span_grams(self, number: int, bounds: NDArray[np.intp], weight: Array) -> Array:
        """Return the normal equations of each joint over spans of one recording's rows.

        Args:
            number: of the recording.
            bounds: (G + 1,) first row of each span, and the end of the last one.
            weight: (m, n) factors of the squared errors.

        Returns:
            (G, n, k+1, k+1).
        """
        n, size = weight.shape[1], len(self.base.independent) + 1
        grams = np.zeros((len(bounds) - 1, n, size, size))
        for span, of_span in self._grams_of_spans(number, bounds, weight):
            grams[span] += of_span
        return grams

    def _grams_of_spans(
        self, number: int, bounds: NDArray[np.intp], weight: Array
    ) -> Iterator[tuple[int, Array]]:
        """Yield the number of a span and normal equations (n, k+1, k+1) of it, or of a part."""
        rows = self.rows[number]
        if rows.parallel_filter.passes_through:
            yield from self._direct_grams(rows, bounds, weight)
            return
        for block in self.blocks(number):
            root = np.sqrt(weight[block.span].T)
            inner = np.clip(bounds - block.span.start, 0, root.shape[1])
            for span, (begin, end) in enumerate(pairwise(inner.tolist())):
                if begin < end:
                    yield span, _weighted_gram(block.stacked[:, begin:end], root[:, begin:end])

    def _direct_grams(
        self, rows: Rows, bounds: NDArray[np.intp], weight: Array
    ) -> Iterator[tuple[int, Array]]:
        signals, past = rows.signals, rows.signals.past(self.mechanism)
        for number, (begin, end) in enumerate(pairwise(bounds.tolist())):
            if begin == end:
                continue
            span = slice(begin, end)
            yield (
                number,
                self.mechanism.gram(
                    signals.position[span],
                    signals.velocity[span],
                    signals.acceleration[span],
                    rows.torque[span],
                    columns=self.base.independent,
                    weights=weight[span],
                    past=past,
                ),
            )

    def blocks(self, number: int) -> Iterable[RowBlock]:
        """Rows of one recording with their filtered regressor, in order; each of a single fold."""
        rows, columns = self.rows[number], self.base.independent
        blocks = _filtered_blocks(self.mechanism, columns, rows)
        return self.memory.blocks(number, blocks, rows.torque.size * len(columns))


def _weighted_gram(stacked: Array, root: Array) -> Array:
    """Return AᵀA of each joint (n, k+1, k+1), of rows (n, m, k+1) times roots of weights (n, m)."""
    of_joints = (rows * of_rows[:, None] for rows, of_rows in zip(stacked, root, strict=True))
    return np.stack([rows.T @ rows for rows in of_joints])


def block_bounds(rows: int) -> NDArray[np.intp]:
    """Return the first row of each block of a recording, and the end of the last, (BLOCKS + 1,)."""
    return np.arange(BLOCKS + 1) * rows // BLOCKS


def recording_numbers(rows: Sequence[Rows]) -> NDArray[np.intp]:
    """Return the number of the recording of which each of the rows is a piece, from 0."""
    return np.asarray(np.cumsum([not piece.signals.piece for piece in rows]) - 1, dtype=np.intp)


def with_folds_of_recordings(rows: Sequence[Rows], folds: int) -> tuple[Rows, ...]:
    """Return rows with the folds of whole recordings, where rows are of pieces of them."""
    numbers = recording_numbers(rows)
    divided = []
    for number in np.unique(numbers).tolist():
        pieces = [
            part for part, recording in zip(rows, numbers, strict=True) if recording == number
        ]
        if len(pieces) == 1:
            divided += pieces
            continue
        total, begin = sum(len(piece.torque) for piece in pieces), 0
        for piece in pieces:
            place = begin + np.arange(len(piece.torque))
            begin += len(piece.torque)
            divided.append(replace(piece, fold=np.minimum(place * folds // total, folds - 1)))
    return tuple(divided)


def make_rows(
    signals: Signals,
    parallel_filter: ParallelFilter,
    *,
    fold: NDArray[np.intp],
    fit_all: bool | NDArray[np.bool_],
) -> Rows:
    """Filter and decimate one recording's torque.

    Args:
        signals: of the recording.
        parallel_filter: of torque and regressor.
        fold: (N,) of each sample.
        fit_all: whether rows at rest are fitted too, of all joints or of each (n,).
    """
    torque = parallel_filter.decimate(parallel_filter.smooth(signals.torque))
    chosen = fitted_samples(signals, parallel_filter, fit_all=fit_all)
    step = parallel_filter.decimation
    return Rows(signals, parallel_filter, torque, chosen[::step].astype(np.float64), fold[::step])


def model_torque(
    mechanism: Mechanism, signals: Signals, parallel_filter: ParallelFilter, standard: Array
) -> Array:
    """Return the filtered torque (N, n) of standard parameters (p,) along the signals."""
    return parallel_filter.smooth(unfiltered_torque(mechanism, signals, standard))


def unfiltered_torque(mechanism: Mechanism, signals: Signals, standard: Array) -> Array:
    """Return the torque (N, n) of standard parameters (p,) along the signals."""
    motion = signals.motion
    return mechanism.torque(*motion, standard, past=signals.past(mechanism))


def _filtered_blocks(
    mechanism: Mechanism, columns: NDArray[np.intp], rows: Rows
) -> Iterator[RowBlock]:
    """Yield the filtered, decimated regressor and torque in consecutive blocks.

    Each block is filtered with margins on both sides that are longer than the filter's transients.
    """
    signals, parallel = rows.signals, rows.parallel_filter
    samples, step, margin = len(signals.time), parallel.decimation, parallel.margin
    block = step * -(-max(_BLOCK, 4 * margin) // step)
    starts = range(0, samples, block)
    begins = [max(0, start - margin) for start in starts]
    joints, size = len(mechanism.joints), len(mechanism.parameter_names)
    memory = np.empty((min(samples, block + 2 * margin), joints, size))
    for start, begin, past in zip(
        starts, begins, _pasts_at(mechanism, signals, begins), strict=True
    ):
        end = min(samples, start + block + margin)
        q, dq, ddq = (motion[begin:end] for motion in signals.motion)
        regressor = mechanism.regressor(q, dq, ddq, memory[: end - begin], past)
        # a joint does not feel the bodies before it
        joint, place = np.nonzero(np.asarray(regressor.any(axis=0))[:, columns])
        used = regressor.reshape(len(regressor), -1).take(joint * size + columns[place], axis=1)
        smooth = parallel.smooth(used)
        inner = smooth[start - begin : min(samples, start + block) - begin : step]
        span = slice(start // step, start // step + len(inner))
        stacked = np.zeros((joints, len(inner), len(columns) + 1))
        stacked[joint, :, place] = inner.T
        stacked[:, :, -1] = rows.torque[span].T
        yield from _split_by_fold(rows.fold[span], span.start, stacked)


def _split_by_fold(fold: NDArray[np.intp], first: int, stacked: Array) -> Iterator[RowBlock]:
    """Split [W_j, tau_j] (n, m, k+1) of rows from ``first`` on into blocks of one fold each."""
    bounds = [0, *(np.flatnonzero(np.diff(fold)) + 1), len(fold)]
    for begin, end in pairwise(bounds):
        yield RowBlock(int(fold[begin]), slice(first + begin, first + end), stacked[:, begin:end])


def _pasts_at(mechanism: Mechanism, signals: Signals, begins: Sequence[int]) -> Iterator[Array]:
    """Yield the state of terms with memory before each of the ascending samples ``begins``."""
    past, at = signals.past(mechanism), 0
    for begin in begins:
        mechanism.advance(signals.position[at:begin], signals.velocity[at:begin], past)
        at = begin
        yield past.copy()
