"""Long recordings that are read in parts: each is repaired by itself, and averaged at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dynid.errors import RecordingError
from dynid.recording.averaging import averaged
from dynid.recording.model import Recording, frozen, source_names
from dynid.recording.samples import NANOSECONDS, Samples
from dynid.recording.temperature import Temperature
from dynid.recording.timeline import stuck_notes

_ROWS = 30_000  # of a part; the last one may have twice as many
_SEARCHED = 1000  # rows before these, between which it may end
_REGULAR = 0.1  # of the usual step: distance of a step between parts from it
_SAME_PHASE = 0.02  # samples between the end of a part and the next one, as on one grid
_SAME_RATE = 1e-4  # relative
_NUMBER = re.compile(r"\d[\d.e+-]*")


def in_parts(blocks: Iterable[Samples]) -> Iterator[Samples]:
    """Yield the samples of blocks in parts, which end between samples in usual steps.

    Raises:
        RecordingError: the stamps have no usual steps, or the blocks different signals.
    """
    waiting: list[Samples] = []
    for block in blocks:
        waiting.append(block)
        # what is left at the end is not shorter than a part
        while sum(map(len, waiting)) >= 2 * _ROWS:
            part = _of_one(waiting)
            end = _regular_end(part)
            yield part.take(slice(0, end))
            waiting = [part.take(slice(end, None))]
    if waiting:
        yield _of_one(waiting)


def joined(
    samples: Iterable[Samples], build: Callable[[Samples], Recording], step: Callable[[float], int]
) -> Recording:
    """Return one recording of the means of parts.

    Where a part does not continue that before at the same steps, there is a gap without samples.

    Args:
        samples: of the parts.
        build: the repair of each part.
        step: samples of each mean, for the sampling rate of the first part [Hz].

    Raises:
        RecordingError: parts have different rates or signals, or one cannot be repaired.
    """
    means: list[Recording] = []
    breaks: list[int] = []
    repairs: list[tuple[str, ...]] = []
    first: Recording | None = None
    left: Recording | None = None
    expected, group = 0.0, 1
    for one in samples:
        part, begin = build(one), float(one.stamps[0]) / NANOSECONDS
        if first is None:
            first, group = part, step(part.sampling_rate)
        elif not _alike(first, part):
            raise RecordingError(f"{one.label}: its parts have different rates or signals.")
        elif abs(begin - expected) * part.sampling_rate > _SAME_PHASE:
            breaks.append(sum(map(len, means)))
            left = None
        repairs.append(part.repairs)
        expected = begin + len(part) / part.sampling_rate
        whole = part if left is None else _concatenated([left, part])
        rest = len(whole) // group * group
        # its temperatures are with the means before
        left = (
            replace(whole.between(rest, len(whole)), temperature=None)
            if rest < len(whole)
            else None
        )
        means.append(averaged(whole, group))
    found = _concatenated(means)
    gaps = sorted({*found.gaps, *((at, at) for at in breaks)})
    stuck = stuck_notes(
        source_names(found.sources), found.joint_names, found.position, found.effort
    )
    return replace(found, gaps=tuple(gaps), repairs=(*_summary(repairs), *stuck))


def _alike(one: Recording, other: Recording) -> bool:
    """Whether recordings have the same signals at the same rate."""
    same_rate = abs(other.sampling_rate / one.sampling_rate - 1) < _SAME_RATE
    return same_rate and one.measured().keys() == other.measured().keys()


def _regular_end(samples: Samples) -> int:
    """Return a row near the end of a part that is in order, a usual step after the one before."""
    stamps, rows = samples.stamps, slice(_ROWS - _SEARCHED, _ROWS)
    steps = np.diff(stamps)[_ROWS - _SEARCHED - 1 : _ROWS - 1].astype(np.float64)
    usual = float(np.median(steps))
    before = np.maximum.accumulate(stamps)[_ROWS - _SEARCHED - 1 : _ROWS - 1]
    after = np.minimum.accumulate(stamps[::-1])[::-1][rows]
    good = (np.abs(steps - usual) <= _REGULAR * usual) & (before < after)
    if not good.any():
        raise RecordingError(f"{samples.label}: its samples have no usual steps.")
    return rows.start + int(np.flatnonzero(good)[-1])


def _of_one(blocks: Sequence[Samples]) -> Samples:
    """Return the samples of blocks that follow each other."""
    if len(blocks) == 1:
        return blocks[0]
    if len({frozenset(block.measured()) for block in blocks}) > 1:
        raise RecordingError(f"{blocks[0].label}: its parts have different signals.")
    first = blocks[0]
    signals: dict[str, Any] = {
        name: np.concatenate([block.measured()[name] for block in blocks])
        for name in first.measured()
    }
    heat = [block.temperature for block in blocks if block.temperature is not None]
    if heat and heat[0] is not heat[-1]:
        signals["temperature"] = replace(
            heat[0],
            stamps=np.concatenate([one.stamps for one in heat]),
            celsius=np.concatenate([one.celsius for one in heat]),
        )
    return replace(
        first,
        stamps=np.concatenate([block.stamps for block in blocks]),
        repairs=_summary([block.repairs for block in blocks]),
        flaws=tuple(flaw for block in blocks for flaw in block.flaws),
        **signals,
    )


def _concatenated(recordings: Sequence[Recording]) -> Recording:
    """Return recordings of the same signals that follow each other as one."""
    begins = np.cumsum([0, *map(len, recordings)]).tolist()
    first, rate = recordings[0], recordings[0].sampling_rate
    signals: dict[str, Any] = {
        name: frozen(np.concatenate([one.measured()[name] for one in recordings]))
        for name in first.measured()
    }
    if any(one.missing is not None for one in recordings):
        signals["missing"] = np.concatenate(
            [
                np.zeros(len(one), dtype=bool) if one.missing is None else one.missing
                for one in recordings
            ]
        )
    return replace(
        first,
        time=frozen(np.arange(begins[-1]) / rate),
        temperature=_temperature(recordings, [begin / rate for begin in begins]),
        gaps=tuple(
            (begin + start, begin + past)
            for one, begin in zip(recordings, begins[:-1], strict=True)
            for start, past in one.gaps
        ),
        **signals,
    )


def _temperature(recordings: Sequence[Recording], begins: Sequence[float]) -> Temperature | None:
    """Return the temperatures of recordings that begin at these times [s]."""
    heat = [
        (one.temperature.time + begin, one.temperature.celsius)
        for one, begin in zip(recordings, begins[:-1], strict=True)
        if one.temperature is not None
    ]
    if not heat:
        return None
    time, celsius = map(np.concatenate, zip(*heat, strict=True))
    # those at the end of a part may be beyond its last mean
    later = np.diff(np.maximum.accumulate(time), prepend=-np.inf) > 0
    return Temperature(time[later], celsius[later])


def _summary(repairs: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the sentences on repairs of parts: of those that differ in numbers only, the first."""
    alike: dict[str, list[str]] = {}
    for sentence in (sentence for of_one in repairs for sentence in of_one):
        alike.setdefault(_NUMBER.sub("#", sentence), []).append(sentence)
    return tuple(
        same[0] if len(set(same)) == 1 else f"{same[0]} (Likewise {len(same) - 1} times more.)"
        for same in alike.values()
    )
