"""A reduced set of samples, on which many friction models are compared in bounded time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.fitting import fitted_at_rest
from dynid.estimation.regression import Problem, make_rows
from dynid.identification.settings import IdentificationSettings
from dynid.signals.filters import ParallelFilter
from dynid.signals.repetition import folds_of_motion
from dynid.signals.settings import ParallelFilterSettings
from dynid.signals.signals import Signals

_OVERSAMPLING = 5.0  # least sampling rate over the signals' bandwidth
_MOST_SAMPLES = 40_000
_FEWEST_SAMPLES = 1000  # of a short recording none are averaged
_BLOCKS = 10  # at least, from whose errors the standard error is estimated
_MOST_FOLDS = 10
_ARRAYS = ("position", "velocity", "acceleration", "torque", "raw_position", "raw_torque")


@dataclass(frozen=True)
class HeldOutBlocks:
    """Recordings divided into blocks, of which those of one fold are held out together.

    Attributes:
        signals: recordings, or the parts of them that are used.
        block: (N,) for each, the block of every sample, ascending.
        fold: (blocks,) of several recordings each is a fold (of more than ten, groups of them), of
            one recording, or ``within`` each, parts of the motion.
        left_out: describes a fold.
    """

    signals: tuple[Signals, ...]
    block: tuple[NDArray[np.intp], ...]
    fold: NDArray[np.intp]
    left_out: str

    def samples_of_a_fold(self) -> int:
        """Return the number of samples of the shortest fold."""
        blocks = np.concatenate(self.block)
        return int(np.bincount(self.fold[blocks], minlength=self.fold.max() + 1).min())

    def problem(
        self, mechanism: Mechanism, base: BaseParameterization, settings: IdentificationSettings
    ) -> Problem:
        """Build the regression problem whose folds are these blocks."""
        at_rest = fitted_at_rest(mechanism, settings.velocity_threshold)
        rows = []
        for piece, block in zip(self.signals, self.block, strict=True):
            parallel = ParallelFilter.of(settings, piece.sampling_rate)
            rows.append(make_rows(piece, parallel, fold=block, fit_all=at_rest))
        return Problem(mechanism, base, tuple(rows), len(self.fold))


def held_out_blocks(
    signals: Sequence[Signals], settings: IdentificationSettings, *, within: bool = False
) -> tuple[HeldOutBlocks, IdentificationSettings]:
    """Decimate recordings and divide them into blocks.

    Samples are averaged in groups, motion and torque alike, as far as the settings' low-pass
    allows. Of recordings that are still longer than 40 000 samples, the middle of each block is
    used.

    Args:
        signals: one per recording.
        settings: of the identification.
        within: whether a part of every recording is a fold, instead of a whole recording.

    Returns:
        The blocks, and the settings for their sampling rate.
    """
    total = sum(len(piece.time) for piece in signals)
    step = min(max(1, total // _FEWEST_SAMPLES), *(_step(piece, settings) for piece in signals))
    parallel = settings.parallel_filter
    if isinstance(parallel, ParallelFilterSettings) and step > 1:
        left = max(1, round(parallel.decimation / step))
        settings = settings.model_copy(
            update={"parallel_filter": parallel.model_copy(update={"decimation": left})}
        )
    reduced = [averaged(piece, step) for piece in signals]
    within = within or sum(not piece.piece for piece in reduced) == 1
    folds = settings.folds if within else min(len(reduced), _MOST_FOLDS)
    blocks_of_part = -(-_BLOCKS // folds)  # blocks of a part, or of a recording
    shortest = 1 / (settings.motion_cutoff_hz or np.inf)  # the memory of the filter [s]
    share = min(1.0, _MOST_SAMPLES / sum(len(piece.time) for piece in reduced))
    pieces: list[Signals] = []
    block: list[NDArray[np.intp]] = []
    fold: list[int] = []
    for number, piece in enumerate(reduced):
        count = min(folds * blocks_of_part if within else blocks_of_part, len(piece.time))
        group = np.full(len(piece.time), number * folds // len(reduced))
        # terms have to serve motion that is far from what is fitted
        of_sample = folds_of_motion(piece, folds, shortest, gaps=1) if within else group
        new = np.diff(of_sample, prepend=-1) != 0
        if new.sum() < count:
            part = np.arange(len(piece.time)) * count // len(piece.time)
            new |= np.diff(part, prepend=-1) != 0
        number_of_sample = np.cumsum(new) - 1
        for middle, of_middle in middles(piece, number_of_sample + len(fold), share):
            pieces.append(middle)
            block.append(of_middle)
        fold += of_sample[new].tolist()
    if within:
        left_out = f"{folds}th of {'the' if len(reduced) == 1 else 'every'} recording"
    else:
        left_out = "recording" if folds == len(reduced) else f"{folds}th of the recordings"
    return HeldOutBlocks(tuple(pieces), tuple(block), np.array(fold), left_out), settings


def middles(
    signals: Signals, block: NDArray[np.intp], share: float, fewest: int = 1
) -> list[tuple[Signals, NDArray[np.intp]]]:
    """Return the middle of every block of a recording, and the blocks of its samples.

    Args:
        signals: of the recording.
        block: (N,) of every sample.
        share: of a block that is kept; of 1 or more the recording stays whole.
        fewest: samples that are kept of a block, if it has them.
    """
    if share >= 1:
        return [(signals, block)]
    parts = []
    for samples in np.split(np.arange(len(block)), np.flatnonzero(np.diff(block)) + 1):
        kept = min(len(samples), max(fewest, int(len(samples) * share)))
        first = int(samples[0]) + (len(samples) - kept) // 2
        span = slice(first, first + kept)
        parts.append((replace(signals.part(span), motion_filter=None), block[span]))
    return parts


def _step(signals: Signals, settings: IdentificationSettings) -> int:
    """Return the number of samples to average: more for signals of low bandwidth."""
    bandwidth = settings.motion_cutoff_hz
    if bandwidth is None:
        return 1
    return max(1, int(signals.sampling_rate / (_OVERSAMPLING * bandwidth)))


def averaged(signals: Signals, step: int) -> Signals:
    """Return the means of groups of ``step`` samples, motion and torque alike."""
    if step == 1:
        return signals
    count = len(signals.time) // step

    def mean(values: Array) -> Array:
        return np.asarray(values[: count * step].reshape(count, step, -1).mean(axis=1))

    arrays: dict[str, Any] = {name: mean(getattr(signals, name)) for name in _ARRAYS}
    return replace(
        signals,
        time=mean(signals.time)[:, 0],
        moving=mean(signals.moving.astype(np.float64)) >= 0.5,
        sampling_rate=signals.sampling_rate / step,
        motion_filter=None,
        missing=None,
        earlier_position=None,
        earlier_velocity=None,
        **arrays,
    )
