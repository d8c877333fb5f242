"""Long recordings, read in parts: the same as the means of the whole."""

from dataclasses import replace

import numpy as np
import pytest

from dynid.errors import RecordingError
from dynid.recording.averaging import Bound, averaged
from dynid.recording.load import load_recording

NAMES = ["base", "elbow", "wrist"]
BOUND = Bound(10.0)
STEP = 10_000_000  # [ns]
SAMPLES = 4000


@pytest.fixture(autouse=True)
def short_parts(monkeypatch):
    """Parts of 700 samples, of recordings of more than 1000."""
    monkeypatch.setattr("dynid.recording.averaging.MOST_NUMBERS", 3000)
    monkeypatch.setattr("dynid.recording.load.MOST_NUMBERS", 3000)
    monkeypatch.setattr("dynid.recording.load._MESSAGES_AT_ONCE", 150)
    monkeypatch.setattr("dynid.recording.parts._ROWS", 600)
    monkeypatch.setattr("dynid.recording.parts._SEARCHED", 100)
    monkeypatch.setattr("dynid.recording.text_lines._BLOCK", 2**12)


@pytest.fixture
def file_of(write_csv, write_messages, messages_of):
    """Write a motion to a file of a kind; return it and what is read of it."""

    def write(kind, motion):
        if kind == "csv":
            return write_csv(motion)
        return write_messages({"/joint_states": messages_of(motion)}, storage=kind)

    return write


def load(path, columns, bound=BOUND):
    return load_recording(path, NAMES, columns=columns, bound=bound)


KINDS = pytest.mark.parametrize("kind", ["csv", "mcap", "sqlite3"])


def regular(make_motion):
    return make_motion(np.arange(SAMPLES) * STEP + 10**9)


def without(motion, rows):
    kept = np.delete(np.arange(len(motion.stamps)), rows)
    arrays = ("stamps", "position", "velocity", "effort")
    return replace(motion, **{name: getattr(motion, name)[kept] for name in arrays})


def assert_same(found, whole):
    assert found.averaged == 4
    expected = averaged(whole, found.averaged)
    assert found.sampling_rate == expected.sampling_rate
    np.testing.assert_array_equal(found.time, expected.time)
    for name, values in expected.measured().items():
        np.testing.assert_allclose(found.measured()[name], values, atol=1e-12)
    np.testing.assert_array_equal(found.position_step, expected.position_step)


@KINDS
def test_parts_are_the_means_of_the_whole(kind, file_of, column_map, make_motion, monkeypatch):
    path = file_of(kind, regular(make_motion))
    columns = column_map() if kind == "csv" else None
    whole = load(path, columns, None)
    assert len(whole) == SAMPLES
    monkeypatch.setattr("dynid.recording.load.read_samples", None)  # not called
    found = load(path, columns)
    assert_same(found, whole)
    assert (found.sources, found.gaps, found.repairs) == (whole.sources, (), ())


@KINDS
def test_missing_samples_are_interpolated_in_every_part(kind, file_of, column_map, make_motion):
    motion = without(regular(make_motion), [90, 91, 1500, 2222, 3123])
    path = file_of(kind, motion)
    columns = column_map() if kind == "csv" else None
    whole, found = load(path, columns, None), load(path, columns)
    assert found.averaged == 4
    expected = averaged(whole, 4)
    np.testing.assert_array_equal(found.missing, expected.missing)
    np.testing.assert_allclose(found.position, expected.position, atol=1e-3)
    assert len([one for one in found.repairs if "were missing" in one]) == 1


def test_samples_in_wrong_order_are_put_in_order(file_of, column_map, make_motion):
    motion = regular(make_motion)
    order = np.arange(SAMPLES)
    for row in (50, 699, 700, 701, 1400, 2950):
        order[row : row + 3] = order[row : row + 3][::-1]
    arrays = ("stamps", "position", "velocity", "effort")
    mixed = replace(motion, **{name: getattr(motion, name)[order] for name in arrays})
    path = file_of("mcap", mixed)
    assert_same(load(path, None), load(path, None, None))


