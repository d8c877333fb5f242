"""Altered recordings: lost messages are reported, and no altered data are used."""

import damaged_recordings
import numpy as np
import pytest
from mcap.reader import make_reader

from dynid.errors import RecordingError
from dynid.recording.bag_writer import BagWriter
from dynid.recording.info import describe
from dynid.recording.load import load_recording

from .conftest import JOINT_STATE, serialize

CHUNKS, EACH = 8, 50


@pytest.fixture
def bag(motion, messages_of, tmp_path):
    """Eight chunks of 50 messages, by default closed."""

    def write(closed=True, compressed=False):
        writer = BagWriter(tmp_path / "bag", compressed=compressed)
        writer.add_topic("/joint_states", JOINT_STATE)
        for number, message in enumerate(messages_of(motion), start=1):
            writer.write("/joint_states", message.receive, bytes(serialize(message)))
            if number % EACH == 0:
                writer.flush()
        if closed:
            writer.close()
        else:
            writer._stream.close()
        return tmp_path / "bag" / "bag.mcap"

    return write


def chunk_places(file):
    with file.open("rb") as stream:
        return [
            (one.chunk_start_offset, one.chunk_length)
            for one in make_reader(stream).get_summary().chunk_indexes
        ]


def alter(file, place, by=1):
    content = bytearray(file.read_bytes())
    content[place] = (content[place] + by) % 256
    file.write_bytes(content)


@pytest.mark.parametrize("compressed", [False, True])
def test_an_altered_last_chunk_is_ignored_and_its_messages_counted(bag, motion, compressed):
    file = bag(compressed=compressed)
    start, length = chunk_places(file)[-1]
    alter(file, start + length - 20)
    recording = load_recording(file, motion.names)
    np.testing.assert_array_equal(recording.position, motion.position[: 7 * EACH])
    assert recording.repairs == (
        "bag.mcap is damaged (1 of 8 chunks are damaged and were ignored): "
        "50 of 400 messages of /joint_states are lost.",
    )


def test_messages_of_an_altered_chunk_are_counted_in_a_bag_that_was_not_closed(bag, motion):
    file = bag(closed=False)
    content = file.read_bytes()
    alter(file, content.index(b"base") + 40)
    with pytest.raises(RecordingError, match=r"no topics|topic /joint_states is missing"):
        load_recording(file, motion.names)  # the first chunk also describes the messages
    file.write_bytes(content)
    alter(file, content.rindex(b"base") + 40)
    recording = load_recording(file, motion.names)
    assert len(recording.time) == 7 * EACH
    assert "50 of 400 messages of /joint_states are lost" in recording.repairs[0]


def test_an_altered_chunk_in_the_middle_is_a_gap_and_lost_messages_are_counted(bag, motion):
    file = bag()
    start, length = chunk_places(file)[3]
    alter(file, start + length // 2)
    recording = load_recording(file, motion.names)
    assert "50 of 400 messages of /joint_states are lost" in recording.repairs[0]
    assert "missing for 0.510 s" in recording.repairs[-1]
    assert recording.gaps == ((150, 200),)
    np.testing.assert_array_equal(
        load_recording(file, motion.names, start=2.0).position, motion.position[200:]
    )


@pytest.mark.parametrize("back", [10, 60, 200, 400])
def test_an_altered_index_loses_nothing(bag, motion, back):
    file = bag()
    alter(file, file.stat().st_size - back)
    recording = load_recording(file, motion.names)
    np.testing.assert_array_equal(recording.position, motion.position)
    (sentence,) = recording.repairs
    assert "index is damaged" in sentence
    assert "400 messages of /joint_states were read" in sentence


@pytest.mark.parametrize("place", [1, 2, 8])
def test_an_altered_length_loses_at_most_one_chunk(bag, motion, place):
    """Bytes 1 to 8 of a record are its length, which leads to the next one."""
    file = bag()
    alter(file, chunk_places(file)[0][0] + place)
    recording = load_recording(file, motion.names, start=0.1)
    assert len(recording.time) >= 7 * EACH - 10
    assert "50 of 400 messages of /joint_states are lost" in recording.repairs[0]


def test_a_different_count_in_metadata_is_noted(bag, motion):
    folder = bag().parent
    metadata = folder / "metadata.yaml"
    metadata.write_text(metadata.read_text().replace("message_count: 400", "message_count: 401"))
    assert load_recording(folder, motion.names).repairs == (
        "metadata.yaml lists 401 messages of /joint_states, but 400 were read.",
    )


def test_info_describes_the_checksums(bag, motion, messages_of, write_messages):
    assert describe(bag()).checksums == "of every chunk"
    plain = write_messages({"/joint_states": messages_of(motion)}, name="plain")
    assert describe(plain).checksums == ""


@pytest.mark.thorough
@pytest.mark.parametrize("name", list(damaged_recordings.SUBJECTS))
def test_one_altered_byte_never_crashes_and_is_never_silent_under_a_checksum(name):
    tally = damaged_recordings.alter(name, 60, seed=1)
    assert tally.counts["crashed"] == 0, tally.examples
    assert tally.not_finite == 0
    if damaged_recordings.SUBJECTS[name].checksum:
        assert tally.counts["silent"] == 0, tally.examples
    assert sum(tally.counts.values()) == 60
