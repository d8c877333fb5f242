import numpy as np
import pytest

from dynid.recording.info import describe


def test_describes_a_bag(motion, messages_of, write_messages):
    info = describe(write_messages({"/joint_states": messages_of(motion)}, strings=["/log"]))
    assert (info.name, info.kind, info.topic) == ("bag", "rosbag2 mcap", "/joint_states")
    assert [(topic.name, topic.messages) for topic in info.topics] == [
        ("/joint_states", 400),
        ("/log", 1),
    ]
    assert info.timing.samples == 400
    assert info.timing.duration == pytest.approx(3.99)
    assert info.timing.sampling_rate == pytest.approx(100.0)
    assert info.timing.jitter == pytest.approx(0.0, abs=1e-12)
    assert [joint.name for joint in info.joints] == motion.names
    for column, joint in enumerate(info.joints):
        for name in ("position", "velocity", "effort"):
            values = getattr(motion, name)[:, column]
            assert getattr(joint, name) == (values.min(), values.max())
    assert info.problem is None


def test_the_size_of_a_bag_is_that_of_all_its_files(
    motion, messages_of, write_messages, storage_file
):
    bag = write_messages({"/joint_states": messages_of(motion)})
    written = sum(file.stat().st_size for file in bag.iterdir())
    assert describe(bag).size == written > storage_file(bag).stat().st_size


def test_counts_missing_samples_and_gaps_and_states_the_longest(
    make_motion, messages_of, write_messages
):
    stamps = np.arange(400) * 10_000_000 + 10**9
    stamps[100:] += 2 * 10**9
    info = describe(write_messages({"/joint_states": messages_of(make_motion(stamps))}))
    assert (info.timing.missing, info.timing.gaps) == (200, 1)
    assert "missing for 2.010 s after 0.990 s" in info.repairs[-1]
    assert info.problem is None


def test_states_how_late_stamps_are(make_motion, messages_of, write_messages):
    stamps = np.arange(400) * 10_000_000 + 10**9
    stamps[50::50] += 4_000_000
    info = describe(write_messages({"/joint_states": messages_of(make_motion(stamps))}))
    late = info.timing.lateness
    assert late.rate == pytest.approx(100.0)
    assert (late.median, late.largest) == pytest.approx((0.0, 0.004), abs=1e-6)
    assert not late.regular


def test_describes_a_recording_that_cannot_be_loaded(make_motion, messages_of, write_messages):
    stamps = np.arange(400) * 10_000_000 + 10**9
    stamps[100:] -= 5 * 10**8
    info = describe(write_messages({"/joint_states": messages_of(make_motion(stamps))}))
    assert "2 runs: run 1 of 0.990 s, run 2 of 2.990 s" in info.problem
    assert info.timing.missing is None


def test_lists_the_topics_of_a_bag_without_joint_states(write_messages):
    info = describe(write_messages({}, strings=["/log"]))
    assert [topic.name for topic in info.topics] == ["/log"]
    assert info.timing is None
    assert "topic /joint_states is missing" in info.problem


def test_describes_the_shape_of_a_table_without_map(motion, write_csv):
    info = describe(write_csv(motion, header="t,a,b,c,d,e,f,g,h,i"))
    assert (info.kind, info.rows, info.columns) == ("csv", 400, 10)
    assert info.header == ("t", "a", "b", "c", "d", "e", "f", "g", "h", "i")


def test_describes_a_table_with_its_map(motion, write_csv, column_map):
    info = describe(write_csv(motion), columns=column_map())
    assert info.timing.samples == 400
    assert [joint.name for joint in info.joints] == motion.names


def test_describes_a_recording_without_samples(make_motion, write_npz):
    signals = dict.fromkeys(("position", "velocity", "effort"), np.empty((0, 3)))
    info = describe(write_npz(make_motion(np.arange(1)), time=np.empty(0), **signals))
    assert (info.timing.samples, info.timing.sampling_rate) == (0, None)
    assert "contains 0 usable samples" in info.problem
