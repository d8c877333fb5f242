import os

import numpy as np
import pytest

from dynid.errors import ArgumentError, PreprocessingError
from dynid.recording.model import Recording, Source


@pytest.fixture
def recording():
    values = np.arange(200.0).reshape(100, 2)
    return Recording(
        np.arange(100) / 50, values, -values, joint_names=("a", "b"), sampling_rate=50.0
    )


def test_arrays_cannot_be_written_to_nor_changed_from_outside():
    position = np.zeros((20, 1))
    recording = Recording(
        np.arange(20) / 10, position, position, joint_names=("a",), sampling_rate=10.0
    )
    position[0] = 7.0
    assert recording.position[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        recording.effort[0] = 1.0


def test_wrong_shapes_are_refused_in_a_sentence():
    with pytest.raises(ArgumentError, match="effort has shape"):
        Recording(
            np.zeros(20),
            np.zeros((20, 2)),
            np.zeros((20, 1)),
            joint_names=("a", "b"),
            sampling_rate=1.0,
        )


def test_adjacent_cuts_share_no_sample_and_lose_none(recording):
    for limit in np.arange(10, 90) / 50:
        first, second = recording.cut(None, limit), recording.cut(limit, None)
        np.testing.assert_array_equal(
            np.vstack([first.position, second.position]), recording.position
        )


def test_time_of_a_cut_starts_at_zero(recording):
    cut = recording.cut(0.5, 1.0)
    assert (cut.time[0], len(cut.time), cut.position[0, 0]) == (0.0, 25, 50.0)
    assert cut.joint_names == recording.joint_names


@pytest.mark.parametrize(
    ("start", "stop", "sentence"),
    [
        (1.0, 0.5, "start of 1 s must be before its stop of 0.5 s"),
        (0.5, 0.5, "must be before"),
        (-0.1, None, "start of -0.1 s is outside the recording, which lasts from 0 s to 1.980 s"),
        (None, 9.0, "stop of 9 s is outside"),
        (float("nan"), None, "is outside"),
        (1.0, 1.1, "contains 5 samples; at least 10"),
    ],
)
def test_refuses_a_span_that_does_not_fit(recording, start, stop, sentence):
    with pytest.raises(PreprocessingError, match=sentence):
        recording.cut(start, stop)


def test_a_file_of_any_name_is_a_printable_source():
    name = os.fsdecode(b"log\xff\x1b.csv")
    assert Source(name, "0", "csv").name == r"log\xff\x1b.csv"
    assert Source("/joint_states", "0", "live").name == "/joint_states"
