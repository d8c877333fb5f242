"""Configuration of ros2_control: the robot's description and the controllers' parameters."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.control.build import simulated_extrapolation
from dynid.control.installed_packages import hardware_plugins
from dynid.control.link_torque import with_exact_links
from dynid.control.ros_parameters import feedforward_parameters, torque_parameters
from dynid.control.torque_mode_settings import TorqueControlSettings
from dynid.dynamics.closed_chain import chain_lists
from dynid.dynamics.joint_terms import TERM_SHAPES
from dynid.errors import ConfigurationError
from dynid.playback.plan import check_joint_side
from dynid.robot.drive_objects import DRIVE_STATES, MODES, interfaces
from dynid.robot.drives import bus_addresses
from dynid.robot.elastic import ElasticSettings
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.robot.slave_files import check_slave_files, slave_path
from dynid.simulation.build import plant_arguments
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.settings import SimulationSettings
from dynid.xml_tree import xml_tree

PLANT_SETTINGS = (
    "control_rate",
    "integration_rate",
    "command_delay",
    "feedback_delay",
    "motor_side",
    "seed",
    "bandwidth_hz",
    "damping_ratio",
    "integral_time",
    "torque_max",
    "stop_deceleration",
    "following_error",
    "position_resolution",
    "rated_torque",
    "torque_noise",
    "stribeck_torque",
    "stribeck_velocity",
    "joint_stiffness",
    "joint_hardening",
    "joint_damping",
    "joint_backlash",
    "rotor_inertia",
    "lower",
    "upper",
)
"""Members of the core's DrivePlantSettings, which are the plugin's names of parameters."""

FEEDFORWARD = "feedforward_controller"
"""Controller between the trajectory controller and the drives, where it is used."""

TRAJECTORIES = "joint_trajectory_controller"
"""Controller that follows trajectories."""

LINK_POSITION = "link_position"
"""State interface of a joint of simulated drives with the position of its link."""

MONITOR = "drive_monitor"
"""Controller that supervises the drives where there is no feedforward controller."""

RESET_FAULT = "reset_fault"
"""Command interface of a joint that resets its drive's fault."""

SIMULATED = "simulated"
"""Hardware that is dynid's simulation of drives and bodies."""

_ENABLED = 0x0237  # status word of an enabled drive
_BROADCASTER = "joint_state_broadcaster"
_GIVES_UP = 0.1  # [rad or m] path tolerance at which the trajectory controller aborts and holds
_PLUGINS = {
    SIMULATED: "dynid/SimulatedDrives",
    "mock": "mock_components/GenericSystem",
    "ethercat": "ethercat_driver/EthercatDriver",
}
_TORQUE_MODES = {"by_controller": "torque", "by_robot": "torque_and_gravity"}
HARDWARE = tuple(_PLUGINS)
"""Kinds of hardware with a ``<ros2_control>`` tag of dynid."""

EXTERNAL = "external"
"""Hardware whose driver and controllers already run, so that dynid starts none."""


def robot_description(
    robot: Robot,
    hardware: str,
    *,
    control_rate: float,
    slaves: Path | None = None,
    torque: bool = False,
) -> str:
    """Return the URDF with the ``<ros2_control>`` tag for a kind of hardware.

    Args:
        robot: with its simulation settings.
        hardware: ``simulated``, ``mock``, or ``ethercat``.
        control_rate: cycles per second [Hz].
        slaves: folder of ``dynid drives``, for ethercat; without one the URDF must have its own
            tag.
        torque: whether the drives take torque alone.

    Raises:
        ConfigurationError: there are neither slave files nor a tag in the URDF, the files do
            not match, the tag has EtherCAT drives without status words, or the drives have
            another mode.
    """
    root = xml_tree(robot.urdf_xml, "The URDF")
    _check_mode(robot, hardware, torque=torque)
    if hardware == "ethercat" and slaves is None:
        if root.find("ros2_control") is None:
            raise ConfigurationError(
                f"URDF of '{robot.name}': hardware ethercat needs a <ros2_control> tag that "
                "names ethercat_driver/EthercatDriver and the slaves; give such a URDF, or the "
                "folder of `dynid drives` with slaves:=."
            )
        _check_own_tag(robot, root)
        return robot.urdf_xml
    if hardware == "ethercat" and slaves is not None:
        check_slave_files(slaves, robot.joints, control_rate)
    for tag in root.findall("ros2_control"):
        root.remove(tag)
    tag = hardware_tag(robot, hardware, control_rate=control_rate, slaves=slaves, torque=torque)
    root.append(tag)
    return ET.tostring(root, encoding="unicode")


