"""Profile content from a URDF alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynid.errors import ConfigurationError
from dynid.file_names import likely_file_name
from dynid.xml_tree import xml_tree

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

_MOVABLE = ("revolute", "continuous", "prismatic")


def urdf_profile(urdf_xml: str, file: str) -> dict[str, Any]:
    """Return the profile of a robot of which only the URDF is known.

    All movable joints are actuated, in the order of the file. A limit is used if every joint has
    it: ``lower`` and ``upper`` [rad or m], ``velocity`` [rad/s or m/s], ``effort`` [N m or N].

    Args:
        urdf_xml: the URDF's text.
        file: its name.

    Raises:
        ConfigurationError: the text is not XML, has no movable joint, or has a joint with <mimic>.
    """
    root = xml_tree(urdf_xml, f"{file}: is not a URDF", ConfigurationError)
    joints = [joint for joint in root.findall("joint") if joint.get("type") in _MOVABLE]
    names = [joint.get("name", "") for joint in joints]
    following = [joint.get("name", "") for joint in joints if joint.find("mimic") is not None]
    if not joints:
        raise ConfigurationError(f"{file}: has no movable joint, so there is nothing to identify.")
    if following:
        raise ConfigurationError(
            f"{file}: joint '{following[0]}' follows another one (<mimic>), and a URDF does not "
            "define which of them has a drive; write a profile that lists the actuated joints."
        )
    name = likely_file_name(root.get("name", ""), "robot")
    content: dict[str, Any] = {"robot": name, "urdf": file, "joints": names}
    limits = _limits(joints)
    return content | ({"limits": limits} if limits else {})


def _limits(joints: list[ET.Element]) -> dict[str, Any]:
    found = {key: [_number(joint, key) for joint in joints] for key in ("velocity", "effort")}
    lower, upper = ([_number(joint, key) for joint in joints] for key in ("lower", "upper"))
    endless = any(joint.get("type") == "continuous" for joint in joints)
    limits: dict[str, Any] = {}
    pairs = list(zip(lower, upper, strict=True))
    if not endless and all(low < high for low, high in pairs):
        limits["position"] = [list(pair) for pair in pairs]
    for key, name in (("velocity", "velocity"), ("effort", "torque_max")):
        if all(value > 0 for value in found[key]):
            limits[name] = found[key]
    return limits


def _number(joint: ET.Element, key: str) -> float:
    """Return an attribute of a joint's ``<limit>``; 0 if it is missing or not a number."""
    limit = joint.find("limit")
    try:
        return 0.0 if limit is None else float(limit.get(key, "0"))
    except ValueError:
        return 0.0
