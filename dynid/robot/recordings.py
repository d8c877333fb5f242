"""Recordings of a robot, read with its settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from dynid.errors import ConfigurationError
from dynid.plugins import HOOKS, load_plugin
from dynid.recording import load
from dynid.recording.corrections import Correction
from dynid.recording.live import LiveMessages
from dynid.recording.model import Recording, unnamed_joints
from dynid.recording.settings import RecordingSettings
from dynid.recording.wrapping import wrapped_to_a_turn
from dynid.robot.plausible_motion import check_motion_is_possible
from dynid.robot.robot import Robot
from dynid.robot.urdf_joints import movable_joints


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

    ``dynid.load_recording`` takes a robot's file as well, and describes the arguments.

    Raises:
        RecordingError: the recording cannot be read, lacks a joint, or has positions that the
            robot cannot have reached, such as in degrees.
        ConfigurationError: the profile does not describe the servos.
    """
    loaded = _loaded(path, robot, topic=topic, start=start, stop=stop, run=run)
    return with_servo_torque(loaded, robot)


def with_joints_of(recording: Recording, robot: Robot) -> Recording:
    """Return a recording of joints without names, such as of arrays, with the robot's in its order.

    Any other recording is returned as it is.
    """
    names, joints = recording.joint_names, robot.joints
    named = names != unnamed_joints(recording.position)
    if named or names == joints or len(names) != len(joints):
        return recording
    note = f"Columns without names of joints were taken as {', '.join(joints)}, in this order."
    return replace(recording, joint_names=joints, repairs=(*recording.repairs, note))


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
    read = partial(
        load.load_recording,
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
    )
    loaded = read(corrections=settings.corrections)
    if wrapped := wrapped_to_a_turn(loaded, endless_joints(robot)):
        unwrapped = [Correction(signal="position", joint=one, unwrap=True) for one in wrapped]
        # before uneven steps are interpolated
        loaded = read(corrections=(*settings.corrections, *unwrapped))
    check_motion_is_possible(loaded, robot)
    return loaded


def endless_joints(robot: Robot) -> tuple[str, ...]:
    """Return the joints that turn without end; positions wrapped to a turn are unwrapped."""
    kinds = {} if robot.coupling is not None else movable_joints(robot.urdf_xml)
    return tuple(one for one in robot.joints if one in kinds and kinds[one].kind == "continuous")