def hardware_tag(
    robot: Robot,
    hardware: str,
    *,
    control_rate: float,
    slaves: Path | None = None,
    torque: bool = False,
) -> ET.Element:
    """Return the ``<ros2_control>`` tag of a robot for a kind of hardware.

    Each joint has the command interfaces position, effort (the torque offset) and ``reset_fault``,
    and the state interfaces position, velocity, effort and those of DRIVE_STATES. EtherCAT drives
    have the addresses and the mode of ``robot.drives``. Drives that take torque alone have no
    command interface position, and effort is the whole torque.

    Args:
        robot: with its simulation settings.
        hardware: ``simulated``, ``mock`` or ``ethercat``.
        control_rate: cycles per second [Hz].
        slaves: folder of the slave files, for ethercat.
        torque: whether the drives take torque alone.
    """
    system = ET.Element("ros2_control", name=robot.name, type="system")
    plugin = ET.SubElement(system, "hardware")
    ET.SubElement(plugin, "plugin").text = _PLUGINS[hardware]
    if hardware == "ethercat":
        # the driver's own default is 100
        ET.SubElement(plugin, "param", name="control_frequency").text = f"{control_rate:g}"
        folder = (slaves or Path()).resolve()
        mode, (commands, states) = MODES[robot.drives.mode], interfaces(robot.drives)
        names = (*commands, RESET_FAULT)
        for joint, address in zip(
            robot.joints, bus_addresses(robot.drives, len(robot.joints)), strict=True
        ):
            element = _joint(system, joint, names, dict.fromkeys(states))
            values = {
                **address._asdict(),
                "mode_of_operation": mode,
                "slave_config": slave_path(folder, joint),
            }
            _ec_module(element, joint, values)
        return system
    simulated = SimulatedRobot(robot)  # checks the settings
    if hardware == SIMULATED:
        parameters = _plant(robot, simulated.home, control_rate)
        if torque:
            parameters["mode"] = _TORQUE_MODES[robot.settings(TorqueControlSettings).gravity]
        for name, value in parameters.items():
            ET.SubElement(plugin, "param", name=name).text = value
    command_interfaces = ("effort", RESET_FAULT) if torque else ("position", "effort", RESET_FAULT)
    links = simulated.link_position
    for number, (joint, position) in enumerate(zip(robot.joints, simulated.home, strict=True)):
        initial = _at_rest(float(position))
        if links is not None:
            initial[LINK_POSITION] = float(links[number])
        _joint(system, joint, command_interfaces, initial)
    return system


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


def has_drive_states(description: str, joints: Iterable[str]) -> bool:
    """Return whether a description's ``<ros2_control>`` has the interfaces to wait for drives.

    Args:
        description: URDF with the tag.
        joints: joints that must all have a state interface ``status_word``, and ``reset_fault``.
    """
    root = xml_tree(description, "The robot description")
    return not _without(root, joints, "state_interface", "status_word") and not _without(
        root, joints, "command_interface", RESET_FAULT
    )


def _without(root: ET.Element, joints: Iterable[str], kind: str, name: str) -> list[str]:
    """Return the joints without an interface."""
    having = {
        joint.get("name")
        for joint in root.findall("ros2_control/joint")
        if any(interface.get("name") == name for interface in joint.findall(kind))
    }
    return [joint for joint in joints if joint not in having]


def _check_mode(robot: Robot, hardware: str, *, torque: bool) -> None:
    """Refuse drives that do not take what the controllers command."""
    if hardware == "mock" and torque:
        raise ConfigurationError(
            "hardware:=mock returns positions, so command:=torque does not move it; use "
            "hardware:=simulated."
        )
    if hardware == "ethercat" and torque != (robot.drives.mode == "cst"):
        takes, needed = ("positions", "position") if torque else ("torque alone", "torque")
        raise ConfigurationError(
            f"drives.mode of '{robot.name}': in mode {robot.drives.mode} the drives take {takes}; "
            f"use command:={needed}, or another mode."
        )


