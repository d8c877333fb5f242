"""Collision thresholds as a ROS 2 parameter file for a running controller."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dynid.control.build import collision_settings
from dynid.control.ros2_control import FEEDFORWARD
from dynid.errors import ConfigurationError
from dynid.files import write_text
from dynid.input_file import read_text
from dynid.robot.parameter_file import parameter_file, ros_parameters
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import ThresholdSettings
from dynid.robot.tuned_thresholds import COLLISION, text_with_thresholds, with_threshold_parameters


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
