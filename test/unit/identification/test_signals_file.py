from __future__ import annotations

import os
import tracemalloc
import zlib
from dataclasses import replace

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.records import Chunk, DataEnd, Footer
from mcap.stream_reader import StreamReader
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore

from dynid.errors import DynidError
from dynid.identification import signals_file
from dynid.identification.signals_file import GAP, write_signals
from dynid.recording.load import load_recording

TYPES = get_typestore(Stores.ROS2_JAZZY)


@pytest.fixture(scope="module")
def written(identification, tmp_path_factory):
    path = tmp_path_factory.mktemp("signals") / "signals.mcap"
    write_signals(identification, path)
    return path


def topics(path):
    """Topic → stamps of the bag, and decoded messages."""
    found = {}
    with Reader(path) as reader:
        for connection, stamp, raw in reader.messages():
            message = TYPES.deserialize_cdr(raw, connection.msgtype)
            found.setdefault(connection.topic, []).append((stamp, message))
    return found


def column(messages, field):
    return np.array([getattr(message, field) for _, message in messages])


def joined(identification, field):
    return np.concatenate([getattr(signals, field) for signals in identification.signals])


@pytest.mark.parametrize(
    ("topic", "field", "source"),
    [
        ("/dynid/raw", "position", "raw_position"),
        ("/dynid/raw", "effort", "raw_torque"),
        ("/dynid/filtered", "position", "position"),
        ("/dynid/filtered", "velocity", "velocity"),
        ("/dynid/filtered", "effort", "torque"),
        ("/dynid/acceleration", "velocity", "acceleration"),
    ],
)
def test_arrays_come_back_bit_for_bit(identification, written, topic, field, source):
    found = column(topics(written)[topic], field)
    np.testing.assert_array_equal(found, joined(identification, source))


def test_contains_model_torque_and_its_error(identification, written):
    found = topics(written)
    model = np.concatenate(identification.model_torque)
    np.testing.assert_array_equal(column(found["/dynid/model"], "effort"), model)
    np.testing.assert_array_equal(
        column(found["/dynid/torque_error"], "effort"), model - joined(identification, "torque")
    )


def test_every_message_contains_joint_names_and_time(identification, written):
    for messages in topics(written).values():
        for stamp, message in messages:
            assert tuple(message.name) == identification.robot.joints
            assert message.header.stamp.sec * 10**9 + message.header.stamp.nanosec == stamp


def test_recordings_follow_one_another_after_a_gap(identification, written):
    stamps = np.array([stamp for stamp, _ in topics(written)["/dynid/model"]])
    first = len(identification.signals[0].time)
    np.testing.assert_array_equal(np.diff(stamps[:first]), 10**7)
    assert stamps[0] == 0
    assert stamps[first] - stamps[first - 1] == GAP * 1e9


def test_result_does_not_depend_on_blocks(identification, tmp_path, monkeypatch, written):
    monkeypatch.setattr(signals_file, "_BLOCK", 37)
    write_signals(identification, tmp_path / "blocks.mcap")
    whole, blocks = topics(written), topics(tmp_path / "blocks.mcap")
    assert whole.keys() == blocks.keys()
    for topic, messages in whole.items():
        assert [s for s, _ in messages] == [s for s, _ in blocks[topic]]
        np.testing.assert_array_equal(column(messages, "effort"), column(blocks[topic], "effort"))


def test_dynid_reads_its_own_signals_as_a_recording(identification, written, make_identification):
    recording = make_identification(recordings=1)
    path = written.with_name("one.mcap")
    write_signals(recording, path)
    read = load_recording(path, recording.robot.joints, topic="/dynid/filtered")
    np.testing.assert_allclose(read.effort, recording.signals[0].torque, rtol=0, atol=0)


@pytest.mark.thorough
def test_messages_are_never_all_in_memory_at_once(make_identification, tmp_path, monkeypatch):
    identification = make_identification(8_000, 1)

    def peak(block):
        monkeypatch.setattr(signals_file, "_BLOCK", block)
        tracemalloc.start()
        write_signals(identification, tmp_path / "signals.mcap")
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    peak(500)  # once, for what is loaded and cached on first use
    # five topics with messages of at least 120 bytes
    assert peak(8_000) - peak(500) > 7_500 * 5 * 120


def test_an_interrupted_write_leaves_the_old_file(identification, tmp_path, monkeypatch):
    path = tmp_path / "signals.mcap"
    path.write_text("old")

    def interrupted(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_signals(identification, path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["signals.mcap"]


def test_refuses_a_folder_that_does_not_exist(identification, tmp_path):
    with pytest.raises(DynidError, match="cannot be written"):
        write_signals(identification, tmp_path / "none" / "signals.mcap")


def test_numbers_are_at_the_right_offset_for_names_of_any_length(identification, tmp_path):
    for length in range(1, 9):
        names = tuple("é" * length + str(number) for number in range(3))
        signals = tuple(replace(s, joint_names=names) for s in identification.signals)
        write_signals(replace(identification, signals=signals), tmp_path / "signals.mcap")
        found = topics(tmp_path / "signals.mcap")["/dynid/filtered"]
        assert tuple(found[0][1].name) == names
        np.testing.assert_array_equal(column(found, "velocity"), joined(identification, "velocity"))


def test_readers_find_messages_by_topic_and_time(identification, written):
    with written.open("rb") as stream:
        reader = make_reader(stream, validate_crcs=True)
        statistics = reader.get_summary().statistics
        samples = sum(len(signals.time) for signals in identification.signals)
        assert statistics.message_count == 5 * samples
        assert set(statistics.channel_message_counts.values()) == {samples}
        second = {"starting_at": 10**9, "ending_before": 2 * 10**9}
        found = list(reader.iter_messages(topics=["/dynid/model"], **second))
    assert {channel.topic for _, channel, _ in found} == {"/dynid/model"}
    times = [message.log_time for _, _, message in found]
    assert times == [stamp for stamp, _ in topics(written)["/dynid/model"] if 10**9 <= stamp < 2e9]


def test_every_chunk_the_data_and_the_index_have_a_checksum(written):
    with written.open("rb") as stream:
        # refuses a chunk or a data section that does not match its checksum
        records = list(StreamReader(stream, emit_chunks=True, validate_crcs=True).records)
    (end,) = (record for record in records if isinstance(record, DataEnd))
    (footer,) = (record for record in records if isinstance(record, Footer))
    assert all(one.uncompressed_crc for one in records if isinstance(one, Chunk))
    assert end.data_section_crc
    content = written.read_bytes()
    # of the index, and of the footer before its checksum and the magic bytes
    assert footer.summary_crc == zlib.crc32(content[footer.summary_start : -12])
