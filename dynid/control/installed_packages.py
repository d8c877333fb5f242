"""ROS packages and hardware plugins that are installed, found in the index of ament."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

from dynid.errors import ConfigurationError
from dynid.packages import PREFIXES, folders_in
from dynid.xml_tree import xml_tree

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
