"""Times in another unit than seconds are refused by name; slow and resting robots are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.small_robot import JOINTS, write_small_robot

from dynid.errors import RecordingError
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.recordings import check_motion_is_possible, load_recording
from dynid.robot.robot import Robot

COLUMNS = {
    "joints": list(JOINTS),
    "position": {"columns": ["q1", "q2"]},
    "effort": {"columns": ["i1", "i2"]},
}


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    return load_robot(write_small_robot(tmp_path))  # velocity limits of 4 and 5 rad/s


def motion(factor: float = 1.0, *, amplitude: float = 0.5, rate: float = 200.0) -> Recording:
    """Both joints move in sines of 0.5 Hz, with times of another unit."""
    time = np.arange(4000) / rate
    position = amplitude * np.sin(np.pi * np.outer(time, [1.0, 1.4]))
    return Recording(
        time * factor,
        position,
        np.ones((4000, 2)),
        joint_names=JOINTS,
        sampling_rate=rate / factor,
    )


@pytest.mark.parametrize(
    ("factor", "unit", "key"),
    [
        (1e3, "milliseconds", "0.001"),
        (1e6, "microseconds", "1.0e-06"),
        (1e9, "nanoseconds", "1.0e-09"),
    ],
)
def test_another_unit_of_times_is_named(robot: Robot, factor: float, unit: str, key: str) -> None:
    words = f"times look like {unit}: .* 200 Hz .*corrections: .*signal: time, factor: {key}"
    with pytest.raises(RecordingError, match=words):
        check_motion_is_possible(motion(factor), robot)


@pytest.mark.parametrize("amplitude", [0.5, 0.1, 1e-5])
@pytest.mark.parametrize("rate", [200.0, 20.0])
def test_times_in_seconds_are_accepted(robot: Robot, amplitude: float, rate: float) -> None:
    check_motion_is_possible(motion(amplitude=amplitude, rate=rate), robot)


def test_a_robot_at_rest_recorded_once_a_second_is_accepted(robot: Robot) -> None:
    check_motion_is_possible(motion(200.0, amplitude=1e-4), robot)


def test_motion_from_pose_to_pose_recorded_once_a_second_is_accepted(robot: Robot) -> None:
    check_motion_is_possible(motion(200.0, amplitude=1.5), robot)


@pytest.mark.parametrize(
    ("step", "given", "words"),
    [
        (5.0, 1.0, r"milliseconds: .*recording.columns.time: {column: t, factor: 0.001}"),
        (5e3, 1.0, r"microseconds: .*recording.columns.time: {column: t, factor: 1.0e-06}"),
        (0.005, 0.001, r"seconds: .*recording.columns.time: {column: t, factor: 1}"),
    ],
)
def test_the_factor_of_a_column_map_is_corrected(
    tmp_path: Path, step: float, given: float, words: str
) -> None:
    columns = {**COLUMNS, "time": {"column": "t", "factor": given}}
    robot = load_robot(write_small_robot(tmp_path, recording={"columns": columns}))
    recording = motion()
    table = np.column_stack([np.arange(4000) * step, recording.position, recording.effort])
    path = tmp_path / "log.csv"
    np.savetxt(path, table, delimiter=",", header="t,q1,q2,i1,i2", comments="", fmt="%.6f")
    with pytest.raises(RecordingError, match=f"log.csv: times look like {words}"):
        load_recording(path, robot)
