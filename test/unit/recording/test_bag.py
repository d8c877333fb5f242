import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rosbags.rosbag2 import CompressionFormat, CompressionMode

from dynid.errors import RecordingError
from dynid.recording.bag import read_messages
from dynid.recording.info import describe
from dynid.recording.load import load_recording

from .conftest import assert_holds


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_reads_a_folder_bit_for_bit(motion, messages_of, write_messages, storage):
    bag = write_messages({"/joint_states": messages_of(motion)}, storage=storage)
    recording = load_recording(bag, motion.names)
    assert_holds(recording, motion)
    assert recording.repairs == ()
    (source,) = recording.sources
    assert (source.topic, source.start_time) == ("/joint_states", 5_000_000_000)
    assert source.kind == f"rosbag2 {storage}"
    assert len(source.sha256) == 64


@pytest.mark.parametrize("path", [".", "..", "data/../."])
def test_a_path_that_does_not_name_the_folder_is_called_by_its_name(
    motion, messages_of, write_messages, monkeypatch, path
):
    bag = write_messages({"/joint_states": messages_of(motion)})
    (bag / "data").mkdir()
    monkeypatch.chdir(bag / "data" if path == ".." else bag)
    with pytest.raises(RecordingError, match=rf"^{bag.name}\b"):
        load_recording(path, ["another joint"])


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_reads_a_single_file_without_metadata(
    motion, messages_of, write_messages, storage_file, tmp_path, storage
):
    bag = write_messages({"/joint_states": messages_of(motion)}, storage=storage)
    alone = shutil.move(storage_file(bag), tmp_path)
    assert_holds(load_recording(alone, motion.names), motion)


def test_reads_a_folder_of_files_without_metadata_in_their_order(
    make_motion, messages_of, write_messages, storage_file, tmp_path
):
    motion = make_motion(np.arange(1200) * 10_000_000 + 10**9)
    folder = tmp_path / "split"
    folder.mkdir()
    messages = messages_of(motion)
    for part in range(12):  # more than 9, where sorting by name would be wrong
        bag = write_messages({"/joint_states": messages[100 * part :][:100]}, name=f"part_{part}")
        shutil.move(storage_file(bag), folder / f"split_{part}.mcap")
    recording = load_recording(folder, motion.names)
    assert_holds(recording, motion)
    assert recording.repairs == ()
    assert [source.name for source in recording.sources][-2:] == ["split_10.mcap", "split_11.mcap"]


@pytest.mark.parametrize("mode", [CompressionMode.FILE, CompressionMode.MESSAGE])
def test_reads_compressed_bags(motion, messages_of, write_messages, mode):
    bag = write_messages(
        {"/joint_states": messages_of(motion)}, compression=(mode, CompressionFormat.ZSTD)
    )
    recording = load_recording(bag, motion.names)
    assert_holds(recording, motion)
    assert recording.sources[0].kind == "rosbag2 mcap"


def test_joint_order_comes_from_the_names_of_each_message(motion, messages_of, write_messages):
    random = np.random.default_rng(0)
    shuffled = []
    for message in messages_of(motion):
        order = random.permutation(3)
        shuffled.append(
            replace(
                message,
                name=[message.name[place] for place in order],
                position=message.position[order],
                velocity=message.velocity[order],
                effort=message.effort[order],
            )
        )
    bag = write_messages({"/joint_states": shuffled})
    assert_holds(load_recording(bag, motion.names), motion)
    backwards = load_recording(bag, motion.names[::-1])
    np.testing.assert_array_equal(backwards.effort, motion.effort[:, ::-1])


def test_messages_of_other_publishers_are_skipped_and_counted(motion, messages_of, write_messages):
    messages = messages_of(motion)
    gripper = [replace(m, name=["finger"], position=[1], velocity=[], effort=[]) for m in messages]
    mixed = [message for pair in zip(gripper, messages, strict=True) for message in pair]
    recording = load_recording(write_messages({"/joint_states": mixed}), motion.names)
    assert_holds(recording, motion)
    assert recording.repairs == (
        "400 of 800 messages did not contain all joints and were skipped.",
    )


def test_refuses_an_absent_joint_by_name(motion, messages_of, write_messages):
    bag = write_messages({"/joint_states": messages_of(motion)})
    sentence = "joint 'tool' is missing; available are base, elbow, wrist"
    with pytest.raises(RecordingError, match=sentence):
        load_recording(bag, ["base", "tool"])


def test_a_single_topic_of_another_name_is_read_and_noted(motion, messages_of, write_messages):
    bag = write_messages({"/arm/joint_states": messages_of(motion)}, strings=["/log"])
    recording = load_recording(bag, motion.names)
    assert_holds(recording, motion)
    assert "/arm/joint_states, the only one" in recording.repairs[0]


