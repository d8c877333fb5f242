import numpy as np
import pytest

from dynid.errors import RecordingError
from dynid.recording.load import load_recording

NAMES = ["base", "elbow"]
MAP = {
    "time": {"column": "t"},
    "joints": NAMES,
    "position": {"columns": ["q1", "q2"], "file": "pos.csv"},
    "velocity": None,
    "effort": {"columns": ["i1", "i2"], "file": "curr.csv"},
}


def angle(t):
    return np.column_stack([np.sin(2 * t), np.cos(3 * t)])


def current(t):
    return np.column_stack([5 * np.cos(t), 2 + np.sin(t)])


@pytest.fixture
def folder(tmp_path):
    def write(positions, efforts, header=("t,q1,q2", "t,i1,i2")):
        for name, times, values, words in (
            ("pos.csv", positions, angle, header[0]),
            ("curr.csv", efforts, current, header[1]),
        ):
            table = np.column_stack([times, values(times)])
            np.savetxt(tmp_path / name, table, delimiter=",", header=words, comments="")
        return tmp_path

    return write


@pytest.fixture
def load(column_map):
    def call(folder, **changes):
        return load_recording(folder, NAMES, columns=column_map(**(MAP | changes)))

    return call


def test_files_with_their_own_times_are_brought_to_those_of_the_fastest(folder, load):
    recording = load(folder(np.arange(0, 8, 0.01), np.arange(0.5, 9, 0.002)))
    assert recording.sampling_rate == 500
    at = 0.5 + recording.time
    # a cubic spline of steps h = 10 ms is off by 5 / 384 h^4 max |q''''|, its ends by some more
    assert np.abs(recording.position - angle(at)).max() < 81 * 0.01**4
    np.testing.assert_allclose(recording.effort, current(at), atol=1e-12)
    assert "pos.csv has 800 rows, curr.csv has 4250 rows" in recording.repairs[0]
    assert recording.duration == pytest.approx(7.99 - 0.5, abs=0.003)


def test_equally_many_rows_at_different_times_are_not_taken_for_the_same(folder, load):
    times = np.arange(0, 8, 0.01)
    recording = load(folder(times, times + 0.1))
    np.testing.assert_allclose(recording.effort, current(0.1 + recording.time), atol=1e-12)
    assert np.abs(recording.position - angle(0.1 + recording.time)).max() < 81 * 0.01**4


def test_equal_times_change_nothing(folder, load):
    times = np.arange(0, 8, 0.01)
    recording = load(folder(times, times))
    assert recording.repairs == ()
    np.testing.assert_allclose(recording.position, angle(times), atol=1e-15)


def test_a_signal_can_name_its_own_time_column_and_unit(folder, load):
    place = folder(np.arange(0, 8, 0.01), np.arange(0, 8, 0.004), ("t,q1,q2", "ms,i1,i2"))
    text = (place / "curr.csv").read_text().splitlines()
    rows = [line.split(",") for line in text[1:]]
    lines = [",".join([repr(1000 * float(row[0])), *row[1:]]) for row in rows]
    (place / "curr.csv").write_text("\n".join([text[0], *lines]))
    effort = MAP["effort"] | {"time": {"column": "ms", "factor": 0.001}}
    recording = load(place, effort=effort)
    np.testing.assert_allclose(recording.effort, current(recording.time), atol=1e-12)


def test_a_gap_in_one_file_is_not_hidden_by_the_other(folder, load):
    times = np.arange(0, 8, 0.01)
    gap = times[(times < 3) | (times > 3.6)]
    recording = load(folder(gap, np.arange(0, 8, 0.002)))
    ((first, past),) = recording.gaps
    assert recording.time[first] == pytest.approx(3.0, abs=0.02)
    assert recording.time[past] == pytest.approx(3.61, abs=0.02)


def test_different_rows_without_times_are_refused_with_what_is_missing(folder, load):
    place = folder(np.arange(0, 8, 0.01), np.arange(0, 8, 0.002))
    with pytest.raises(RecordingError, match=r"pos.csv has 800, curr.csv has 4000; .*time column"):
        load(place, time=None, sampling_rate=100)
    with pytest.raises(RecordingError, match="must have the same number of rows"):
        load(folder(np.arange(0, 8, 0.01), np.arange(0, 8, 0.002), ("t,q1,q2", "x,i1,i2")))


def test_times_of_different_clocks_are_refused(folder, load):
    with pytest.raises(RecordingError, match=r"no time in common: pos\.csv from 0 to .* one clock"):
        load(folder(np.arange(0, 8, 0.01), 100 + np.arange(0, 8, 0.002)))


def test_a_clock_that_jumps_back_in_one_file_is_refused(folder, load):
    times = np.arange(0, 8, 0.002)
    back = np.concatenate([times[:1000], times[500:]])
    with pytest.raises(RecordingError, match=r"curr\.csv: the clock jumps back by 0\.998 s at row"):
        load(folder(np.arange(0, 8, 0.01), back))
