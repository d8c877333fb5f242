"""Checks of a URDF's text before the C++ parsers read it.

urdfdom reads ``1e999`` and ``nan`` inconsistently and follows links from parent to child endlessly
where they form a ring, and pinocchio computes with any number.
"""

from __future__ import annotations

import math
from functools import lru_cache
from xml.etree import ElementTree as ET

from dynid.dynamics.urdf_structure import UrdfStructure, shortened
from dynid.errors import MechanismError
from dynid.limits import URDF_LINKS
from dynid.xml_tree import line_of, xml_tree

_WHERE = "The URDF"
_SHORTEST_AXIS = 1e-4  # a shorter one is a rounding error of one without direction
_LARGEST_NUMBER = 1e9  # of any length, mass, moment of inertia or angle, in SI units
_NUMBERS = {
    "origin": {"xyz": 3, "rpy": 3},
    "axis": {"xyz": 3},
    "mass": {"value": 1},
    "inertia": dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), 1),
    "limit": dict.fromkeys(("lower", "upper", "effort", "velocity"), 1),
    "dynamics": {"damping": 1, "friction": 1},
    "mimic": {"multiplier": 1, "offset": 1},
    "box": {"size": 3},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1},
    "sphere": {"radius": 1},
    "mesh": {"scale": 3},
}
"""Number of values in the attributes that a mechanism and its shapes use."""


@lru_cache(maxsize=8)  # a robot's mechanism is built with many terms and gravities
def check_urdf(urdf_xml: str, where: str = _WHERE) -> None:
    """Raise where parsers of URDF could crash, or a number is out of range for a robot.

    Raises:
        MechanismError: the URDF is invalid, with a sentence for the user.
    """
    root = xml_tree(urdf_xml, where)
    for kind in ("link", "joint"):
        count = len(root.findall(kind))
        URDF_LINKS.check(count, f"{where}: has {count} {kind}s", MechanismError)
        for element in root.findall(kind):
            whose = f"{where}: {kind} '{shortened(element.get('name', ''))}'"
            _check_numbers(element, whose)
            _check_axis(element, whose)
    UrdfStructure(root, where).check()


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
            most = math.inf if part.tag == "limit" else _LARGEST_NUMBER
            if text is not None and not _are_numbers(text, count, most):
                expected = "a finite number" if count == 1 else f"{count} finite numbers"
                size = f" of at most {most:g} in size" if math.isfinite(most) else ""
                raise MechanismError(
                    f'{whose} has <{part.tag} {name}="{shortened(text)}"> (line {line_of(part)}), '
                    f"expected {expected}{size}."
                )


def _check_axis(element: ET.Element, whose: str) -> None:
    """Raise where a joint that moves has no direction; the length of an axis has no meaning."""
    axis = element.find("axis")
    if axis is None or element.get("type") not in ("revolute", "continuous", "prismatic"):
        return
    text = axis.get("xyz", "1 0 0")
    if math.hypot(*map(float, text.split())) < _SHORTEST_AXIS:
        raise MechanismError(
            f'{whose} has <axis xyz="{shortened(text)}"> (line {line_of(axis)}), which has no '
            "direction, expected a unit vector such as 0 0 1."
        )


def _are_numbers(text: str, count: int, most: float) -> bool:
    if not text.isascii() or "_" in text:  # only Python reads these as numbers
        return False
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        return False
    return len(numbers) == count and all(
        math.isfinite(number) and abs(number) <= most for number in numbers
    )
