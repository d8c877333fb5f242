import re
import shutil
import sqlite3

import numpy as np
import pytest
import yaml

from dynid.errors import RecordingError
from dynid.recording.load import load_recording


@pytest.fixture
def single_file(motion, messages_of, write_messages, storage_file, tmp_path):
    def write(storage):
        bag = write_messages({"/joint_states": messages_of(motion)}, storage=storage)
        return shutil.move(storage_file(bag), tmp_path / f"robot{storage_file_suffix(storage)}")

    return write


def storage_file_suffix(storage):
    return ".mcap" if storage == "mcap" else ".db3"


def cut_off(file, share):
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * share)])


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
@pytest.mark.parametrize("share", [0.5, 0.7, 0.9])
def test_complete_messages_of_a_cut_off_file_are_read_and_noted(
    single_file, motion, storage, share
):
    file = single_file(storage)
    cut_off(file, share)
    recording = load_recording(file, motion.names)
    count = len(recording.time)
    # half is for the rest of a file: schema, definitions, page ends
    assert 0.5 * share * 400 < count <= 400
    np.testing.assert_array_equal(recording.position, motion.position[:count])
    np.testing.assert_array_equal(recording.effort, motion.effort[:count])
    (sentence,) = recording.repairs
    assert file.name in sentence
    expected = (
        "was cut off" if storage == "mcap" else f"{count} messages of /joint_states were read"
    )
    assert expected in sentence


def test_a_cut_off_file_in_a_folder_with_metadata_is_read(
    motion, messages_of, write_messages, storage_file
):
    bag = write_messages({"/joint_states": messages_of(motion)})
    cut_off(storage_file(bag), 0.5)
    recording = load_recording(bag, motion.names)
    assert 100 < len(recording.time) < 400
    assert "was cut off" in recording.repairs[0]


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
@pytest.mark.parametrize("size", [0, 1, 8, 20, 60, 150, 900, 1500])
def test_a_truncated_file_is_refused_with_a_sentence(single_file, motion, storage, size):
    file = single_file(storage)
    file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(RecordingError, match=rf"^{file.name}.*\.$"):
        load_recording(file, motion.names)


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_a_file_of_something_else_is_refused_with_a_sentence(tmp_path, motion, storage):
    file = tmp_path / f"robot{storage_file_suffix(storage)}"
    file.write_bytes(b"this is no recording, however long it is made " * 100)
    with pytest.raises(RecordingError, match="cannot be read as a rosbag2 recording"):
        load_recording(file, motion.names)


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_damaged_bytes_are_always_reported_with_a_sentence(single_file, motion, storage):
    random = np.random.default_rng(3)
    file = single_file(storage)
    content = bytearray(file.read_bytes())
    for _ in range(40):
        damaged = bytearray(content)
        place = int(random.integers(len(damaged) - 64))
        damaged[place : place + 64] = random.bytes(64)
        file.write_bytes(damaged)
        try:
            recording = load_recording(file, motion.names)
        except RecordingError:
            continue
        assert np.isfinite(recording.position).all()


def test_a_journal_of_the_file_is_read_too(single_file, motion, tmp_path):
    file = single_file("sqlite3")
    open_file = tmp_path / "open.db3"
    shutil.copy(file, open_file)
    connection = sqlite3.connect(open_file)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("CREATE TABLE later AS SELECT * FROM messages WHERE id > 300")
    connection.execute("DELETE FROM messages WHERE id > 300")
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("INSERT INTO messages SELECT * FROM later")
    connection.commit()
    for ending in ("", "-wal"):  # the recorder is killed here, without a checkpoint
        shutil.copy(f"{open_file}{ending}", f"{tmp_path / 'killed.db3'}{ending}")
    connection.close()
    recording = load_recording(tmp_path / "killed.db3", motion.names)
    np.testing.assert_array_equal(recording.position, motion.position)
    assert "was not closed by its recorder: 400 messages were read" in recording.repairs[0]


def test_a_missing_file_of_a_folder_is_noted(motion, messages_of, write_messages, storage_file):
    bag = write_messages({"/joint_states": messages_of(motion)})
    file = storage_file(bag)
    shutil.move(file, bag / "renamed.mcap")
    recording = load_recording(bag, motion.names)
    assert "read file by file because" in recording.repairs[0]
    assert file.name in recording.repairs[0]


def test_an_empty_folder_and_a_missing_path_are_refused(tmp_path):
    with pytest.raises(RecordingError, match="is a folder without a recording"):
        load_recording(tmp_path, ["a"])
    with pytest.raises(RecordingError, match="no such file or folder"):
        load_recording(tmp_path / "none", ["a"])


def test_a_cut_off_file_may_contain_messages_out_of_order(
    motion, messages_of, write_messages, storage_file
):
    messages = messages_of(motion)
    for first, second in zip(messages[::2], messages[1::2], strict=True):
        first.receive, second.receive = second.receive, first.receive
    file = storage_file(write_messages({"/joint_states": messages}))
    cut_off(file, 0.8)
    recording = load_recording(file, motion.names)
    np.testing.assert_array_equal(recording.position, motion.position[: len(recording.time)])


def name_too_long(information):
    information["relative_file_paths"] = ["9" * 5000 + ".mcap"]


def count_without_end(information):
    information["topics_with_message_count"][0]["message_count"] = float("inf")


@pytest.mark.parametrize("alter", [name_too_long, count_without_end])
def test_metadata_with_an_impossible_name_or_number_is_not_used(
    motion, messages_of, write_messages, alter
):
    bag = write_messages({"/joint_states": messages_of(motion)})
    content = yaml.safe_load((bag / "metadata.yaml").read_text())
    alter(content["rosbag2_bagfile_information"])
    (bag / "metadata.yaml").write_text(yaml.safe_dump(content))
    recording = load_recording(bag, motion.names)
    np.testing.assert_array_equal(recording.position, motion.position)
    assert "was read file by file because" in recording.repairs[0]


def test_reading_ends_at_an_invalid_message_in_a_cut_off_chunk(single_file, motion):
    file = single_file("mcap")
    cut_off(file, 0.7)
    whole = load_recording(file, motion.names)
    dropped = int(re.search(r"cut off: (\d+) bytes", whole.repairs[0]).group(1))
    content = file.read_bytes()
    with file.open("wb") as out:
        out.write(content[: len(content) - dropped])
        out.write(bytes([5]) + (1).to_bytes(8, "little") + b"\0")
    recording = load_recording(file, motion.names)
    np.testing.assert_array_equal(recording.position, whole.position)
