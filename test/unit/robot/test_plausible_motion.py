"""Positions and times in another unit are refused; positions beyond the limits are findings."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small_robot import JOINTS, URDF, write_small_robot

from dynid.errors import RecordingError
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.plausible_motion import beyond_limits, check_motion_is_possible
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot

DEGREES = 180 / np.pi
COLUMNS = {
    "joints": list(JOINTS),
    "position": {"columns": ["q1", "q2"]},
    "effort": {"columns": ["i1", "i2"]},
}


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    """Limits of ±2 rad, of 4 and 5 rad/s."""
    return load_robot(write_small_robot(tmp_path))


def motion(amplitude: float = 0.5, *, factor: float = 1.0, centre: float = 0.0) -> Recording:
    """The elbow moves in a sine of 0.5 Hz about a centre, all times a factor."""
    time = np.arange(1000) / 200
    position = np.zeros((1000, 2))
    position[:, 1] = factor * (centre + amplitude * np.sin(np.pi * time))
    return Recording(time, position, np.ones((1000, 2)), joint_names=JOINTS, sampling_rate=200.0)


def changed(robot: Robot, **limits: Any) -> Robot:
    return robot.model_copy(update={"limits": robot.limits.model_copy(update=limits)})


@pytest.mark.parametrize("amplitude", [0.3, 1.9])
def test_motion_in_degrees_is_refused(robot: Robot, amplitude: float) -> None:
    words = r"joint 'elbow' moves over .* rad, far more .* most likely in degrees: .*0\.0174533"
    with pytest.raises(RecordingError, match=words):
        check_motion_is_possible(motion(amplitude, factor=DEGREES), robot)


def test_a_pose_in_degrees_is_refused(robot: Robot) -> None:
    with pytest.raises(RecordingError, match="'elbow' is at 45 rad, far outside of"):
        check_motion_is_possible(motion(0.0, factor=DEGREES, centre=np.pi / 4), robot)


@pytest.mark.parametrize("kind", ["revolute", "continuous"])
def test_fast_motion_in_degrees_is_refused_without_position_limits(robot: Robot, kind: str) -> None:
    endless = changed(robot, position=None).with_urdf(URDF.replace("revolute", kind))
    words = "'elbow' moves at .* rad/s, far faster than its velocity limit of 5 rad/s allows"
    with pytest.raises(RecordingError, match=words):
        check_motion_is_possible(motion(1.9, factor=DEGREES), endless)


def test_counts_are_not_called_degrees(robot: Robot) -> None:
    with pytest.raises(RecordingError, match="most likely in encoder counts, or of the motor"):
        check_motion_is_possible(motion(1.9, factor=65536 / (2 * np.pi)), robot)


def test_millimetres_are_refused_and_metres_are_not(robot: Robot) -> None:
    urdf = URDF.replace("revolute", "prismatic").replace('"-2" upper="2"', '"0" upper="0.4"')
    sliding = changed(robot, position=((0.0, 0.4), (0.0, 0.4))).with_urdf(urdf)
    check_motion_is_possible(motion(0.2, centre=0.2), sliding)
    with pytest.raises(RecordingError, match=r"'elbow' moves over .* m, .* likely in mm: .*0\.001"):
        check_motion_is_possible(motion(0.2, centre=0.2, factor=1000.0), sliding)


@pytest.mark.parametrize(
    "recording",
    [
        motion(2.4),  # limits of the profile are narrower than those of the robot
        motion(1.0, centre=4 * np.pi),  # homed two turns away
        motion(5.0),
    ],
)
def test_motion_somewhat_beyond_the_limits_is_accepted(robot: Robot, recording: Recording) -> None:
    check_motion_is_possible(recording, robot)


def test_a_joint_that_turns_without_end_may_be_anywhere(robot: Robot) -> None:
    endless = robot.with_urdf(URDF.replace("revolute", "continuous"))
    turning = motion(0.0)
    position = np.outer(turning.time, [4.0, 5.0]) + 1000.0
    check_motion_is_possible(replace(turning, position=position), endless)


def test_a_few_wrong_samples_are_no_other_unit(robot: Robot) -> None:
    recording = motion()
    position = recording.position.copy()
    position[::50, 1] = 1e6
    check_motion_is_possible(replace(recording, position=position), robot)


def test_without_limits_nothing_is_refused(robot: Robot) -> None:
    free = changed(robot, position=None, velocity=None)
    check_motion_is_possible(motion(1.9, factor=DEGREES), free)


def test_short_recordings_at_a_high_rate_can_be_checked(robot: Robot) -> None:
    still = Recording(
        np.arange(10) / 1e4,
        np.zeros((10, 2)),
        np.ones((10, 2)),
        joint_names=JOINTS,
        sampling_rate=1e4,
    )
    check_motion_is_possible(still, robot)


def test_a_file_in_degrees_is_refused_by_name(robot: Robot, tmp_path: Path) -> None:
    recording = motion(1.0, factor=DEGREES)
    path = tmp_path / "log.npz"
    names = np.array(JOINTS)
    arrays = {"time": recording.time, "position": recording.position, "effort": recording.effort}
    np.savez(path, **arrays, joint_names=names)
    with pytest.raises(RecordingError, match=re.escape("log.npz: joint 'elbow' moves over")):
        load_recording(path, robot)


# --- units of time ------------------------------------------------------------------------------


def timed(factor: float = 1.0, *, amplitude: float = 0.5, rate: float = 200.0) -> Recording:
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
        check_motion_is_possible(timed(factor), robot)


@pytest.mark.parametrize(
    "recording",
    [
        *(timed(amplitude=a, rate=rate) for a in (0.5, 0.1, 1e-5) for rate in (200.0, 20.0)),
        timed(200.0, amplitude=1e-4),  # at rest, recorded once a second
        timed(200.0, amplitude=1.5),  # from pose to pose, recorded once a second
    ],
)
def test_times_in_seconds_are_accepted(robot: Robot, recording: Recording) -> None:
    check_motion_is_possible(recording, robot)


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
    recording = timed()
    table = np.column_stack([np.arange(4000) * step, recording.position, recording.effort])
    path = tmp_path / "log.csv"
    np.savetxt(path, table, delimiter=",", header="t,q1,q2,i1,i2", comments="", fmt="%.6f")
    with pytest.raises(RecordingError, match=f"log.csv: times look like {words}"):
        load_recording(path, robot)


# --- beyond the limits --------------------------------------------------------------------------


def swinging(*offsets: float, amplitude: float | list[float] = 1.5) -> Recording:
    """Both joints move in sines of 0.5 and 0.8 Hz about their offsets."""
    time = np.arange(2000) / 200
    swing = np.sin(2 * np.pi * np.outer(time, [0.5, 0.8]))
    position = np.array(amplitude) * swing + np.array(offsets)
    effort = np.ones((2000, 2))
    return Recording(time, position, effort, joint_names=JOINTS, sampling_rate=200.0)


def test_another_zero_is_found_with_the_offset_that_would_remove_it(robot: Robot) -> None:
    (found,) = beyond_limits(swinging(np.pi, np.pi), robot)
    assert (found.kind, found.severity, found.joints) == ("beyond_limits", "warning", JOINTS)
    assert f"{JOINTS[0]} from 1.6" in found.sentence
    assert "with limits [-2, 2]" in found.sentence
    assert "offset of -3.1416 rad (half a turn) would put all of them within" in found.sentence
    assert re.search("zero .*offset.*unit .*factor.*direction .*sign", found.remedy)


@pytest.mark.parametrize(
    ("recording", "severity", "joints"),
    [
        (swinging(0.0, 2.5), "warning", JOINTS[1:]),  # the zero of one joint
        (swinging(0.0, 0.0, amplitude=3.6), "warning", JOINTS),  # a factor
        (swinging(0.0, 0.0, amplitude=[1.5, 2.4]), "note", JOINTS[1:]),  # narrow limits
        (replace(swinging(3.0, 0.0), joint_names=JOINTS[::-1]), "warning", JOINTS[1:]),
    ],
)
def test_joints_beyond_their_limits_are_found(
    robot: Robot, recording: Recording, severity: str, joints: tuple[str, ...]
) -> None:
    (found,) = beyond_limits(recording, robot)
    assert (found.severity, found.joints) == (severity, joints)


@pytest.mark.parametrize("amplitude", [1.5, 2.1])
def test_overshoot_and_motion_within_the_limits_are_nothing(robot: Robot, amplitude: float) -> None:
    assert not list(beyond_limits(swinging(0.0, 0.0, amplitude=amplitude), robot))


def test_a_few_wrong_samples_are_nothing(robot: Robot) -> None:
    recording = swinging(0.0, 0.0)
    position = recording.position.copy()
    position[::50] = 100.0
    assert not list(beyond_limits(replace(recording, position=position), robot))


@pytest.mark.parametrize("change", [{"position": None}, {}])
def test_without_limits_or_end_nothing_is_beyond(robot: Robot, change: dict[str, Any]) -> None:
    free = changed(robot, **change)
    if not change:
        free = free.with_urdf(URDF.replace("revolute", "continuous"))
    assert not list(beyond_limits(swinging(np.pi, np.pi), free))
