"""The parameters of dynid/FeedforwardController and dynid/TorqueController, from a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.control.build import control_law_settings, model_settings, torque_share
from dynid.control.torque_mode import torque_law_settings
from dynid.recording.settings import RecordingSettings
from dynid.robot.elastic import ElasticSettings, elastic_settings
from dynid.robot.parameter_file import ros_parameters

if TYPE_CHECKING:
    from dynid import _core
    from dynid.robot.model import Model
    from dynid.robot.robot import Robot


def feedforward_parameters(robot: Robot, *, control_rate: float) -> dict[str, Any]:
    """Return the controller's parameters, without those of its model.

    Args:
        robot: the robot; the effort states of its drives are in the unit of its recordings.
        control_rate: cycles per second [Hz].

    Raises:
        ConfigurationError: the settings do not match the robot.
    """
    law = control_law_settings(robot, control_rate=control_rate)
    parameters: dict[str, Any] = {
        "joints": list(robot.joints),
        "side": robot.settings(RecordingSettings).side,
        "effort_factor": _ros_value(robot.drives.torque_factor(len(robot.joints))),
    }
    for core in (
        law.feedforward,
        torque_share(robot),
        model_settings(robot),
        law,
        law.limits,
        law.supervision,
        law.stiction,
        law.elastic,
        law.model_monitor,
        law.collision,
    ):
        _add_declared(parameters, core)
    elastic = elastic_settings(robot)
    if elastic.link_torque:
        parameters["elastic"] |= _interfaces(elastic)
    return parameters


def _interfaces(elastic: ElasticSettings) -> dict[str, str]:
    """Return the names of the state interfaces of links."""
    found = {}
    if elastic.link_torque_interface is not None:
        found["link_torque_interface"] = elastic.link_torque_interface
    if elastic.link_position is not None:
        found["link_position_interface"] = elastic.link_position_interface
    return found


def torque_parameters(robot: Robot, model: Model, *, control_rate: float) -> dict[str, Any]:
    """Return the parameters of dynid/TorqueController, with those of its model.

    Args:
        robot: the robot, with the settings of ``torque_control``.
        model: identified; the controller cannot hold the robot without it.
        control_rate: cycles per second [Hz].

    Raises:
        ConfigurationError: the settings do not match the robot.
    """
    settings = torque_law_settings(robot, model.mechanism, control_rate=control_rate)
    stored = ros_parameters(model.text(), "the model")
    parameters = feedforward_parameters(robot, control_rate=control_rate)
    _add_declared(parameters, settings)
    return parameters | stored


def _add_declared(parameters: dict[str, Any], core: _core.DeclaredSettings) -> None:
    """Add the members of a struct, without empty lists: ROS 2 parameter files have none."""
    for name, declared in core.declared.items():
        value = getattr(core, name)
        if np.size(value) == 0 or (declared.may_be_empty and not np.isfinite(value).any()):
            continue
        group = parameters.setdefault(declared.group, {}) if declared.group else parameters
        group[name] = _ros_value(value, bool if declared.is_switch else float)


def _ros_value(value: Any, kind: type[bool | float] = float) -> Any:
    """Return a member of the core's settings as a parameter."""
    if isinstance(value, np.ndarray):
        return [kind(one) for one in value]
    return value if isinstance(value, bool | float) else value.name
