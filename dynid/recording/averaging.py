"""Long recordings as means of consecutive samples, so that memory does not grow with length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.recording.model import FEWEST_SAMPLES, Recording, frozen
from dynid.text import listed

MOST_NUMBERS = 1_500_000
"""Samples times joints, of all recordings of a task together, that are kept as recorded."""
_ROUNDING = 1e-3  # of rates
_SPANS = 10  # of a recording that is too long even as means


class Bound(NamedTuple):
    """How much is read of a recording that is long.

    Attributes:
        lowest_rate: of means of its samples [Hz]; infinity: no means.
        recordings: number of recordings of the task.
    """

    lowest_rate: float
    recordings: int = 1

    def is_long(self, numbers: int) -> bool:
        """Return whether a recording of so many samples times joints is too long by itself."""
        return self.lowest_rate < inf and numbers > MOST_NUMBERS

    def step(self, numbers: int, rate: float) -> int:
        """Return the number of samples of each mean, for samples at a rate [Hz]."""
        return _step(numbers * self.recordings / MOST_NUMBERS, rate, self.lowest_rate)


def bounded(recordings: Sequence[Recording], lowest_rate: float) -> list[Recording]:
    """Return recordings as they are, or less of them where they are too long for the memory.

    Samples are averaged in groups, all signals alike, as far as ``lowest_rate`` allows. A mean
    keeps slow motion and torque, and less noise; what is faster than the groups is lost. Of
    recordings that are still too long, spans in equal distances are kept, as pieces.

    Args:
        recordings: of a task.
        lowest_rate: of the means [Hz]; infinity: no means.
    """
    excess = _numbers(recordings) / MOST_NUMBERS
    if excess <= 1:
        return list(recordings)
    averages = []
    for one in recordings:
        step = _step(excess, one.sampling_rate, lowest_rate)
        averages.append(averaged(one, min(step, max(1, len(one.time) // FEWEST_SAMPLES))))
    share = MOST_NUMBERS / _numbers(averages)
    return averages if share >= 1 else [part for one in averages for part in _spans(one, share)]


def averaged(recording: Recording, step: int) -> Recording:
    """Return the means of groups of ``step`` samples; a mean of samples with a missing one is too.

    The samples after the last whole group are left out.
    """
    if step == 1:
        return recording
    count, rate = len(recording.time) // step, recording.sampling_rate / step

    def groups(values: NDArray[Any]) -> NDArray[Any]:
        return values[: count * step].reshape(count, step, *values.shape[1:])

    changed: dict[str, Any] = {
        name: frozen(groups(values).mean(axis=1)) for name, values in recording.measured().items()
    }
    if recording.missing is not None:
        changed["missing"] = groups(recording.missing).any(axis=1)
    if recording.link_position is not None:
        changed["link_position"] = frozen(groups(recording.link_position).mean(axis=1))
    return replace(
        recording,
        time=frozen(np.arange(count) / rate),
        sampling_rate=rate,
        gaps=_of_groups(recording.gaps, step, count),
        averaged=recording.averaged * step,
        **changed,
    )


def averaging_note(recordings: Sequence[Recording]) -> list[str]:
    """Return a sentence on the means that are used in place of samples, if any."""
    means = {one.averaged: one.sampling_rate for one in recordings if one.averaged > 1}
    if not means:
        return []
    counts = listed(str(count) for count in sorted(means))
    rate = min(means.values())
    return [
        f"The recordings are so long that means of {counts} samples are used, {rate:.4g} Hz; "
        f"motion and torque that are faster than {rate / 2:.4g} Hz do not show."
    ]


def _numbers(recordings: Sequence[Recording]) -> int:
    return sum(recording.effort.size for recording in recordings)


def _step(excess: float, rate: float, lowest_rate: float) -> int:
    possible = int((1 + _ROUNDING) * rate / lowest_rate)  # 0 for infinity
    return max(1, min(ceil(excess), possible))


def _of_groups(
    gaps: Sequence[tuple[int, int]], step: int, count: int
) -> tuple[tuple[int, int], ...]:
    """Return the gaps between groups of ``step`` samples, joined where they meet."""
    joined: list[tuple[int, int]] = []
    for first, past in gaps:
        begin, end = first // step, min(-(-past // step), count)
        if joined and begin <= joined[-1][1]:
            begin = joined.pop()[0]
        joined += [(begin, end)] if begin < end else []
    return tuple(joined)


def _spans(recording: Recording, share: float) -> list[Recording]:
    """Return spans of a recording in equal distances, which together are a share of it."""
    if recording.gaps:
        parts = [part for piece in recording.pieces for part in _spans(piece, share)]
        return [replace(part, piece=number) for number, part in enumerate(parts)]
    samples = len(recording.time)
    count = max(1, min(_SPANS, int(samples * share) // (10 * FEWEST_SAMPLES)))
    length = max(FEWEST_SAMPLES, int(samples * share / count))
    if length * count >= samples:
        return [recording]
    begins = np.linspace(0, samples - length, count) if count > 1 else [(samples - length) / 2]
    note = (
        f"Of the {recording.duration:.4g} s, which are too long for the memory, {count} spans of "
        f"{length / recording.sampling_rate:.3g} s in equal distances are used."
    )
    parts = []
    for number, begin in enumerate(np.rint(begins).astype(int).tolist()):
        ends = begin / recording.sampling_rate, (begin + length) / recording.sampling_rate
        kept = recording.cut(*ends)
        sources, repairs = (kept.sources, (*kept.repairs, note)) if number == 0 else ((), ())
        parts.append(replace(kept, piece=number, sources=sources, repairs=repairs))
    return parts
