"""Spans without unreadable places."""

from dataclasses import replace

import numpy as np
import pytest

from dynid.errors import RecordingError
from dynid.recording.convert import convert
from dynid.recording.info import describe
from dynid.recording.load import load_recording

NAMES = ["base", "elbow", "wrist"]


@pytest.fixture
def spoilt(motion, write_csv):
    """A table of 400 rows at 100 Hz with some lines changed."""

    def write(**changes):
        file = write_csv(motion)
        lines = file.read_bytes().split(b"\n")
        for line, change in changes.items():
            number = int(line.removeprefix("line_"))
            lines[number - 1] = change(lines[number - 1])
        file.write_bytes(b"\n".join(lines))
        return file

    return write


def garbage(line):
    return b"\xff\xfe starting up ..." + line[:20]


def bad_cell(line):
    return line.replace(b",", b",??", 1)


def cut(line):
    return line[: len(line) // 2]


@pytest.mark.parametrize("change", [garbage, bad_cell, cut])
def test_damaged_first_rows_are_excluded_by_start(spoilt, motion, column_map, change):
    file = spoilt(line_1=change, line_2=change, line_3=change)
    with pytest.raises(RecordingError, match=r"line 1.*Select a span without it"):
        load_recording(file, NAMES, columns=column_map())
    recording = load_recording(file, NAMES, columns=column_map(), start=1.0)
    np.testing.assert_array_equal(recording.effort[-1], motion.effort[-1])
    assert len(recording.time) == (300 if change is not garbage else 297)
    assert recording.repairs == ("3 places outside of the span cannot be read.",)


def test_damaged_last_rows_are_excluded_by_stop(spoilt, motion, column_map):
    file = spoilt(line_390=bad_cell, line_395=cut, line_396=garbage)
    recording = load_recording(file, NAMES, columns=column_map(), stop=3.8)
    np.testing.assert_array_equal(recording.effort, motion.effort[:380])


def test_a_damaged_row_within_the_span_is_refused_with_its_place(spoilt, column_map):
    file = spoilt(line_101=bad_cell, line_201=bad_cell)
    sentence = r"line 101, column 2 .* 1\.000 s after the first sample\. 1 more"
    with pytest.raises(RecordingError, match=sentence):
        load_recording(file, NAMES, columns=column_map(), start=0.5)


def test_a_clock_that_jumps_before_the_span_does_not_matter(
    make_motion, messages_of, write_messages
):
    stamps = np.arange(400) * 10_000_000 + 5 * 10**9
    stamps[20:40] -= 100_000_000
    motion = make_motion(stamps)
    bag = write_messages({"/joint_states": messages_of(motion)})
    with pytest.raises(RecordingError, match="clock jumps back"):
        load_recording(bag, motion.names)
    recording = load_recording(bag, motion.names, start=1.0)
    np.testing.assert_array_equal(recording.position, motion.position[100:])


def test_a_message_of_the_wrong_length_before_the_span_does_not_matter(
    motion, messages_of, write_messages
):
    messages = messages_of(motion)
    messages[3] = replace(messages[3], effort=[1.0])
    bag = write_messages({"/joint_states": messages})
    with pytest.raises(RecordingError, match="message 4 has 1 effort values for 3 names"):
        load_recording(bag, motion.names)
    recording = load_recording(bag, motion.names, start=1.0)
    np.testing.assert_array_equal(recording.velocity, motion.velocity[100:])


def test_info_describes_readable_data_and_names_damaged_rows(spoilt, column_map):
    file = spoilt(line_1=garbage, line_2=cut, line_3=bad_cell)
    info = describe(file, columns=column_map())
    assert info.timing.samples == 399  # of one row the time cannot be read
    assert [joint.name for joint in info.joints] == NAMES
    assert [sentence.partition(": ")[2][:6] for sentence in info.damage] == [
        "line 1",
        "line 2",
        "line 3",
    ]
    assert "line 1" in info.problem
    shape = describe(file)
    assert (shape.rows, shape.columns, len(shape.damage)) == (400, 10, 2)


def test_info_describes_a_table_with_hardly_any_number(tmp_path, column_map):
    file = tmp_path / "log.csv"
    file.write_text("a,b,c,d,e,f,g,h,i,j\n" * 2000)
    info = describe(file, columns=column_map())
    assert (info.rows, info.columns) == (1999, 10)
    assert "expected a number" in info.problem


def test_a_damaged_row_is_not_converted(spoilt, column_map, tmp_path):
    with pytest.raises(RecordingError, match="line 7, column 2"):
        convert(spoilt(line_7=bad_cell), tmp_path / "bag", column_map())
    assert not (tmp_path / "bag").exists()


def test_a_damaged_first_row_is_not_a_header(spoilt, column_map):
    file = spoilt(line_1=lambda line: line.replace(b".", b"x", 1))
    with pytest.raises(RecordingError, match="line 1, column"):
        load_recording(file, NAMES, columns=column_map())


def with_changed_bit(file, array):
    """Change one bit of an array in a file."""
    content = bytearray(file.read_bytes())
    content[content.index(array.tobytes()) + 100] ^= 1
    file.write_bytes(content)
    return file


def test_info_names_the_damaged_array_and_the_readable_ones(write_npz, motion):
    file = with_changed_bit(write_npz(motion), motion.effort)
    info = describe(file)
    assert "'effort' is damaged" in info.problem
    assert "readable are time (400), position (400 x 3)" in info.problem


def test_a_damaged_velocity_is_ignored_and_counted(write_npz, motion):
    file = with_changed_bit(write_npz(motion), motion.velocity)
    recording = load_recording(file, motion.names)
    assert recording.velocity is None
    assert "array 'velocity' cannot be read" in recording.repairs[0]
    assert "all its 400 samples were ignored" in recording.repairs[0]
