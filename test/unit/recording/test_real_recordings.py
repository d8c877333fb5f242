"""Recordings of real robots, which are not part of the repository."""

from pathlib import Path

import numpy as np
import pytest

from dynid.configuration import parse
from dynid.recording.columns import ColumnMap
from dynid.recording.load import load_recording

DATA = Path(__file__).parents[3] / ".." / "shared" / "data"
UR_JOINTS = [
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "elbow_joint",
    "wrist_1_joint",
    "wrist_2_joint",
    "wrist_3_joint",
]
UR10E_COLUMNS = {
    "header": False,
    "time": {"column": 1},
    "joints": UR_JOINTS,
    "position": {"columns": [2, 3, 4, 5, 6, 7]},
    "velocity": {"columns": [8, 9, 10, 11, 12, 13]},
    "effort": {"columns": [14, 15, 16, 17, 18, 19]},
}
TX40_NAMES = [f"Joint_{number}" for number in range(1, 7)]
TX40_COLUMNS = {
    "sampling_rate": 5000,
    "joints": TX40_NAMES,
    "position": {"columns": TX40_NAMES, "file": "pos_read_data.csv"},
    "effort": {"columns": TX40_NAMES, "file": "curr_data.csv"},
}
UR10E_FILES = [
    "ur-20_01_17-p1",
    "ur-20_01_17-p2",
    "ur-20_01_17-ptp_10_points",
    "ur-20_01_22-push_pose_1",
    "ur-20_01_31-load",
    "ur-20_01_31-unload",
    "ur-20_02_10-30sec_12harm",
    "ur-20_02_12-50sec_12harm",
    "ur-20_02_19_14harm50sec",
    "ur-20_02_19_14harm50secLoad",
]


def existing(name):
    path = DATA / name
    if not path.exists():
        pytest.skip(f"needs ../shared/data/{name}, which is not part of the repository")
    return path


def test_ur10_bag_without_metadata_is_read_exactly():
    recording = load_recording(existing("ur10/ur10_exciting_trajectory.db3"), UR_JOINTS)
    assert recording.position.shape == (3441, 6)
    assert recording.sampling_rate == 125.0
    assert recording.duration == pytest.approx(27.52)
    assert recording.repairs == ()
    # measured velocity and differentiated position are independent: order and time must be right
    slopes = np.gradient(recording.position, 1 / 125.0, axis=0)
    for joint in range(6):
        assert np.corrcoef(slopes[:, joint], recording.velocity[:, joint])[0, 1] > 0.99


@pytest.mark.parametrize("name", ["tx40", "tx40/pos_read_data.csv", "tx40/curr_data.csv"])
def test_tx40_positions_and_torques_are_one_recording(name):
    columns = parse(ColumnMap, TX40_COLUMNS, "tx40.yaml")
    recording = load_recording(existing(name), TX40_NAMES, columns=columns)
    # 45 001 lines, the first of which is the header
    assert recording.position.shape == recording.effort.shape == (45_000, 6)
    assert (recording.sampling_rate, recording.velocity) == (5000.0, None)
    assert recording.repairs == ()
    np.testing.assert_array_equal(recording.position[0, :3], [3.1958e-05, 50.265, -70.685])
    np.testing.assert_array_equal(recording.effort[0, :3], [-0.0029698, -0.76036, 0.0019974])


@pytest.mark.parametrize("name", UR10E_FILES)
def test_ur10e_is_resampled_from_uneven_steps_to_100_hz(name):
    file = existing(f"ur10e/{name}.csv")
    columns = parse(ColumnMap, UR10E_COLUMNS, "ur10e.yaml")
    recording = load_recording(file, UR_JOINTS, columns=columns)
    raw = np.loadtxt(file, delimiter=",")
    assert recording.sampling_rate == 100.0
    assert recording.duration == pytest.approx(raw[-1, 0] - raw[0, 0], abs=0.01)
    (sentence,) = (text for text in recording.repairs if "resampled" in text)
    assert sentence.startswith(f"{len(raw)} samples were resampled to {len(recording.time)}")
    # linear interpolation is the independent way; the file's four to six decimals round the rest
    for joint in range(6):
        linear = np.interp(recording.time, raw[:, 0] - raw[0, 0], raw[:, 1 + joint])
        np.testing.assert_allclose(recording.position[:, joint], linear, atol=2e-3)
        current = np.interp(recording.time, raw[:, 0] - raw[0, 0], raw[:, 13 + joint])
        np.testing.assert_allclose(recording.effort[:, joint], current, atol=1e-6)
