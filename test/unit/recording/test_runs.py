"""Runs: the stretches between places where the clock was set back."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.errors import PreprocessingError, RecordingError
from dynid.recording.model import Source
from dynid.recording.samples import Samples
from dynid.recording.span import find_runs
from dynid.recording.timeline import build_recording

STEP = 10_000_000  # [ns]
COUNT = 400
POSITION = np.sin(np.arange(COUNT) / 30)[:, None]


def recorded(*parts: np.ndarray) -> Samples:
    stamps = np.concatenate(parts).astype(np.int64)
    return Samples(
        stamps=stamps,
        position=POSITION[: len(stamps)],
        velocity=None,
        effort=2 * POSITION[: len(stamps)],
        joint_names=("a",),
        sources=(Source("log.mcap", "", "rosbag2 mcap"),),
    )


def ticks(count: int, begin: int = 0) -> np.ndarray:
    return (np.arange(count) + begin) * STEP


TWICE = recorded(ticks(160), ticks(240))


@pytest.mark.parametrize(
    ("parts", "begins"),
    [
        ((ticks(400),), [0]),
        ((ticks(160), ticks(240)), [0, 160]),
        ((ticks(160, 1000), ticks(140, 1100), ticks(100)), [0, 160, 300]),
        ((ticks(100), ticks(20, 90), ticks(280, 120)), [0]),  # set back for 20 samples
        ((ticks(100), ticks(1, 10**5), ticks(299, 101)), [0]),  # one stamp in the future
        ((ticks(100), ticks(5, 50), ticks(295, 100)), [0]),  # a few late samples
        ((ticks(400)[::-1],), [0]),
        ((np.column_stack([ticks(200), ticks(200, 10**6)]).ravel(),), [0]),  # two clocks
    ],
    ids=["even", "once", "twice", "undone", "future", "late", "reverse", "two clocks"],
)
def test_a_run_begins_where_the_clock_stays_back(parts, begins) -> None:
    assert find_runs(recorded(*parts).stamps) == begins


def test_several_runs_are_listed() -> None:
    sentence = r"2 runs: run 1 of 1\.590 s, run 2 of 2\.390 s\. Select one of them \(--run\)"
    with pytest.raises(RecordingError, match=sentence):
        build_recording(TWICE)


@pytest.mark.parametrize(("run", "rows"), [(1, slice(160)), (2, slice(160, 400))])
def test_a_run_is_read_alone(run: int, rows: slice) -> None:
    recording = build_recording(TWICE, run=run)
    np.testing.assert_array_equal(recording.position, POSITION[rows])
    assert recording.repairs == (f"The clock was set back: run {run} of 2 was read.",)


def test_a_span_counts_within_its_run() -> None:
    recording = build_recording(TWICE, run=2, start=1.0, stop=2.0)
    np.testing.assert_array_equal(recording.position, POSITION[260:360])


def test_a_span_without_a_run_is_in_the_first_one() -> None:
    recording = build_recording(TWICE, start=0.5, stop=1.0)
    np.testing.assert_array_equal(recording.position, POSITION[50:100])


def test_a_span_is_never_filled_by_another_run() -> None:
    with pytest.raises(PreprocessingError, match=r"from 0 s to 1\.590 s\..* there are 2 runs"):
        build_recording(TWICE, start=2.0)


@pytest.mark.parametrize("run", [0, 3])
def test_a_run_that_is_not_there_is_refused(run: int) -> None:
    with pytest.raises(RecordingError, match=rf"has no run {run}, but 2"):
        build_recording(TWICE, run=run)
    with pytest.raises(RecordingError, match=r"has no run 2, but 1"):
        build_recording(recorded(ticks(400)), run=2)