def test_a_pause_is_a_gap_at_the_same_time(file_of, column_map, make_motion):
    motion = without(regular(make_motion), np.arange(1800, 1960))
    path = file_of("csv", motion)
    whole, found = load(path, column_map(), None), load(path, column_map())
    expected = averaged(whole, found.averaged)
    assert found.gaps == expected.gaps
    assert len(found) == len(expected)


def test_uneven_stamps_make_pieces_without_jumps(file_of, column_map, make_motion):
    jitter = np.random.default_rng(1).uniform(-0.3, 0.3, SAMPLES) * STEP
    motion = make_motion(np.arange(SAMPLES) * STEP + jitter.astype(np.int64) + 10**9)
    path = file_of("csv", motion)
    found = load(path, column_map())
    assert found.averaged > 1
    for piece in found.pieces:
        # no faster than the motion, whose speed is its largest velocity
        speed = np.abs(np.diff(piece.position, axis=0)).max() * piece.sampling_rate
        assert speed < 1.05 * np.abs(motion.velocity).max()


def test_a_joint_that_rests_in_some_parts_is_not_called_constant(file_of, column_map, make_motion):
    motion = regular(make_motion)
    motion.position[:2000, 1] = motion.position[2000, 1]
    motion.position[:, 2] = 0.5
    motion.velocity[:] = np.gradient(motion.position, 0.01, axis=0)
    path = file_of("csv", motion)
    whole, found = load(path, column_map(), None), load(path, column_map())
    assert_same(found, whole)
    assert found.repairs == whole.repairs
    assert "position of 1 of 3 joints" in found.repairs[-1]


def test_a_damaged_row_is_named_as_when_all_is_read(write_csv, column_map, make_motion):
    path = write_csv(regular(make_motion))
    lines = path.read_text().splitlines()
    lines[2999] = lines[2999].replace(",", ",x", 1)
    path.write_text("\n".join(lines) + "\n")
    sentences = []
    for bound in (BOUND, None):
        with pytest.raises(RecordingError) as error:
            load(path, column_map(), bound)
        sentences.append(str(error.value))
    assert "line 3000, column 2" in sentences[0]
    assert sentences[0] == sentences[1]


def test_stamps_that_change_their_rate_are_read_as_a_whole(file_of, column_map, make_motion):
    steps = np.where(np.arange(SAMPLES) < 1850, STEP, 2 * STEP)
    motion = make_motion(np.cumsum(steps))
    path = file_of("csv", motion)
    whole, found = load(path, column_map(), None), load(path, column_map())
    assert found.averaged == BOUND.step(whole.effort.size, whole.sampling_rate)
    np.testing.assert_array_equal(found.position, averaged(whole, found.averaged).position)


def test_temperatures_keep_their_times(write_csv, column_map, make_motion):
    motion = regular(make_motion)
    path = write_csv(motion)
    warming = 20 + 0.01 * motion.seconds
    rows = zip(path.read_text().splitlines(), warming, strict=True)
    path.write_text("".join(f"{row},{float(celsius)!r}\n" for row, celsius in rows))
    columns = column_map(temperature={"columns": [11, 11, 11]})
    found = load(path, columns)
    assert found.averaged == 4
    assert np.all(np.diff(found.temperature.time) > 0)
    expected = 20 + 0.01 * found.temperature.time
    np.testing.assert_allclose(found.temperature.celsius[:, 0], expected, atol=1e-3)


def test_a_short_recording_keeps_its_samples(file_of, column_map, make_motion):
    motion = make_motion(np.arange(900) * STEP)
    found = load(file_of("csv", motion), column_map())
    assert (len(found), found.averaged) == (900, 1)


def test_a_span_keeps_its_samples(file_of, column_map, make_motion):
    path = file_of("csv", regular(make_motion))
    found = load_recording(path, NAMES, columns=column_map(), stop=5.0, bound=BOUND)
    assert (len(found), found.averaged) == (500, 1)
