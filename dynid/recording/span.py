"""Selection of a run and a span of a recording before any check.

Runs are the stretches between places where the clock of a recording was set back.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dynid.errors import RecordingError
from dynid.recording.model import span_limits
from dynid.recording.order import FARTHEST_MOVE
from dynid.recording.samples import NANOSECONDS, Samples

_MOST_RUNS = 20  # of more, the clock is no clock
_SAME_SIZE = 2  # [usual steps] between a step back and the one that undoes it
_LISTED = 5  # runs in a message


def select_run(samples: Samples, run: int | None, *, has_span: bool) -> Samples:
    """Return the samples of one run, by its number from 1.

    Without a number it is the first one for a span, as its times count from the first sample, and
    otherwise the only one.

    Raises:
        RecordingError: there is no such run, or there are several and none was selected.
    """
    begins = find_runs(samples.stamps)
    if run is not None and not 1 <= run <= len(begins):
        raise RecordingError(
            f"{samples.label}: has no run {run}, but {len(begins)}; a run begins where the clock "
            "was set back."
        )
    if len(begins) == 1:
        return samples
    if run is None and not has_span:
        sentences = " ".join(described_runs(samples))
        raise RecordingError(f"{samples.label}: {sentences[0].lower()}{sentences[1:]}")
    number = run or 1
    past = [*begins[1:], len(samples)]
    kept = samples.take(slice(begins[number - 1], past[number - 1]))
    kept = kept.noting(f"The clock was set back: run {number} of {len(begins)} was read.")
    if samples.temperature is None:
        return kept
    return replace(kept, temperature=None).noting(
        "Temperatures were left out, as their stamps do not show the run."
    )


def find_runs(stamps: NDArray[np.int64]) -> list[int]:
    """Return the row where each run begins: where the clock was set back, and stays so.

    Fewer samples than those that may be late are none of a new run, nor are those before a step
    forward that undoes the one back. Stamps (N,) [ns] are in the order of the file.
    """
    steps = np.diff(stamps)
    begins = [0]
    for row in (np.flatnonzero(steps < 0) + 1).tolist():
        following = stamps[row : row + FARTHEST_MOVE + 1]
        stays = len(following) > FARTHEST_MOVE and (following < stamps[row - 1]).all()
        if stays and not _is_undone(steps, row - 1):
            begins.append(row)
        if len(begins) > _MOST_RUNS:
            return [0]
    return begins


def _is_undone(steps: NDArray[np.int64], back: int) -> bool:
    """Return whether a step forward is as large as a step back, before or after it."""
    usual = np.median(steps[steps > 0]) if (steps > 0).any() else 0.0
    size = usual - steps[back]
    return bool((np.abs(steps - usual - size) <= _SAME_SIZE * usual).any())


def described_runs(samples: Samples) -> list[str]:
    """Return sentences on the runs of samples and their durations; none for a single run."""
    begins = find_runs(samples.stamps)
    if len(begins) == 1:
        return []
    runs = []
    for number, (begin, past) in enumerate(zip(begins, [*begins[1:], len(samples)], strict=True)):
        stamps = samples.stamps[begin:past]
        seconds = float(stamps.max() - stamps.min()) / NANOSECONDS
        runs.append(f"run {number + 1} of {seconds:.3f} s")
    further = f" and {len(runs) - _LISTED} more" if len(runs) > _LISTED else ""
    return [
        f"The clock was set back, so that there are {len(runs)} runs: {', '.join(runs[:_LISTED])}"
        f"{further}.",
        "Select one of them (--run); times count from its first sample.",
    ]


def cut_span(samples: Samples, start: float | None, stop: float | None) -> Samples:
    """Return the samples with ``start <= time < stop`` [s] since the first, and their flaws.

    Raises:
        PreprocessingError: the span is reversed, outside the recording, or nearly empty.
    """
    # since the earliest of the first samples, which may be unsorted
    begin = samples.stamps[: FARTHEST_MOVE + 1].min() if len(samples) else 0
    seconds = (samples.stamps - begin) / NANOSECONDS
    in_order = np.sort(seconds)
    first, past = span_limits(in_order, 1.0, start, stop)
    kept = samples.take((in_order[first] <= seconds) & (seconds <= in_order[past - 1]))
    earliest, latest = int(kept.stamps.min()), int(kept.stamps.max())
    inside = tuple(flaw for flaw in samples.flaws if earliest <= flaw.stamp <= latest)
    outside = len(samples.flaws) - len(inside)
    kept = replace(kept, flaws=inside)
    if outside:
        kept = kept.noting(f"{outside} places outside of the span cannot be read.")
    return kept


def refuse_flaws(samples: Samples, first_stamp: int | None = None) -> None:
    """Refuse samples with an unreadable place, whose time is given since the first stamp [ns].

    Raises:
        RecordingError: there is an unreadable place.
    """
    if not samples.flaws:
        return
    first = samples.flaws[0]
    begin = samples.stamps[0] if first_stamp is None else first_stamp
    at = float(first.stamp - begin) / NANOSECONDS
    further = len(samples.flaws) - 1
    others = f" {further} more cannot be read." if further else ""
    where = f" It is {at:.3f} s after the first sample." if at > 0 else ""
    raise RecordingError(f"{first.sentence}{where}{others} Select a span without it (start, stop).")
