"""Recordings of a robot, read with its settings."""

from __future__ import annotations

from pathlib import Path

from dynid.arguments import check_path, check_type
from dynid.recording import load
from dynid.recording.model import Recording
from dynid.recording.settings import RecordingSettings
from dynid.robot.robot import Robot
from dynid.robot.servo_torque import with_servo_torque


def load_recording(
    path: str | Path,
    robot: Robot,
    *,
    topic: str | None = None,
    start: float | None = None,
    stop: float | None = None,
) -> Recording:
    """Load a recording of a robot, with its ``recording`` settings.

    Of servos, whose torque is not measured, the torque is computed from commands and positions.

    Args:
        path: a rosbag2 (folder, .mcap or .db3), a CSV file or a NumPy file.
        robot: whose joints are read, in drive order.
        topic: in a bag, in place of the robot's setting.
        start: omit samples before this time [s].
        stop: omit samples after this time [s].

    Raises:
        RecordingError: the recording cannot be read, or lacks a joint.
        ConfigurationError: the profile does not describe the servos.
    """
    check_type("load_recording(): robot", robot, Robot, "dynid.load_robot(path)")
    check_path("load_recording(): path", path)
    settings = robot.settings(RecordingSettings)
    loaded = load.load_recording(
        Path(path),
        robot.joints,
        topic=topic or settings.topic,
        columns=settings.columns,
        names=settings.names,
        sampling_rate=settings.sampling_rate,
        start=start,
        stop=stop,
    )
    return with_servo_torque(loaded, robot)
