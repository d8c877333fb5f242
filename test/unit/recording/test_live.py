from __future__ import annotations

import numpy as np
import pytest
from rosbags.rosbag2 import Reader

from dynid.errors import RecordingError
from dynid.recording.live import LiveMessages
from dynid.recording.load import load_recording


@pytest.fixture
def bag(motion, messages_of, write_messages):
    return write_messages({"/joint_states": messages_of(motion)})


@pytest.fixture
def replayed(bag):
    """Return what collects the messages of the bag."""

    def replay(receive=lambda time: time, **limits):
        live = LiveMessages("/joint_states", **({"longest": 600.0} | limits))
        with Reader(bag) as reader:
            for _, time, raw in reader.messages():
                live.add(receive(time), bytes(raw))
        return live

    return replay


def assert_same(one, other):
    for name in ("time", "position", "velocity", "effort"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.repairs == other.repairs


def test_recording_of_messages_equals_that_of_their_bag(bag, replayed, motion):
    live = replayed()
    recording = live.recording(motion.names)
    assert_same(recording, load_recording(bag, motion.names))
    (source,) = recording.sources
    assert (source.kind, source.topic) == ("live", "/joint_states")
    assert source.start_time == motion.stamps[0]
    assert len(source.sha256) == 64


def test_span_and_rate_are_applied_as_for_a_bag(bag, replayed, motion):
    live = replayed()
    options = {"start": 0.5, "stop": 2.0, "sampling_rate": 50.0}
    assert_same(
        live.recording(motion.names, **options), load_recording(bag, motion.names, **options)
    )


def test_joints_may_be_chosen_after_the_motion(replayed):
    live = replayed()
    assert live.recording(["wrist", "base"]).joint_names == ("wrist", "base")
    with pytest.raises(RecordingError, match=r"topic /joint_states, live: joint 'tool' is missing"):
        live.recording(["tool"])


def test_nothing_collected_is_refused():
    with pytest.raises(RecordingError, match="no message was collected"):
        LiveMessages("/joint_states", longest=1.0).recording(None)


def test_time_is_limited_and_earlier_messages_are_kept(replayed, motion):
    live = replayed(longest=1.0)  # of 4 s at 100 Hz
    assert len(live) == 101
    assert live.full.startswith("/joint_states: collecting stopped automatically after 1 s")
    recording = live.recording(motion.names)
    assert len(recording.time) == 101
    assert recording.repairs == (live.full,)


def test_memory_is_limited_with_stopped_clocks(replayed):
    live = replayed(lambda _time: 0, most_bytes=16_000)
    assert 0 < len(live) < 400
    assert "stopped automatically at 0.016 MB" in live.full


def test_lost_messages_are_noted(replayed, motion):
    live = replayed()
    live.lost = 3
    assert str(live) == "400 messages of /joint_states in 4.0 s, 3 lost on the way"
    assert "3 messages were published but not received." in live.recording(motion.names).repairs
