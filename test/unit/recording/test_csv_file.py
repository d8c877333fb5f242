import numpy as np
import pytest

from dynid.errors import RecordingError
from dynid.recording.load import load_recording

from .conftest import assert_holds

NAMES = ["base", "elbow", "wrist"]
HEADER = ["t", "q1", "q2", "q3", "dq1", "dq2", "dq3", "u1", "u2", "u3"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", " ", "   "])
@pytest.mark.parametrize("headed", [False, True])
def test_delimiter_and_header_are_detected(motion, write_csv, column_map, delimiter, headed):
    header = delimiter.join(HEADER) if headed else ""
    file = write_csv(motion, delimiter=delimiter, header=header)
    recording = load_recording(file, NAMES, columns=column_map())
    assert_holds(recording, motion)
    assert recording.repairs == ()


SHUFFLED = {
    "joints": ["wrist", "base", "elbow"],
    "position": {"columns": ["q3", "q1", "q2"]},
    "velocity": {"columns": ["dq3", "dq1", "dq2"]},
    "effort": {"columns": ["u3", "u1", "u2"]},
}


@pytest.mark.parametrize(
    ("written", "changes"),
    [
        ({"delimiter": ";", "decimal": ","}, {}),
        ({"delimiter": "\t", "decimal": ","}, {}),
        (
            {"header": ",".join(f'"{name}"' for name in HEADER)},
            SHUFFLED | {"time": {"column": "t"}},
        ),
        ({"header": "\ufeff# " + ",".join(HEADER)}, {"time": {"column": "t"}}),
    ],
    ids=["decimal comma", "and tabs", "names in any order", "comment and byte order mark"],
)
def test_usual_forms_of_text_are_read(motion, write_csv, column_map, written, changes):
    file = write_csv(motion, **written)
    assert_holds(load_recording(file, NAMES, columns=column_map(**changes)), motion)


def test_factor_sign_and_offset_are_applied(motion, write_csv, column_map):
    columns = column_map(
        position={"columns": [2, 3, 4], "factor": [2, 3, 4], "sign": [1, -1, 1], "offset": 0.5},
        time={"column": 1, "factor": 0.5},
    )
    recording = load_recording(write_csv(motion), ["elbow", "base"], columns=columns)
    expected = motion.position[:, [1, 0]] * [-3, 2] + 0.5
    np.testing.assert_allclose(recording.position, expected, rtol=1e-15)
    np.testing.assert_array_equal(recording.effort, motion.effort[:, [1, 0]])
    assert recording.sampling_rate == 200.0


def test_a_sampling_rate_replaces_the_time_column(motion, write_csv, column_map):
    columns = column_map(time=None, sampling_rate=333.3)
    recording = load_recording(write_csv(motion), NAMES, columns=columns)
    assert (recording.sampling_rate, recording.repairs) == (333.3, ())
    np.testing.assert_array_equal(recording.effort, motion.effort)


@pytest.fixture
def two_files(tmp_path, motion, column_map):
    def write():
        for name, values in (("pos.csv", motion.position), ("cur.csv", motion.effort)):
            np.savetxt(tmp_path / name, values, delimiter=",", fmt="%.17g", header="A,B,C")
        return column_map(
            time=None,
            sampling_rate=100,
            position={"columns": ["A", "B", "C"], "file": "pos.csv"},
            velocity=None,
            effort={"columns": ["A", "B", "C"], "file": "cur.csv"},
        )

    return write


@pytest.mark.parametrize("given", [".", "pos.csv", "cur.csv"])
def test_two_files_are_one_recording(two_files, tmp_path, motion, given):
    recording = load_recording(tmp_path / given, NAMES, columns=two_files())
    np.testing.assert_array_equal(recording.position, motion.position)
    np.testing.assert_array_equal(recording.effort, motion.effort)
    assert recording.velocity is None
    assert [source.name for source in recording.sources] == ["pos.csv", "cur.csv"]


@pytest.mark.parametrize(
    ("name", "spoil", "sentence"),
    [
        (
            "cur.csv",
            lambda text: text.rpartition("\n")[0].rpartition("\n")[0],
            "400, cur.csv has 399",
        ),
        ("other.csv", lambda _: "1,2\n", r"other.csv: is none of .* cur\.csv, pos\.csv"),
        ("cur.csv", None, r"cur.csv: there is no such file beside pos\.csv"),
    ],
    ids=["other length", "not in the map", "missing"],
)
def test_files_that_do_not_fit_the_map_are_refused(two_files, tmp_path, name, spoil, sentence):
    columns, file = two_files(), tmp_path / name
    if spoil is None:
        file.unlink()
    else:
        file.write_text(spoil(file.read_text() if file.exists() else ""))
    given = tmp_path / (name if name == "other.csv" else "pos.csv")
    with pytest.raises(RecordingError, match=sentence):
        load_recording(given, NAMES, columns=columns)


def test_refuses_a_folder_when_the_map_names_no_files(tmp_path, column_map):
    with pytest.raises(RecordingError, match="does not name a file for every signal"):
        load_recording(tmp_path, NAMES, columns=column_map())


@pytest.mark.parametrize(
    ("header", "changes", "sentence"),
    [
        (HEADER, {"time": {"column": "time"}}, "column 'time' does not exist; available are t, q1"),
        (HEADER, {"time": {"column": 11}}, "column 11 does not exist; the file has 10 columns"),
        (
            HEADER,
            {"joints": ["base", "elbow", "tool"]},
            "joint 'wrist' is missing; available are b",
        ),
        (HEADER, {"header": False}, "line 1, column 1 contains 't', expected a number"),
        (HEADER, {"time": {"column": 1, "factor": 1e10}}, "expected a finite time in seconds"),
        ([], {"time": {"column": "t"}}, "no header, so column 't' cannot be found"),
        (["t", *HEADER[:9]], {"time": {"column": "t"}}, "column 't' appears more than once"),
        (HEADER[1:], {}, "header names 9 columns, but line 2 has 10"),
    ],
)
def test_refuses_a_map_that_does_not_fit_the_file(
    motion, write_csv, column_map, header, changes, sentence
):
    file = write_csv(motion, header=",".join(header))
    with pytest.raises(RecordingError, match=sentence):
        load_recording(file, NAMES, columns=column_map(**changes))


def edited(file, line, change):
    lines = file.read_text().split("\n")
    lines[line - 1] = change(lines[line - 1])
    file.write_text("\n".join(lines))
    return file


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (
            lambda line: line.replace(line.split(",")[2], "1.2.3", 1),
            r"line 57, column 3 contains '1\.2\.3'",
        ),
        (lambda line: line.rpartition(",")[0], "line 57 has 9 columns, expected 10"),
        (lambda line: line + ",1", "line 57 has 11 columns, expected 10"),
        (lambda line: "\n" + line, "line 57 has 0 columns"),
    ],
    ids=["no number", "cell missing", "cell too many", "blank line"],
)
def test_refuses_a_damaged_row_by_its_line(motion, write_csv, column_map, spoil, sentence):
    file = edited(write_csv(motion), 57, spoil)
    with pytest.raises(RecordingError, match=sentence):
        load_recording(file, NAMES, columns=column_map())


