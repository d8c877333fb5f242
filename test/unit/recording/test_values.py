"""Impossible values, and names that cannot be printed, or are long."""

import os
from pathlib import Path

import numpy as np
import pytest

from dynid.errors import RecordingError
from dynid.recording.load import load_recording, read_samples
from dynid.recording.timeline import build_recording
from dynid.text import shown, shown_names

from .conftest import ONE_JOINT

NAMES = ["base", "elbow", "wrist"]


@pytest.mark.parametrize("name", ["position", "velocity", "effort"])
@pytest.mark.parametrize("value", [1e308, -1e308, 1e16, np.inf, np.nan])
def test_an_impossible_value_is_repaired_and_counted(motion, make_samples, name, value):
    getattr(motion, name)[[7, 9], 1] = value
    recording = build_recording(make_samples(motion))
    assert np.isfinite(getattr(recording, name)).all()
    assert f"2 of 1200 {name} values were not numbers and were interpolated." in recording.repairs
    beyond = f"2 of 1200 {name} values were beyond 1e+15, which is impossible"
    assert any(beyond in one for one in recording.repairs) == np.isfinite(value)


def test_a_long_run_of_impossible_numbers_is_a_gap(motion, make_samples):
    motion.effort[100:200] = 1e308
    assert build_recording(make_samples(motion)).gaps == ((100, 200),)


@pytest.mark.parametrize("first", [0, 150, 380])
def test_what_looks_possible_between_damaged_messages_is_missing(motion, make_samples, first):
    random = np.random.default_rng(first)
    for name in ("position", "velocity", "effort"):
        damaged = getattr(motion, name)[first : first + 20]
        damaged[:] = 10 ** random.uniform(-300, 300, damaged.shape)
        damaged[::3] = random.uniform(-3, 3, damaged[::3].shape)
    recording = build_recording(make_samples(motion))
    assert any("their messages were damaged" in repair for repair in recording.repairs)
    assert np.abs(recording.position).max() < 1.2
    assert np.abs(recording.velocity).max() < 5.5
    assert (recording.effort > 1.9).all()


def test_impossible_values_of_one_signal_leave_the_others(motion, make_samples):
    motion.effort[[100, 103, 106]] = 1e300
    motion.velocity[300] = 1e300
    recording = build_recording(make_samples(motion))
    np.testing.assert_array_equal(recording.position, motion.position)
    assert not any("damaged" in repair for repair in recording.repairs)


def test_the_largest_possible_value_can_be_resampled(make_motion, make_samples):
    motion = make_motion(np.cumsum(np.where(np.arange(200) % 2, 8, 12)) * 1_000_000)
    motion.position *= 0.9e15
    motion.effort *= 0.2e15
    recording = build_recording(make_samples(motion))
    assert np.isfinite(recording.position).all()


def test_a_cell_of_1e308_in_a_file_is_noted(motion, write_csv, column_map):
    motion.position[50, 0] = 1e308
    columns = column_map(position={"columns": [2, 3, 4], "factor": 32.0})
    recording = load_recording(write_csv(motion), NAMES, columns=columns)
    assert np.isfinite(recording.position).all()
    assert "1 of 1200 position values were not numbers" in recording.repairs[0]


def test_a_file_name_that_is_not_text_can_be_written_and_printed(motion, write_csv, column_map):
    file = write_csv(motion)
    strange = Path(os.fsdecode(os.fsencode(file.parent) + b"/log\xff\n.csv"))
    file.rename(strange)
    recording = load_recording(strange, NAMES, columns=column_map())
    assert recording.sources[0].name == r"log\xff\n.csv"
    strange.write_text("a,b\nc,d\n")
    with pytest.raises(RecordingError) as refused:
        load_recording(strange, NAMES, columns=column_map())
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_a_bag_whose_name_is_not_text_is_read(
    motion, messages_of, write_messages, storage_file, storage
):
    file = storage_file(write_messages({"/joint_states": messages_of(motion)}, storage=storage))
    strange = Path(os.fsdecode(os.fsencode(file.parent) + b"/100% \xff?#" + file.suffix.encode()))
    file.rename(strange)
    recording = load_recording(strange, NAMES)
    assert recording.sources[0].name == rf"100% \xff?#{file.suffix}"
    assert len(recording.time) == 400


def test_very_many_names_are_not_all_listed():
    assert shown_names(f"joint_{number}" for number in range(1000)).endswith("(980 more)")
    assert shown("a\x1b[31mb") == r"a\x1b[31mb"


LONG = "x" * 5000


def test_an_excerpt_has_at_most_80_characters():
    assert shown("y" * 80) == "y" * 80
    assert shown(LONG) == "x" * 79 + "…"


def test_the_name_of_a_file_is_whole():
    assert shown(Path("folder") / ("n" * 200)) == "n" * 200


def test_short_names_are_listed_up_to_20():
    assert shown_names(f"q{i}" for i in range(20)).endswith("q18, q19")
    assert shown_names(f"q{i}" for i in range(22)).endswith("q19, … (2 more)")


@pytest.mark.parametrize(
    ("content", "joints"),
    [
        ("t," + ",".join(f"{i}{LONG}" for i in range(30)) + "\n" + "1," * 30 + "2\n", None),
        ("t,q,e\n1,1,1\n2,3,4\n", [LONG]),
        (f"t,q,e\n1,{LONG},1\n", None),
    ],
    ids=["header", "joint", "cell"],
)
def test_a_refusal_is_short(tmp_path, content, joints):
    path = tmp_path / "log.csv"
    path.write_text(content)
    with pytest.raises(RecordingError) as refusal:
        read_samples(path, joints, columns=ONE_JOINT)
    assert "x" * 80 not in str(refusal.value)
    assert len(str(refusal.value)) < 1200
