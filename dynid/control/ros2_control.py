"""Controllers of ros2_control: which are spawned, and their parameters from a profile."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dynid import _core
from dynid.control.build import (
    control_law_settings,
    model_settings,
    simulated_extrapolation,
    torque_share,
)
from dynid.control.link_torque import with_exact_links
from dynid.control.ros2_hardware import LINK_POSITION, RESET_FAULT
from dynid.control.torque_mode import torque_law_settings
from dynid.errors import ConfigurationError
from dynid.playback.plan import check_joint_side
from dynid.recording.settings import RecordingSettings
from dynid.robot.elastic import ElasticSettings, elastic_settings
from dynid.robot.model import Model
from dynid.robot.parameter_file import ros_parameters
from dynid.robot.robot import Robot

FEEDFORWARD = "feedforward_controller"
"""Controller between the trajectory controller and the drives, where it is used."""

TRAJECTORIES = "joint_trajectory_controller"
"""Controller that follows trajectories."""

MONITOR = "drive_monitor"
"""Controller that supervises the drives where there is no feedforward controller."""
_BROADCASTER = "joint_state_broadcaster"
_GIVES_UP = 0.1  # [rad or m] path tolerance at which the trajectory controller aborts and holds

EXTERNAL = "external"
"""Hardware whose driver and controllers already run, so that dynid starts none."""


class Controllers(NamedTuple):
    """Controllers to spawn: at once, and when every drive is enabled."""

    first: tuple[str, ...]
    then: tuple[str, ...]


def controllers(*, feedforward: bool, drives: bool = True) -> Controllers:
    """Return the names of the controllers to spawn, in this order.

    Without ``drives`` all are spawned together, because there is no state to wait for.

    Args:
        feedforward: whether references reach the drives through dynid/FeedforwardController.
        drives: whether the drives report their status words.
    """
    between = (FEEDFORWARD,) if feedforward else (MONITOR,) if drives else ()
    if not drives:
        return Controllers((_BROADCASTER, *between, TRAJECTORIES), ())
    return Controllers((_BROADCASTER, *between), (TRAJECTORIES,))


def controller_parameters(
    robot: Robot,
    update_rate: int,
    *,
    feedforward: bool = False,
    drives: bool = True,
    torque: Model | None = None,
    simulated: bool = False,
) -> dict[str, Any]:
    """Return the parameter file of controller_manager and its controllers.

    Args:
        robot: with its simulation settings.
        update_rate: control cycles per second [Hz].
        feedforward: whether references reach the drives through dynid/FeedforwardController.
        drives: whether the drives report their status words.
        torque: model with which dynid/TorqueController commands torque alone, in place of
            dynid/FeedforwardController; None: drives take positions.
        simulated: whether the drives are those of dynid/SimulatedDrives, whose encoders at the
            links need no correction.

    Raises:
        ConfigurationError: feedforward is used, and its settings do not match the robot.
    """
    robot = _with_simulated_links(robot) if simulated else robot
    joints = list(robot.joints)
    trajectories: dict[str, Any] = {
        "joints": joints,
        "command_interfaces": ["position"],
        "state_interfaces": ["position", "velocity"],
        # a new trajectory starts at the reference, not at the measured position
        "interpolate_from_desired_state": True,
        # it starts at the measured position, not at a command from before drives were switched off
        "set_last_command_interface_value_as_state_on_activation": False,
    }
    types = {
        _BROADCASTER: {"type": "joint_state_broadcaster/JointStateBroadcaster"},
        TRAJECTORIES: {"type": "joint_trajectory_controller/JointTrajectoryController"},
    }
    # halves the work of the publishing thread, which drops messages when it is late
    parameters: dict[str, Any] = {_BROADCASTER: {"publish_dynamic_joint_states": False}}
    names = {
        "status_interface": "status_word",
        "error_interface": "error_code",
        "reset_interface": RESET_FAULT,
    }
    if drives and not feedforward:
        types[MONITOR] = {"type": "dynid/DriveMonitor"}
        parameters[MONITOR] = {"joints": [*joints], **names}
    if feedforward:
        plugin = "FeedforwardController" if torque is None else "TorqueController"
        types[FEEDFORWARD] = {"type": f"dynid/{plugin}"}
        parameters[FEEDFORWARD] = (
            feedforward_parameters(robot, control_rate=update_rate)
            if torque is None
            else torque_parameters(robot, torque, control_rate=update_rate)
        )
        if drives:
            parameters[FEEDFORWARD]["drives"] = names
        if simulated:
            parameters[FEEDFORWARD]["extrapolation_time"] = simulated_extrapolation(update_rate)
            parameters[FEEDFORWARD]["cycle_interface"] = f"{robot.name}/drive_cycles"
        trajectories |= {
            "command_joints": [f"{FEEDFORWARD}/{joint}" for joint in joints],
            "command_interfaces": ["position", "velocity", "acceleration"],
            # after a collision it holds the robot's position, so that a reset is possible
            "constraints": {joint: {"trajectory": _GIVES_UP} for joint in joints},
        }
    parameters[TRAJECTORIES] = trajectories
    parameters["controller_manager"] = {"update_rate": update_rate, **types}
    return {name: {"ros__parameters": values} for name, values in parameters.items()}


def _with_simulated_links(robot: Robot) -> Robot:
    """Return a robot with the encoders that dynid/SimulatedDrives have at their links."""
    elastic = with_exact_links(robot).find(ElasticSettings)
    if elastic is None:
        return robot
    names = {"link_position_interface": LINK_POSITION, "link_torque_interface": None}
    return robot.with_settings(elastic.model_copy(update=names))


def check_external(robot: Robot, *, feedforward: bool, slaves: bool) -> None:
    """Check the choices for a robot whose own driver and controllers already run.

    Args:
        robot: with its recording settings.
        feedforward: whether references are to reach the drives through dynid's controller.
        slaves: whether slave files are given.

    Raises:
        ConfigurationError: a choice needs controllers that dynid would have to start, or joint
            states would be those of motors.
    """
    if feedforward:
        raise ConfigurationError(
            "hardware:=external starts no controllers, so feedforward:=true has no effect; use "
            "feedforward:=false, and load dynid/FeedforwardController in the driver's own "
            "controller_manager (docs/control.md)."
        )
    if slaves:
        raise ConfigurationError(
            "hardware:=external starts no drives, so slaves:= has no effect; leave it out, or use "
            "hardware:=ethercat."
        )
    check_joint_side(robot)


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
