"""Collision thresholds: applied to a recording, and as files for a running controller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dynid import _core
from dynid.control.build import collision_settings
from dynid.control.residual import CommandedResidual
from dynid.control.ros2_control import FEEDFORWARD
from dynid.errors import ConfigurationError, RecordingError
from dynid.files import write_text
from dynid.input_file import read_text
from dynid.robot.parameter_file import parameter_file, ros_parameters
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings, ThresholdSettings
from dynid.robot.tuned_thresholds import COLLISION, text_with_thresholds, with_threshold_parameters

_TIME_BETWEEN_ALARMS = 0.5  # [s] between alarms of one contact


@dataclass(frozen=True)
class Alarm:
    """A collision that the detector found; a robot would have stopped there.

    Attributes:
        time: since the recording's start [s].
        until: last alarm of the same contact [s].
        joint: the first one to detect it.
        cause: ``torque_error`` or ``torque_threshold``.
        value: filtered torque error or measured torque [N m or N].
        threshold: the one that was exceeded [N m or N].
    """

    time: float
    until: float
    joint: str
    cause: str
    value: float
    threshold: float


@dataclass(frozen=True)
class Margin:
    """The instant at which a joint's torque error was closest to its threshold.

    Attributes:
        joint: its name.
        time: since the recording's start [s].
        value: filtered torque error at that instant [N m or N].
        threshold: threshold at that instant [N m or N].
    """

    joint: str
    time: float
    value: float
    threshold: float

    @property
    def share(self) -> float:
        """Size of the torque error as a share of the threshold; above 1 it exceeds it."""
        return abs(self.value) / self.threshold


@dataclass(frozen=True)
class ThresholdReplay:
    """Results of collision thresholds on one recording.

    Attributes:
        recording: its name.
        hours: its length [h].
        alarms: by time; alarms less than half a second apart are one contact.
        margins: the smallest of each joint whose torque error is supervised.
    """

    recording: str
    hours: float
    alarms: tuple[Alarm, ...]
    margins: tuple[Margin, ...]


def replay_thresholds(
    robot: Robot, residual: CommandedResidual, *, recording: str = "recording", start: float = 0.0
) -> ThresholdReplay:
    """Run the controller's detector with a robot's thresholds on a recording.

    The detector is reset after each alarm. Its cycles are the recording's samples.

    Args:
        robot: with the thresholds in its settings ``collision``.
        residual: torque errors of the recording.
        recording: its name.
        start: time of the residual's first sample since the recording's start [s].

    Raises:
        ConfigurationError: no torque error is supervised, or the settings do not match the robot.
        RecordingError: torque errors are not finite.
    """
    collision = robot.settings(CollisionSettings)
    if collision.torque_error_max is None or not any(collision.torque_error_enable):
        raise ConfigurationError(
            f"robot '{robot.name}' has no collision thresholds: name a file of `dynid "
            "collisions tune -o` with --thresholds, or a profile with collision.torque_error_max."
        )
    _check_finite(residual, recording, start)
    filtered, threshold, collisions = residual.run_detector(robot)
    time = start + np.arange(len(filtered)) / residual.rate
    share = np.abs(filtered) / threshold
    enabled = np.broadcast_to(collision.torque_error_enable, len(robot.joints))
    margins = []
    for number in np.flatnonzero(enabled):
        k = int(share[:, number].argmax())
        margins.append(
            Margin(
                robot.joints[number],
                float(time[k]),
                float(filtered[k, number]),
                float(threshold[k, number]),
            )
        )
    alarms = _alarms(robot, [(float(time[collision.cycle]), collision) for collision in collisions])
    return ThresholdReplay(recording, residual.hours, alarms, tuple(margins))


def _alarms(robot: Robot, collisions: Sequence[tuple[float, _core.Collision]]) -> tuple[Alarm, ...]:
    """Merge collisions less than _TIME_BETWEEN_ALARMS apart into one alarm."""
    contacts: list[list[tuple[float, _core.Collision]]] = []
    for time, collision in collisions:
        if contacts and time - contacts[-1][-1][0] < _TIME_BETWEEN_ALARMS:
            contacts[-1].append((time, collision))
        else:
            contacts.append([(time, collision)])
    return tuple(
        Alarm(
            time=contact[0][0],
            until=contact[-1][0],
            joint=robot.joints[contact[0][1].drive],
            cause=contact[0][1].cause.name,
            value=contact[0][1].value,
            threshold=contact[0][1].threshold,
        )
        for contact in contacts
    )


def _check_finite(residual: CommandedResidual, recording: str, start: float) -> None:
    lost = ~np.isfinite(residual.error).all(axis=1)
    if lost.any():
        first = start + float(np.argmax(lost)) / residual.rate
        raise RecordingError(
            f"{recording}: from {first:.3g} s on its torque errors are not finite; exclude "
            "damaged samples with --start and --stop."
        )


def threshold_parameters(robot: Robot) -> dict[str, list[float] | float]:
    """Return all parameters that determine when a torque error is a collision.

    All of them can be changed while the controller runs.

    Args:
        robot: with the thresholds in its settings ``collision``.

    Raises:
        ConfigurationError: the settings do not match the robot.
    """
    settings = collision_settings(robot, control_rate=1000.0)  # these do not depend on the rate
    values = {name: getattr(settings, name) for name in ThresholdSettings.model_fields}
    return {
        name: value if isinstance(value, float) else [float(one) for one in value]
        for name, value in values.items()
    }


def threshold_text(robot: Robot, header: Sequence[str]) -> str:
    """Return a file of :func:`threshold_parameters` for a running controller.

    Args:
        robot: with the thresholds in its settings ``collision``.
        header: lines of a comment.

    Raises:
        ConfigurationError: the settings do not match the robot.
    """
    return parameter_file(
        {COLLISION: threshold_parameters(robot)},
        [
            *header,
            f"ros2 param load /{FEEDFORWARD} THIS_FILE, while the controller runs.",
            f"Joints: {', '.join(robot.joints)}.",
        ],
        node=f"/{FEEDFORWARD}",
    )


def write_thresholds(robot: Robot, header: Sequence[str], path: Path) -> None:
    """Write the file of :func:`threshold_text` atomically.

    Raises:
        ConfigurationError: the settings do not match the robot.
        WriteError: the file cannot be written.
    """
    write_text(path, threshold_text(robot, header))


def write_into_model(robot: Robot, header: Sequence[str], path: Path) -> None:
    """Write thresholds into a model.yaml, in place of any in it; all else stays as it is.

    Args:
        robot: with the thresholds in its settings ``collision``.
        header: lines of a comment.
        path: of the model.

    Raises:
        ConfigurationError: the settings do not match the robot.
        ModelFileError: the file is in a form of YAML that is not supported.
        WriteError: the file cannot be written.
    """
    text = read_text(path)
    write_text(path, text_with_thresholds(text, threshold_parameters(robot), header, str(path)))


def with_thresholds(robot: Robot, path: Path) -> Robot:
    """Return a robot with the thresholds of a file of ``dynid collisions tune``.

    Raises:
        ConfigurationError: there is no such file, it has no thresholds, or they do not match.
    """
    parameters = ros_parameters(read_text(path), str(path))
    found = {
        name.removeprefix(f"{COLLISION}."): value
        for name, value in parameters.items()
        if name.startswith(f"{COLLISION}.")
    }
    if "torque_error_max" not in found:
        raise ConfigurationError(
            f"{path}: has no parameter '{COLLISION}.torque_error_max'; expected a file of `dynid "
            "collisions tune -o`."
        )
    return with_threshold_parameters(robot, found, str(path))