def _check_own_tag(robot: Robot, root: ET.Element) -> None:
    """Refuse EtherCAT drives without interfaces for their states."""
    if _PLUGINS["ethercat"] not in hardware_plugins(root):
        return
    for kind, name in (("state_interface", "status_word"), ("command_interface", RESET_FAULT)):
        absent = _without(root, robot.joints, kind, name)
        if absent:
            raise ConfigurationError(
                f"URDF of '{robot.name}': joint '{absent[0]}' of its <ros2_control> tag has no "
                f'<{kind} name="{name}"/>, without which controllers would start before the '
                "drives are enabled; add it to every joint as in docs/drives.md, or give the "
                "folder of `dynid drives` with slaves:=."
            )


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


def root_link(urdf_xml: str) -> str:
    """Return the name of the root link, which is no joint's child.

    Raises:
        ConfigurationError: there is no such link, or more than one.
    """
    root = xml_tree(urdf_xml, "The URDF")
    children = {child.get("link") for child in root.findall("joint/child")}
    roots = [name for link in root.findall("link") if (name := link.get("name")) not in children]
    if len(roots) != 1 or roots[0] is None:
        raise ConfigurationError(f"the URDF has {len(roots)} root links; expected one.")
    return roots[0]


def _plant(robot: Robot, home: Array, control_rate: float) -> dict[str, str]:
    """Return the hardware parameters of dynid/SimulatedDrives (cpp/ros2_control).

    Empty lists are omitted, because ros2_control accepts no empty ``<param>``.
    """
    made = plant_arguments(robot, control_rate=control_rate)
    mechanism, terms = made.mechanism, made.mechanism.terms
    after = robot.settings(SimulationSettings).operational_after
    numbers: dict[str, Iterable[float]] = {
        "gravity": mechanism.gravity,
        "coupling": mechanism.coupling.ravel(),
        "locked_positions": made.mechanism.locked.values(),
        "term_joints": [term.joint for term in terms],
        **{
            f"term_{shape.plural}": [term.shapes()[shape.name] for term in terms]
            for shape in TERM_SHAPES
        },
        "parameters": made.parameters,
        "home": home,
        "torque_factor": robot.drives.torque_factor(len(robot.joints)),
        "operational_after": per_joint(after, len(robot.joints), "operational_after"),
    }
    words: dict[str, Iterable[str]] = {
        "locked_joints": made.mechanism.locked,
        "term_kinds": [term.kind for term in terms],
        "term_sides": [term.side for term in terms],
    }
    chain = chain_lists(mechanism.chain)
    texts = {name: " ".join(map(str, values)) for name, values in chain.items()}
    for name in PLANT_SETTINGS:
        numbers[name] = np.atleast_1d(getattr(made.settings, name))
    texts |= {name: " ".join(repr(float(v)) for v in values) for name, values in numbers.items()}
    texts |= {name: " ".join(values) for name, values in words.items()}
    return {name: text for name, text in texts.items() if text}


def _at_rest(position: float) -> dict[str, float | None]:
    """Return the initial states of an enabled drive at a position [rad or m]."""
    drive = dict.fromkeys(DRIVE_STATES, 0.0) | {
        "status_word": float(_ENABLED),
        "mode_display": float(MODES["csp"]),
    }
    return {"position": position, "velocity": 0.0, "effort": 0.0, **drive}


def _joint(
    system: ET.Element, name: str, commands: Iterable[str], states: dict[str, float | None]
) -> ET.Element:
    """Add a joint with its interfaces; states are None with real drives, otherwise initial."""
    joint = ET.SubElement(system, "joint", name=name)
    for interface in commands:
        ET.SubElement(joint, "command_interface", name=interface)
    for interface, initial in states.items():
        state = ET.SubElement(joint, "state_interface", name=interface)
        if initial is not None:
            ET.SubElement(state, "param", name="initial_value").text = repr(initial)
    return joint


def _ec_module(joint: ET.Element, name: str, values: Mapping[str, object]) -> None:
    module = ET.SubElement(joint, "ec_module", name=name)
    ET.SubElement(module, "plugin").text = "ethercat_generic_plugins/EcCiA402Drive"
    for key, value in values.items():
        ET.SubElement(module, "param", name=key).text = str(value)