def changed(number, **fields):
    """Return a change of one message, of all without a number."""

    def change(messages):
        rows = range(len(messages)) if number is None else [number]
        return [replace(m, **fields) if row in rows else m for row, m in enumerate(messages)]

    return change


JUST_TWO = {"/left": list, "/right": list}
STATE = "/joint_states"


@pytest.mark.parametrize(
    ("topics", "wanted", "sentence"),
    [
        (JUST_TWO, STATE, r"/joint_states is missing.*/left .*/right"),
        ({STATE: list}, "/log", "/log has no messages of type sensor_msgs/msg/JointState"),
        ({}, STATE, r"available topics are /log \(std_msgs/msg/String\)"),
        ({STATE: lambda _: []}, STATE, "contains no messages"),
        (
            {STATE: changed(None, effort=[])},
            STATE,
            "topic /joint_states: the effort field is empty .* base, elbow, wrist; .* fill it in",
        ),
        (
            {STATE: changed(41, effort=[1.0, 2.0])},
            STATE,
            "message 42 has 2 effort values for 3 names",
        ),
    ],
    ids=["two topics", "another type", "no states", "no messages", "no effort", "wrong length"],
)
def test_refuses_a_topic_that_has_not_what_is_needed(
    motion, messages_of, write_messages, topics, wanted, sentence
):
    written = {name: change(messages_of(motion)) for name, change in topics.items()}
    bag = write_messages(written, strings=["/log"])
    with pytest.raises(RecordingError, match=sentence):
        load_recording(bag, motion.names, topic=wanted)


def test_the_wanted_one_of_two_topics_is_read(motion, messages_of, write_messages):
    bag = write_messages(dict.fromkeys(JUST_TWO, messages_of(motion)))
    assert_holds(load_recording(bag, motion.names, topic="/right"), motion)


@pytest.mark.parametrize(
    ("number", "repairs"),
    [(None, ()), (7, ("1 of 400 messages had no velocity, so velocity was ignored.",))],
)
def test_a_velocity_field_that_is_empty_is_none(
    motion, messages_of, write_messages, number, repairs
):
    bag = write_messages({STATE: changed(number, velocity=[])(messages_of(motion))})
    recording = load_recording(bag, motion.names)
    assert (recording.velocity, recording.repairs) == (None, repairs)


def test_header_stamps_take_precedence_over_times_of_reception(motion, messages_of, write_messages):
    random = np.random.default_rng(1)
    late = [
        replace(message, receive=message.receive + int(random.integers(4_000_000)))
        for message in messages_of(motion)
    ]
    recording = load_recording(write_messages({"/joint_states": late}), motion.names)
    assert_holds(recording, motion)
    assert recording.repairs == ()


def test_times_of_reception_replace_zero_stamps(motion, messages_of, write_messages):
    zero = [replace(message, stamp=0) for message in messages_of(motion)]
    recording = load_recording(write_messages({"/joint_states": zero}), motion.names)
    assert_holds(recording, motion)
    assert recording.repairs == (
        "All 400 header stamps were zero; the times of reception were used instead.",
    )


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=arrays(
        np.float64, (3, 12, 3), elements=st.floats(-1e6, 1e6, allow_subnormal=False)
    ).filter(lambda values: bool(values[2].any())),
    epoch=st.integers(0, 2**31 - 2),
    rate=st.sampled_from([10, 62.5, 100, 125, 500, 1000, 8000]),
    storage=st.sampled_from(["mcap", "sqlite3"]),
)
def test_written_messages_are_read(
    make_motion, messages_of, write_messages, tmp_path, values, epoch, rate, storage
):
    motion = make_motion(epoch * 10**9 + np.rint(np.arange(12) * 1e9 / rate).astype(np.int64))
    motion.position, motion.velocity, motion.effort = values
    shutil.rmtree(tmp_path / "bag", ignore_errors=True)  # of the example before
    bag = write_messages({"/joint_states": messages_of(motion)}, storage=storage)
    recording = load_recording(bag, motion.names)
    assert_holds(recording, motion, rate)
    np.testing.assert_allclose(recording.time, motion.seconds, atol=1e-9)


@pytest.mark.parametrize(
    "opened", [read_messages, describe, lambda path: load_recording(path, ["base"])]
)
@pytest.mark.parametrize("name", ["absent", "absent.mcap", 300 * "a"])
def test_a_missing_recording_is_named_by_its_path(tmp_path, opened, name):
    with pytest.raises(RecordingError) as raised:
        opened(tmp_path / name)
    assert str(raised.value) == f"{tmp_path / name}: there is no such file or folder."


def test_messages_are_in_the_order_of_reception(motion, messages_of, write_messages):
    bag = write_messages({"/joint_states": messages_of(motion)})
    times = [message.receive_time for message in read_messages(bag)]
    assert len(times) == 400
    assert times == sorted(times)
