"""Recordings of a robot, read with its settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypedDict

from typing_extensions import Unpack

from dynid.errors import ConfigurationError
from dynid.plugins import HOOKS, load_plugin
from dynid.recording import load
from dynid.recording.averaging import Bound
from dynid.recording.corrections import Correction
from dynid.recording.live import LiveMessages
from dynid.recording.model import Recording, unnamed_joints
from dynid.recording.settings import RecordingSettings
from dynid.recording.wrapping import wrapped_to_a_turn
from dynid.robot.plausible_motion import check_motion_is_possible, endless_joints
from dynid.robot.robot import Robot


class ReadSpan(TypedDict, total=False):
    """What is read of a recording."""

    start: float | None
    """Samples before this time are omitted [s]."""
    stop: float | None
    """Samples after this time are omitted [s]."""
    run: int | None
    """Number of the stretch, where the clock was set back."""
    bound: Bound | None
    """Of the memory of a long recording, which is averaged then; None: all samples are kept."""


def load_recording(
    path: str | Path,
    robot: Robot,
    *,
    topic: str | None = None,
    start: float | None = None,
    stop: float | None = None,
    run: int | None = None,
    bound: Bound | None = None,
) -> Recording:
    """Load a recording of a robot, with its ``recording`` settings.

    ``dynid.load_recording`` takes a robot's file as well, and describes the arguments.

    Raises:
        RecordingError: the recording cannot be read, lacks a joint, or has positions that the
            robot cannot have reached, such as in degrees.
        ConfigurationError: the profile does not describe the servos.
    """
    loaded = load_joints(path, robot, topic=topic, start=start, stop=stop, run=run, bound=bound)
    return with_servo_torque(loaded, robot)


def load_joints(
    path: str | Path,
    robot: Robot,
    more: Sequence[str] = (),
    *,
    topic: str | None = None,
    **span: Unpack[ReadSpan],
) -> Recording:
    """Load a recording of a robot's joints as it is: effort may be the command of a servo.

    Args:
        path: as for :func:`load_recording`.
        robot: with ``recording``.
        more: names of other joints in the recording, which are put behind those of the robot.
        topic: of a bag, in place of the profile's.
        span: what to read.

    Raises:
        RecordingError: as for :func:`load_recording`.
    """
    settings = robot.settings(RecordingSettings)
    read = partial(
        load.load_recording,
        Path(path),
        (*robot.joints, *more),
        columns=settings.columns,
        names=settings.names,
        temperature=settings.temperature,
        sampling_rate=settings.sampling_rate,
        effort=robot.drives.effort,
        topic=topic or settings.topic,
        **span,
    )
    loaded = read(corrections=settings.corrections)
    if wrapped := wrapped_to_a_turn(loaded, endless_joints(robot)):
        unwrapped = [Correction(signal="position", joint=one, unwrap=True) for one in wrapped]
        # before uneven steps are interpolated
        loaded = read(corrections=(*settings.corrections, *unwrapped))
    check_motion_is_possible(loaded, robot)
    return loaded


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
    messages: LiveMessages, robot: Robot, *, start: float | None = None, stop: float | None = None
) -> Recording:
    """Return the recording of live messages, with the ``recording`` settings of a robot.

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


def load_commands(path: str | Path, robot: Robot, **span: Unpack[ReadSpan]) -> Recording:
    """Load a recording of a robot with servos as it is: effort is the command or output.

    Raises:
        RecordingError: the recording cannot be read, or lacks a joint.
        ConfigurationError: the profile says that effort is no position command.
    """
    if robot.drives.effort != "position_command":
        raise ConfigurationError(
            f"profile '{robot.name}': drives.effort is '{robot.drives.effort}', but commands of "
            "servos are needed: position_command (docs/encoder-only.md)."
        )
    return load_joints(path, robot, **span)
