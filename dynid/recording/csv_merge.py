"""Signals of one recording in several files, each with times of its own, on common times."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.errors import RecordingError
from dynid.recording.interpolation import linear, spline
from dynid.recording.model import FEWEST_SAMPLES
from dynid.recording.samples import LARGEST, no_time, unusable_times
from dynid.text import shown_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Values = NDArray[np.float64]


_GAP = 2.5  # times the usual step: more than one sample is missing


class TimedSignal(NamedTuple):
    """Values (N,) of one joint, NaN where unreadable, with the times (N,) [s] of their file."""

    file: str
    seconds: Values
    values: Values


def merge(
    signals: Mapping[str, Sequence[TimedSignal]], what: str = "files"
) -> tuple[Values, dict[str, Values], str]:
    """Bring signals to the times of the fastest one, within the time that all have.

    Position is interpolated by a cubic spline, whose acceleration is continuous, other signals
    linearly. Nothing is interpolated over a gap: values there are NaN. In messages, the signals
    are in ``what``.

    Returns:
        The common times (M,) [s], the signals (M, n) by name, and a sentence on the change.

    Raises:
        RecordingError: the times of a file do not increase, or the files have no time in common.
    """
    cleaned = {name: [_increasing(one) for one in joints] for name, joints in signals.items()}
    every = [timed for joints in cleaned.values() for timed in joints]
    first = max(timed.seconds[0] for timed in every)
    last = min(timed.seconds[-1] for timed in every)
    spans = {timed.file: (timed.seconds[0], timed.seconds[-1]) for timed in every}
    fastest = min(every, key=_usual_step)
    common = fastest.seconds[(fastest.seconds >= first) & (fastest.seconds <= last)]
    if len(common) < FEWEST_SAMPLES:
        ranges = shown_names(f"{file} from {a:.6g} to {b:.6g} s" for file, (a, b) in spans.items())
        raise RecordingError(
            f"The {what} of one recording have no time in common: {ranges}; their times must be of "
            "one clock (a factor can convert the unit)."
        )
    values = {
        name: np.stack([_at(common, one, smooth=name == "position") for one in joints], axis=1)
        for name, joints in cleaned.items()
    }
    lengths = {timed.file: len(timed.seconds) for timed in every}
    rows = shown_names(f"{file} has {length} rows" for file, length in lengths.items())
    note = (
        f"The {what} have different times ({rows}): all signals were resampled to the "
        f"{len(common)} times of {fastest.file} in the {common[-1] - common[0]:.4g} s that they "
        "have in common."
    )
    return common, values, note


def _usual_step(timed: TimedSignal) -> float:
    """Return the usual step [s], without the rounding by which shifted times differ."""
    return float(f"{np.median(np.diff(timed.seconds)):.9g}")


def _increasing(signal: TimedSignal) -> TimedSignal:
    """Return the rows with a usable time, each time once; refuse a clock that jumps back."""
    usable = ~unusable_times(signal.seconds)
    if usable.sum() < FEWEST_SAMPLES:
        row = int(np.argmin(usable))
        raise RecordingError(no_time(signal.seconds, row, signal.file))
    seconds, values = signal.seconds[usable], signal.values[usable]
    steps = np.diff(seconds)
    if (steps < 0).any():
        row = int(np.argmax(steps < 0)) + 1
        raise RecordingError(
            f"{signal.file}: the clock jumps back by {-steps[row - 1]:.6g} s at row {row + 1}; "
            "split the recording there."
        )
    new = np.concatenate([[True], steps > 0])
    if new.sum() < FEWEST_SAMPLES:
        raise RecordingError(f"{signal.file}: contains only {int(new.sum())} different times.")
    return TimedSignal(signal.file, seconds[new], values[new])


def _at(times: Values, signal: TimedSignal, *, smooth: bool) -> Values:
    """Return values (M,) at the times (M,), which are within those of the signal."""
    if len(times) == len(signal.seconds) and (times == signal.seconds).all():
        return signal.values
    known = np.abs(signal.values) <= LARGEST  # not NaN, and nothing that overflows
    if known.sum() < FEWEST_SAMPLES:
        return np.full(len(times), np.nan)
    seconds, values = signal.seconds[known], signal.values[known, np.newaxis]
    sampled = (spline if smooth else linear)(seconds, values, times)[:, 0]
    sampled[_in_gaps(times, seconds)] = np.nan
    return sampled


def _in_gaps(times: Values, seconds: Values) -> NDArray[np.bool_]:
    """Return which times are within steps too long to be interpolated, or outside of all."""
    steps = np.diff(seconds)
    after = np.searchsorted(seconds, times, side="left")
    inner = (after > 0) & (after < len(seconds))
    gap = ~inner & ~np.isin(times, seconds[[0, -1]])
    gap[inner] = steps[after[inner] - 1] > _GAP * np.median(steps)
    gap &= ~np.isin(times, seconds)
    return np.asarray(gap)
