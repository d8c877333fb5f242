"""Checks of a URDF's text before the C++ parsers read it.

urdfdom reads ``1e999`` and ``nan`` inconsistently and follows links from parent to child endlessly
where they form a ring, and pinocchio computes with any number.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from dynid.errors import MechanismError
from dynid.limits import URDF_LINKS
from dynid.xml_tree import xml_tree

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

_WHERE = "The URDF"
_LARGEST_NUMBER = 1e9  # of any length, mass, moment of inertia or angle, in SI units
_NUMBERS = {
    "origin": {"xyz": 3, "rpy": 3},
    "axis": {"xyz": 3},
    "mass": {"value": 1},
    "inertia": dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), 1),
    "mimic": {"multiplier": 1, "offset": 1},
    "box": {"size": 3},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1},
    "sphere": {"radius": 1},
    "mesh": {"scale": 3},
}
"""Number of values in the attributes that a mechanism and its shapes use."""


@lru_cache(maxsize=8)  # a robot's mechanism is built with many terms and gravities
def check_urdf(urdf_xml: str) -> None:
    """Raise where parsers of URDF could crash, or a number is out of range for a robot.

    Missing elements and names are not checked, because pinocchio reports them.

    Raises:
        MechanismError: the URDF is invalid, with a sentence for the user.
    """
    root = xml_tree(urdf_xml, _WHERE)
    for kind in ("link", "joint"):
        count = len(root.findall(kind))
        URDF_LINKS.check(count, f"{_WHERE}: has {count} {kind}s", MechanismError)
        for element in root.findall(kind):
            _check_numbers(element, f"{kind} '{element.get('name', '')[:60]}'")
    _check_tree(root)


def prismatic_joints(urdf_xml: str) -> set[str]:
    """Return the names of the URDF's prismatic joints.

    Raises:
        MechanismError: the text is not XML.
    """
    joints = xml_tree(urdf_xml, _WHERE).findall("joint")
    return {joint.get("name", "") for joint in joints if joint.get("type") == "prismatic"}


def _check_numbers(element: ET.Element, whose: str) -> None:
    for part in element.iter():
        for name, count in _NUMBERS.get(str(part.tag), {}).items():
            text = part.get(name)
            if text is not None and not _are_numbers(text, count):
                expected = "a finite number" if count == 1 else f"{count} finite numbers"
                message = (
                    f'{_WHERE}: {whose} has <{part.tag} {name}="{text[:60]}">, expected {expected} '
                    f"of at most {_LARGEST_NUMBER:g} in size."
                )
                raise MechanismError(message)


def _are_numbers(text: str, count: int) -> bool:
    if not text.isascii() or "_" in text:  # only Python reads these as numbers
        return False
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        return False
    return len(numbers) == count and all(
        math.isfinite(number) and abs(number) <= _LARGEST_NUMBER for number in numbers
    )


def _check_tree(root: ET.Element) -> None:
    """Raise where a link has two parents, or is its own ancestor."""
    parents: dict[str, str] = {}
    for joint in root.findall("joint"):
        parent, child = (_link_of(joint, end) for end in ("parent", "child"))
        if child and child in parents:
            message = (
                f"{_WHERE}: link '{child[:60]}' is the child of two joints; a URDF is a tree, and "
                "'closed_chain' of the profile closes loops."
            )
            raise MechanismError(message)
        parents[child] = parent
    for start, parent in parents.items():
        seen, link = {start}, parent
        while link in parents:
            if link in seen:
                message = f"{_WHERE}: link '{link[:60]}' is its own ancestor; a URDF is a tree."
                raise MechanismError(message)
            seen.add(link)
            link = parents[link]


def _link_of(joint: ET.Element, end: str) -> str:
    element = joint.find(end)
    return "" if element is None else element.get("link", "")
