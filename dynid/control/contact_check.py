"""Outlying torque errors in recordings of free motion: contacts, or damaged samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.control.free_motion import BLOCK, FreeMotion, joined, recording_numbers
from dynid.control.tail import APART
from dynid.errors import ConfigurationError

FALSE_REJECTION = 1e-3
"""Largest probability that recordings of free motion are refused, of all joints together."""

_BULK = 0.75  # quantile of all errors, above which they are excesses; more of them are no contact
_FEWEST_FOR_SCALE = 50  # blocks of a recording, whose median is its own scale


@dataclass(frozen=True)
class OutlyingSpan:
    """A span in which a torque error is improbable in free motion.

    Attributes:
        recording: its index, from 0.
        start: since the recording's start [s].
        stop: end of the last block [s].
        joint: whose error is the most improbable.
        size: of its largest filtered error [N m or N].
        elsewhere: its largest one outside of such spans [N m or N].
        probability: upper bound, of an error of this size in free motion like the rest.
    """

    recording: int
    start: float
    stop: float
    joint: str
    size: float
    elsewhere: float
    probability: float


class _Peak(NamedTuple):
    """The largest error of some consecutive ones: index of its block, and excess [1]."""

    block: int
    excess: float


def check_no_contact(spans: Sequence[OutlyingSpan], names: Sequence[str]) -> None:
    """Refuse recordings with outlying torque errors, and name all spans to leave out.

    Args:
        spans: those of :func:`outlying_spans`.
        names: of the recordings.

    Raises:
        ConfigurationError: there is such a span.
    """
    if not spans:
        return
    worst = min(spans, key=lambda span: span.probability)
    several = len(names) > 1
    options = " ".join(
        f"--without {f'{span.recording + 1}:' if several else ''}{span.start:g}..{span.stop:g}"
        for span in spans
    )
    further = len(spans) - 1
    others = (
        f" (and {further} other span{'s are' if further > 1 else ' is'} outlying)"
        if further
        else ""
    )
    raise ConfigurationError(
        f"{names[worst.recording]}: from {worst.start:g} to {worst.stop:g} s the torque error "
        f"of joint '{worst.joint}' reaches {worst.size:.3g} N m (N of a prismatic joint), but "
        f"{worst.elsewhere:.3g} elsewhere{others}, which free motion has with a probability below "
        f"{max(worst.probability, 1e-12):.0e}; if the robot touched something, was "
        f"stopped or lost samples there, repeat with {options}, otherwise record again; nothing "
        "was written."
    )


def outlying_spans(
    joints: Sequence[str], motions: Sequence[FreeMotion]
) -> tuple[OutlyingSpan, ...]:
    """Return the spans in which torque errors are outlying, by recording and time.

    Excesses of a joint's errors over their bulk are exponentially distributed in free motion, in
    motion and at rest apart. Beginning with the smaller half, each next one is compared with those
    up to it (outward test: Kimber 1982; Cochran's bound), so that several contacts do not hide each
    other.

    Args:
        joints: their names.
        motions: one for each recording.
    """
    allowed = FALSE_REJECTION / (2 * len(joints))
    spans = [
        span
        for number in range(len(joints))
        for resting in (False, True)
        for span in _of_joint(joints[number], motions, number, resting, allowed)
    ]
    return tuple(_merged(sorted(spans, key=lambda span: (span.recording, span.start))))


def _of_joint(
    joint: str, motions: Sequence[FreeMotion], number: int, resting: bool, allowed: float
) -> list[OutlyingSpan]:
    motion = joined(motions)
    used = motion.boosted[:, number] == resting
    if not used.any():
        return []
    recording = recording_numbers(motions)[used]
    size, time = motion.size[used, number], motion.time[used]
    relative = size / _scales(size, recording)
    bulk = float(np.quantile(relative, _BULK))
    peaks = _peaks(relative - bulk, time)
    first, probability = _first_outlier([peak.excess for peak in peaks], allowed)
    if first is None:
        return []
    normal = bulk + (peaks[first - 1].excess if first else 0.0)
    outlying = relative > normal
    times = np.concatenate([motion.time for motion in motions])[used]
    return [
        OutlyingSpan(
            int(recording[rows[0]]),
            *_around(motions[recording[rows[0]]].time, times[rows]),
            joint,
            float(size[rows].max()),
            float(size[~outlying].max(initial=0.0)),
            probability,
        )
        for rows in _runs(np.flatnonzero(outlying), time)
    ]


def _around(time: Array, times: Array) -> tuple[float, float]:
    """Return start and stop of blocks and one more on each side, within the recording [s]."""
    stop = min(times[-1] + 2 * BLOCK, time[-1] + BLOCK / 2)
    return max(0.0, _hundredths(times[0] - BLOCK)), _hundredths(stop)


def _hundredths(seconds: float) -> float:
    return float(np.floor(100 * seconds + 1e-6) / 100)


def _scales(size: Array, recording: NDArray[np.intp]) -> Array:
    """Return the median of each value's recording, at least that of all (M,)."""
    scales = np.full(len(size), max(float(np.median(size)), np.finfo(float).tiny))
    for k in np.unique(recording):
        of_recording = recording == k
        if np.count_nonzero(of_recording) >= _FEWEST_FOR_SCALE:
            scales[of_recording] = np.maximum(scales[of_recording], np.median(size[of_recording]))
    return scales


def _peaks(excess: Array, time: Array) -> list[_Peak]:
    """Return the largest excess of each run of positive ones, in increasing order."""
    runs = _runs(np.flatnonzero(excess > 0.0), time)
    tops = [rows[int(np.argmax(excess[rows]))] for rows in runs]
    return sorted((_Peak(int(k), float(excess[k])) for k in tops), key=lambda peak: peak.excess)


def _runs(rows: NDArray[np.intp], time: Array) -> list[NDArray[np.intp]]:
    """Return rows in groups that are not apart in time."""
    if not len(rows):
        return []
    return np.split(rows, 1 + np.flatnonzero(np.diff(time[rows]) > APART))


def _first_outlier(excesses: Sequence[float], allowed: float) -> tuple[int | None, float]:
    """Return the first of increasing excesses that is too large for those up to it, and how much.

    The share T of the largest of i exponential variables in their sum exceeds t with a probability
    of at most i (1 - t)^(i - 1).
    """
    sums = np.cumsum(excesses)
    for k in range(len(excesses) // 2, len(excesses)):
        probability = (k + 1) * (1.0 - excesses[k] / sums[k]) ** k
        if probability < allowed:
            return k, float(probability)
    return None, 1.0


def _merged(spans: Sequence[OutlyingSpan]) -> list[OutlyingSpan]:
    """Return spans without overlap, each of its most improbable joint."""
    merged: list[OutlyingSpan] = []
    for span in spans:
        last = merged[-1] if merged else None
        if last is None or last.recording != span.recording or span.start > last.stop:
            merged.append(span)
            continue
        kept = min(last, span, key=lambda candidate: (candidate.probability, -candidate.size))
        merged[-1] = replace(kept, start=last.start, stop=max(last.stop, span.stop))
    return merged
