"""Recordings of a robot, read with its settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dynid.arguments import check_path, check_type
from dynid.errors import ConfigurationError
from dynid.plugins import HOOKS, load_plugin
from dynid.recording import load
from dynid.recording.live import LiveMessages
from dynid.recording.model import Recording
from dynid.recording.settings import RecordingSettings
from dynid.robot.plausible_motion import check_motion_is_possible
from dynid.robot.robot import Robot


def load_recording(
    path: str | Path,
    robot: Robot,
    *,
    topic: str | None = None,
    start: float | None = None,
    stop: float | None = None,
    run: int | None = None,
) -> Recording:
    """Load a recording of a robot, with its ``recording`` settings.

    Of servos, whose torque is not measured, the torque is computed from commands and positions.

    Args:
        path: a rosbag2 (folder, .mcap or .db3), a CSV file or a NumPy file.
        robot: whose joints are read, in drive order.
        topic: in a bag, in place of the robot's setting.
        start: omit samples before this time [s].
        stop: omit samples after this time [s].
        run: number from 1 of the stretch to read, where the clock was set back.

    Raises:
        RecordingError: the recording cannot be read, lacks a joint, or has positions that the
            robot cannot have reached, such as in degrees.
        ConfigurationError: the profile does not describe the servos.
    """
    check_type("load_recording(): robot", robot, Robot, "dynid.load_robot(path)")
    check_path("load_recording(): path", path)
    loaded = _loaded(path, robot, topic=topic, start=start, stop=stop, run=run)
    return with_servo_torque(loaded, robot)


def with_servo_torque(recording: Recording, robot: Robot) -> Recording:
    """Return the recording with the torque of servos in place of their commands or outputs.

    A recording of measured torque or current is returned as it is.

    Raises:
        ConfigurationError: the profile does not describe the servos, or no plug-in does.
    """
    if not robot.drives.of_servo:
        return recording
    user = f"drives.effort: {robot.drives.effort}"
    convert: Callable[[Recording, Robot], Recording] = load_plugin(HOOKS, "servo_torque", user)
    return convert(recording, robot)


def live_recording(
    messages: LiveMessages,
    robot: Robot,
    *,
    start: float | None = None,
    stop: float | None = None,
) -> Recording:
    """Return the recording of live messages, with the ``recording`` settings of a robot.

    Args:
        messages: of its joint states.
        robot: the robot.
        start: omit samples before this time [s].
        stop: omit samples after this time [s].

    Raises:
        RecordingError: the messages cannot be converted to a recording.
        PreprocessingError: the span does not fit them.
    """
    settings = robot.settings(RecordingSettings)
    return messages.recording(
        robot.joints,
        names=settings.names,
        sampling_rate=settings.sampling_rate,
        start=start,
        stop=stop,
        corrections=settings.corrections,
    )


def load_commands(
    path: str | Path, robot: Robot, *, start: float | None = None, stop: float | None = None
) -> Recording:
    """Load a recording of a robot with servos as it is: effort is the command or output.

    Args:
        path: as for :func:`load_recording`, like the other arguments.
        robot: with ``servo``.
        start: omit samples before this time [s].
        stop: omit samples after this time [s].

    Raises:
        RecordingError: the recording cannot be read, or lacks a joint.
        ConfigurationError: the profile says that effort is no position command.
    """
    if robot.drives.effort != "position_command":
        message = (
            f"profile '{robot.name}': drives.effort is '{robot.drives.effort}', but commands of "
            "servos are needed: position_command (docs/encoder-only.md)."
        )
        raise ConfigurationError(message)
    return _loaded(path, robot, topic=None, start=start, stop=stop)


def _loaded(
    path: str | Path,
    robot: Robot,
    *,
    topic: str | None,
    start: float | None,
    stop: float | None,
    run: int | None = None,
) -> Recording:
    settings = robot.settings(RecordingSettings)
    loaded = load.load_recording(
        Path(path),
        robot.joints,
        topic=topic or settings.topic,
        columns=settings.columns,
        names=settings.names,
        temperature=settings.temperature,
        sampling_rate=settings.sampling_rate,
        effort=robot.drives.effort,
        start=start,
        stop=stop,
        run=run,
        corrections=settings.corrections,
    )
    check_motion_is_possible(loaded, robot)
    return loaded