def test_an_empty_cell_is_a_missing_value(motion, write_csv, column_map):
    cells = [repr(float(value)) for value in motion.effort[56]]
    file = edited(write_csv(motion), 57, lambda line: line.replace(cells[1], ""))
    recording = load_recording(file, NAMES, columns=column_map())
    assert recording.repairs == ("1 of 1200 effort values were not numbers and were interpolated.",)


def test_an_incomplete_last_line_is_dropped_and_noted(motion, write_csv, column_map):
    file = write_csv(motion)
    text = file.read_text().rstrip("\n")
    for length in range(0, text.split("\n")[-1].rindex(",") + 1, 5):
        file.write_text(text[:-length] if length else text)
        recording = load_recording(file, NAMES, columns=column_map())
        rows = len(recording.time)
        np.testing.assert_allclose(recording.position, motion.position[:rows], rtol=1e-15)
        if file.read_text().split("\n")[-1].count(",") < 9:
            assert rows == 399
            assert "cut off at the end of the file (line 400)" in recording.repairs[0]
        elif not length:
            assert_holds(recording, motion)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"a,b,c\n", "a header but no rows"),
        (b"\xff\xfd\x00\x01" * 9, "is not a text file"),
        (b"1,2\0,3\n", "is not a text file"),
    ],
)
def test_refuses_a_file_that_is_not_a_table(tmp_path, column_map, content, sentence):
    file = tmp_path / "log.csv"
    file.write_bytes(content)
    with pytest.raises(RecordingError, match=sentence):
        load_recording(file, NAMES, columns=column_map())


def test_refuses_csv_without_a_map(motion, write_csv):
    with pytest.raises(RecordingError, match="10 columns without names"):
        load_recording(write_csv(motion), NAMES)
