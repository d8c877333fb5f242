import numpy as np
import pytest
from rosbags.highlevel import AnyReader

from dynid.errors import RecordingError
from dynid.recording.convert import convert, write_bag
from dynid.recording.load import load_recording

NAMES = ["base", "elbow", "wrist"]
EMPTY = {"time": np.empty(0), **dict.fromkeys(("position", "velocity", "effort"), np.empty((0, 3)))}


def assert_same(first, second):
    assert first.sampling_rate == second.sampling_rate
    assert first.repairs == second.repairs
    np.testing.assert_array_equal(first.position, second.position)
    np.testing.assert_array_equal(first.effort, second.effort)
    np.testing.assert_array_equal(first.velocity, second.velocity)


@pytest.mark.parametrize("uneven", [False, True])
def test_a_converted_file_loads_like_the_original(
    make_motion, write_csv, column_map, tmp_path, uneven
):
    steps = np.random.default_rng(0).choice([10, 12] if uneven else [10], 300)
    motion = make_motion(np.cumsum(steps) * 1_000_000)
    motion.effort[50, 1] = np.nan
    file = write_csv(motion)
    convert(file, tmp_path / "bag", column_map())
    assert_same(
        load_recording(tmp_path / "bag", NAMES), load_recording(file, NAMES, columns=column_map())
    )


def test_a_written_recording_loads_unchanged(motion, write_csv, column_map, tmp_path):
    recording = load_recording(write_csv(motion), NAMES, columns=column_map())
    write_bag(recording, tmp_path / "bag")
    assert_same(load_recording(tmp_path / "bag", NAMES), recording)


def test_the_bag_is_plain_rosbag2(motion, write_csv, column_map, tmp_path):
    convert(write_csv(motion), tmp_path / "bag", column_map(), topic="/arm/joint_states")
    assert sorted(file.name for file in (tmp_path / "bag").iterdir()) == [
        "bag.mcap",
        "metadata.yaml",
    ]
    with AnyReader([tmp_path / "bag"]) as reader:  # checks the type's hash against its definition
        (connection,) = reader.connections
        assert (connection.topic, connection.msgcount) == ("/arm/joint_states", 400)
        _, receive_time, raw = next(reader.messages())
        message = reader.deserialize(raw, connection.msgtype)
    assert message.name == NAMES
    assert receive_time == message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def test_negative_times_start_at_zero(motion, write_csv, column_map, tmp_path):
    file = write_csv(motion)
    table = np.loadtxt(file, delimiter=",")
    table[:, 0] -= 2.0
    np.savetxt(file, table, delimiter=",")
    convert(file, tmp_path / "bag", column_map())
    assert load_recording(tmp_path / "bag", NAMES).sources[0].start_time == 0


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_refuses_to_overwrite(motion, write_csv, column_map, tmp_path, kind):
    target = tmp_path / "bag"
    target.mkdir() if kind == "folder" else target.write_text("precious")
    with pytest.raises(RecordingError, match="already exists; nothing was overwritten"):
        convert(write_csv(motion), target, column_map())
    assert target.is_dir() or target.read_text() == "precious"


def test_a_failure_leaves_no_files(motion, write_csv, column_map, tmp_path, monkeypatch):
    file = write_csv(motion)
    before = sorted(tmp_path.iterdir())

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mcap.writer.Writer.flush", fail)
    with pytest.raises(RecordingError, match="No space left on device"):
        convert(file, tmp_path / "bag", column_map())
    assert sorted(tmp_path.iterdir()) == before


def test_refuses_a_missing_folder(motion, write_csv, column_map, tmp_path):
    with pytest.raises(RecordingError, match="cannot be written"):
        convert(write_csv(motion), tmp_path / "none" / "bag", column_map())


def test_arrays_in_any_order_of_memory_are_converted(motion, write_npz, tmp_path):
    names = ("position", "velocity", "effort")
    file = write_npz(motion, **{name: np.asfortranarray(getattr(motion, name)) for name in names})
    convert(file, tmp_path / "bag", None)
    assert_same(load_recording(tmp_path / "bag", NAMES), load_recording(file, NAMES))


def test_a_recording_without_samples_is_not_converted(make_motion, write_npz, tmp_path):
    file = write_npz(make_motion(np.arange(1)), **EMPTY)
    with pytest.raises(RecordingError, match=r"log\.npz: contains no samples"):
        convert(file, tmp_path / "bag", None)
    assert not (tmp_path / "bag").exists()
