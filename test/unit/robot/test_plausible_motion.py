"""Positions in another unit are refused; those beyond the limits are not."""

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
from dynid.robot.recordings import check_motion_is_possible, load_recording
from dynid.robot.robot import Robot

DEGREES = 180 / np.pi


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
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
