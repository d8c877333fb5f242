"""Sorting by stamps: drops repeats, moves late samples, refuses clock jumps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynid.errors import RecordingError
from dynid.recording.samples import NANOSECONDS, Samples

FARTHEST_MOVE = 5
"""Largest delay of a late sample [samples]; a larger one is a jump of the clock."""

# share of the usual step below which a sample repeats the one before: two points that close would
# make an interpolating curve oscillate
_REPEATED = 0.05

# smallest distance of a late sample from its neighbours, in steps; if it is closer, the clock was
# set back
_HOLE = 0.75


def put_in_order(samples: Samples) -> Samples:
    """Return the samples with strictly increasing stamps.

    Raises:
        RecordingError: the clock jumped back, so that the order of the samples is unknown.
    """
    late = samples.stamps < np.maximum.accumulate(samples.stamps)
    total, ordered = len(samples), samples
    if late.any():
        order = np.argsort(samples.stamps, kind="stable")
        _refuse_clock_jump(samples, order)
        ordered, late = samples.take(order), late[order]
    repeated = np.concatenate([[False], np.diff(ordered.stamps) == 0])
    kept = ordered.take(~repeated) if repeated.any() else ordered
    if late.any():
        _refuse_overlap(samples, ordered, late)
        kept = kept.noting(f"{int(late.sum())} of {total} samples came late and were reordered.")
    return _noting_repeats(kept, repeated)


def drop_near_repeats(samples: Samples) -> tuple[Samples, NDArray[np.bool_]]:
    """Return the samples without those that almost repeat the stamp before, and which these are."""
    steps = np.diff(samples.stamps)
    repeated = np.concatenate([[False], steps < _REPEATED * np.median(steps)])
    return _noting_repeats(samples.take(~repeated), repeated), repeated


def _noting_repeats(kept: Samples, repeated: NDArray[np.bool_]) -> Samples:
    count = int(repeated.sum())
    if not count:
        return kept
    many = f"{count} of {len(repeated)} samples"
    return kept.noting(f"{many} had repeated stamps and were dropped.")


def _refuse_clock_jump(samples: Samples, order: NDArray[np.int64]) -> None:
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    if np.abs(places - np.arange(len(order))).max() > FARTHEST_MOVE:
        raise _clock_jump(samples)


def _refuse_overlap(samples: Samples, ordered: Samples, late: NDArray[np.bool_]) -> None:
    """Refuse late samples that do not fill gaps, because the clock was set back a little."""
    # the same sample delivered twice is a repeat at any time
    near = np.flatnonzero(late & ~_equal_to_forerunner(ordered))
    if not len(near):
        return
    steps = np.diff(ordered.stamps)
    around = np.concatenate([steps[near[near > 0] - 1], steps[near[near < len(steps)]]])
    if (around < _HOLE * np.median(steps[steps > 0])).any():
        raise _clock_jump(samples)


def _equal_to_forerunner(samples: Samples) -> NDArray[np.bool_]:
    same = samples.stamps[1:] == samples.stamps[:-1]
    for values in (samples.position, samples.effort):
        same = same & (values[1:] == values[:-1]).all(axis=1)
    return np.concatenate([[False], same])


def _clock_jump(samples: Samples) -> RecordingError:
    row = int(np.argmax(samples.stamps < np.maximum.accumulate(samples.stamps)))
    size = (samples.stamps[:row].max() - samples.stamps[row]) / NANOSECONDS
    at = (samples.stamps[row - 1] - samples.stamps[0]) / NANOSECONDS
    return RecordingError(
        f"{samples.label}: the clock jumps back by {size:.6g} s at sample {row + 1}, "
        f"{at:.3f} s after the start; the order of the samples is unknown from there on. "
        "Split the recording there."
    )
