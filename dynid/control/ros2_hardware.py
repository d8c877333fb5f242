"""A robot's description for ros2_control: its hardware, and whether that is installed."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.control.torque_mode_settings import TorqueControlSettings
from dynid.dynamics.closed_chain import chain_lists
from dynid.dynamics.joint_terms import TERM_SHAPES
from dynid.errors import ConfigurationError
from dynid.packages import PREFIXES, folders_in
from dynid.robot.drive_objects import DRIVE_STATES, MODES, interfaces
from dynid.robot.drives import bus_addresses
from dynid.robot.robot import Robot
from dynid.robot.slave_files import check_slave_files, slave_path
from dynid.simulation.build import plant_arguments
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.settings import SimulationSettings
from dynid.xml_tree import xml_tree

_PLANT_SETTINGS = tuple(
    name
    for name, member in vars(_core.DrivePlantSettings).items()
    if isinstance(member, property) and name != "mode"
)
"""Members of the core's settings of drives, which are the plugin's names of parameters."""

LINK_POSITION = "link_position"
"""State interface of a joint of simulated drives with the position of its link."""

RESET_FAULT = "reset_fault"
"""Command interface of a joint that resets its drive's fault."""

SIMULATED = "simulated"
"""Hardware that is dynid's simulation of drives and bodies."""

_ENABLED = 0x0237  # status word of an enabled drive
_PLUGINS = {
    SIMULATED: "dynid/SimulatedDrives",
    "mock": "mock_components/GenericSystem",
    "ethercat": "ethercat_driver/EthercatDriver",
}
_TORQUE_MODES = {"by_controller": "torque", "by_robot": "torque_and_gravity"}
HARDWARE = tuple(_PLUGINS)
"""Kinds of hardware with a ``<ros2_control>`` tag of dynid."""


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
    for name in _PLANT_SETTINGS:
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


_INDEX = Path("share", "ament_index", "resource_index")
_HARDWARE = "hardware_interface__pluginlib__plugin"  # a file for each package, which lists files
_NEEDED = (
    "controller_manager",
    "robot_state_publisher",
    "joint_state_broadcaster",
    "joint_trajectory_controller",
)


def uses_ros2_control(wanted: str) -> bool:
    """Return whether controller_manager runs the robot; otherwise the node simulated_robot does.

    Args:
        wanted: ``true``, ``false``, or ``auto``: true if all its packages are installed.

    Raises:
        ConfigurationError: ``wanted`` is ``true``, but packages are missing.
    """
    absent = [package for package in _NEEDED if not installed(package)]
    if wanted == "true" and absent:
        raise ConfigurationError(
            f"ros2_control:=true needs {', '.join(absent)}, which are not installed; install them, "
            "or use ros2_control:=auto."
        )
    return wanted != "false" and not absent


def installed(package: str) -> bool:
    """Return whether a ROS package is in one of the prefixes of this environment."""
    return any((prefix / _INDEX / "packages" / package).exists() for prefix in folders_in(PREFIXES))


def hardware_plugins(urdf: ET.Element) -> set[str]:
    """Return the plugins that the ``<ros2_control>`` tags of a URDF name."""
    return {(tag.text or "").strip() for tag in urdf.iterfind("ros2_control/hardware/plugin")}


def check_hardware(description: str) -> None:
    """Check that the hardware plugins of a URDF are installed.

    controller_manager only logs that one is missing, and its controllers wait for the drives.

    Args:
        description: URDF with ``<ros2_control>`` tags.

    Raises:
        ConfigurationError: a plugin is in no installed package.
    """
    named = hardware_plugins(xml_tree(description, "The URDF"))
    if absent := sorted(named.difference(*map(_installed_hardware, folders_in(PREFIXES)))):
        raise ConfigurationError(
            f"the hardware plugin {', '.join(absent)} is in no installed package of ROS 2; install "
            "its package and source its setup.bash, or use hardware:=simulated."
        )


def _installed_hardware(prefix: Path) -> Iterator[str]:
    for index in (prefix / _INDEX / _HARDWARE).glob("*"):
        for file in index.read_text(encoding="utf-8").split():
            try:
                classes = ET.parse(prefix / file).iter("class")  # noqa: S314
            except (OSError, ET.ParseError):
                continue  # pluginlib cannot read it either
            for plugin in classes:
                yield plugin.get("name") or plugin.get("type") or ""
