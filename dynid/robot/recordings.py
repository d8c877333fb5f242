"""Recordings of a robot, read with its settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.errors import ConfigurationError, RecordingError
from dynid.plugins import HOOKS, load_plugin
from dynid.recording import load
from dynid.recording.corrections import Correction
from dynid.recording.live import LiveMessages
from dynid.recording.model import Recording, source_names, unnamed_joints
from dynid.recording.settings import RecordingSettings
from dynid.recording.wrapping import wrapped_to_a_turn
from dynid.robot.robot import Robot
from dynid.robot.unit_of_time import check_unit_of_time
from dynid.robot.urdf_joints import movable_joints

# a user may have set limits narrower than a robot's own, and a URDF may have numbers that were
# made up; degrees are 57 times as many, millimetres a thousand times
_RANGE = 6.0  # times the range of the position limits; 2.4 times is in a recording of a dVRK
_BEYOND = 3.0  # times this range, outside of the limits
_TURNS = {"rad": 5 * math.pi, "m": 0.0}  # and not less: homing may be off by a turn or two
_SPEED = 10.0  # times the velocity limit; twice is in a recording of a dVRK
_HIGHEST_SPEED = {"rad": 20.0, "m": 10.0}  # [rad/s, m/s] and not less
_USUAL_SHARE = 0.95  # share of the samples: a few wrong ones are repaired later
_STEP = 0.02  # [s] over which a speed is measured, so that encoder counts do not matter
_OTHER_UNITS = {"rad": (math.pi / 180, "degrees"), "m": (1e-3, "mm")}


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


def load_joints(
    path: str | Path,
    robot: Robot,
    more: Sequence[str],
    *,
    start: float | None = None,
    stop: float | None = None,
    run: int | None = None,
) -> Recording:
    """Load a recording of a robot's joints, and of more joints behind them, as it is.

    Args:
        path: as for :func:`load_recording`, like the other arguments.
        robot: with ``recording``.
        more: names of the other joints in the recording.
        start: omit samples before this time [s].
        stop: omit samples after this time [s].
        run: number of the stretch, where the clock was set back.

    Raises:
        RecordingError: as for :func:`load_recording`.
    """
    return _loaded(path, robot, topic=None, start=start, stop=stop, run=run, more=more)


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
        raise ConfigurationError(
            f"profile '{robot.name}': drives.effort is '{robot.drives.effort}', but commands of "
            "servos are needed: position_command (docs/encoder-only.md)."
        )
    return _loaded(path, robot, topic=None, start=start, stop=stop)


def _loaded(
    path: str | Path,
    robot: Robot,
    *,
    topic: str | None,
    start: float | None,
    stop: float | None,
    run: int | None = None,
    more: Sequence[str] = (),
) -> Recording:
    settings = robot.settings(RecordingSettings)
    read = partial(
        load.load_recording,
        Path(path),
        (*robot.joints, *more),
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


class _Excess(NamedTuple):
    """What positions exceed: words, the limit's name, and how many times too much they are."""

    words: str
    limit: str
    ratio: float


def check_motion_is_possible(recording: Recording, robot: Robot) -> None:
    """Raise if positions exceed the robot's limits so far that they must be in another unit.

    Positions somewhat beyond the limits are legitimate, and any of a joint that turns without end.

    Raises:
        RecordingError: a joint moves further or faster than it can, or is where it cannot be, or
            times are in another unit.
    """
    if robot.coupling is not None and robot.settings(RecordingSettings).side == "joint":
        return  # the limits are those of the motors
    check_unit_of_time(recording, robot)
    kinds = {} if robot.coupling is not None else movable_joints(robot.urdf_xml)
    for joint, name in enumerate(robot.joints):
        if name not in recording.joint_names:
            continue
        column = recording.joint_names.index(name)
        kind = kinds[name].kind if name in kinds else "revolute"
        unit = "m" if kind == "prismatic" else "rad"
        excess = None
        limits = robot.limits.range_of("position", joint)
        if limits is not None and kind != "continuous":
            excess = _too_far(recording.position[:, column], limits, unit)
        fastest = robot.limits.range_of("velocity", joint)
        if excess is None and fastest is not None:
            excess = _too_fast(recording, column, fastest[1], unit)
        if excess is not None:
            where = source_names(recording.sources) or "the recording"
            raise RecordingError(_sentence(where, robot.name, name, excess, unit))


def _too_far(position: Array, limits: tuple[float, float], unit: str) -> _Excess | None:
    low, middle, high = np.quantile(
        position, [(1 - _USUAL_SHARE) / 2, 0.5, (1 + _USUAL_SHARE) / 2]
    ).tolist()
    width = limits[1] - limits[0]
    shown = f"its position limits [{limits[0]:.3g}, {limits[1]:.3g}] {unit}"
    if high - low > _RANGE * width:
        words = f"moves over {high - low:.4g} {unit}, far more than {shown} allow"
        return _Excess(words, "position", (high - low) / width)
    beyond = max(middle - limits[1], limits[0] - middle)
    if beyond > max(_BEYOND * width, _TURNS[unit]):
        return _Excess(f"is at {middle:.4g} {unit}, far outside of {shown}", "position", 1.0)
    return None


def _too_fast(recording: Recording, joint: int, fastest: float, unit: str) -> _Excess | None:
    steps = min(max(1, round(_STEP * recording.sampling_rate)), len(recording.time) - 1)
    moved = np.abs(recording.position[steps:, joint] - recording.position[:-steps, joint])
    speed = float(np.quantile(moved, _USUAL_SHARE)) * recording.sampling_rate / steps
    if speed <= max(_SPEED * fastest, _HIGHEST_SPEED[unit]):
        return None
    shown = f"its velocity limit of {fastest:.3g} {unit}/s"
    words = f"moves at {speed:.4g} {unit}/s, far faster than {shown} allows"
    return _Excess(words, "velocity", speed / fastest)


def _sentence(where: str, robot: str, joint: str, excess: _Excess, unit: str) -> str:
    factor, other = _OTHER_UNITS[unit]
    # what is even then too much is in yet another unit
    likely = other if excess.ratio * factor < _RANGE else "encoder counts, or of the motor"
    example = f" (from {other}: {factor:.6g})"
    return (
        f"{where}: joint '{joint}' {excess.words}; positions must be in {unit} at the "
        f"joint, and these are most likely in {likely}: convert them by 'factor' of position in "
        f"recording.columns{example}. If they are right, correct limits.{excess.limit} of profile "
        f"'{robot}' (null: no limit)."
    )
