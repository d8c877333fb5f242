"""Checks of a URDF's text, links and joints before the C++ parsers read it.

urdfdom reads ``1e999`` and ``nan`` inconsistently and follows links from parent to child endlessly
where they form a ring, and pinocchio computes with any number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NoReturn
from xml.etree import ElementTree as ET

from dynid.errors import MechanismError
from dynid.limits import URDF_LINKS
from dynid.text import first_few, listed
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


_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_VERSIONS = ("1.0", "1.1", "1.2")
_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_SHOWN = 4  # links in one list


class UrdfStructure:
    """The names, parents and required elements of a URDF, as a tree of links.

    Args:
        root: of the URDF.
        where: names the URDF in error messages.
    """

    def __init__(self, root: ET.Element, where: str) -> None:
        self._root, self._where = root, where

    def check(self) -> None:
        """Raise a MechanismError, with a sentence that names the line, at the first fault."""
        self._check_root()
        for kind in ("link", "joint", "material"):
            self._check_names(kind)
        for link in self._root.findall("link"):
            self._check_inertial(link)
        joints = self._root.findall("joint")
        links = {link.get("name", "") for link in self._root.findall("link")}
        for joint in joints:
            self._check_joint(joint, links)
        self._check_tree(joints)

    def _check_root(self) -> None:
        root = self._root
        if root.tag != "robot":
            self._refuse(f"is not a URDF: it begins with <{shortened(root.tag)}>, expected <robot>")
        if root.get("name") is None:
            self._refuse("<robot> has no name; add one, such as <robot name='arm'>")
        version = root.get("version")
        if version is not None and version.strip() not in _VERSIONS:
            self._refuse(
                f"has version '{shortened(version)}', expected one of {', '.join(_VERSIONS)}"
            )
        if root.find("link") is None:
            self._refuse("has no <link>")

    def _check_names(self, kind: str) -> None:
        lines: dict[str, int] = {}
        for element in self._root.findall(kind):
            name, line = element.get("name", ""), line_of(element)
            if not name and kind != "material":
                self._refuse(f"the {kind} in line {line} has no name")
            if name and name in lines:
                self._refuse(
                    f"{_named(element)} has the same name as the {kind} in line {lines[name]}; "
                    f"rename one of the two, or remove it"
                )
            lines[name] = line

    def _check_inertial(self, link: ET.Element) -> None:
        """Raise where parsers leave out all of an <inertial>, because a part is missing."""
        inertial = link.find("inertial")
        if inertial is None:
            return
        mass, inertia = inertial.find("mass"), inertial.find("inertia")
        if mass is None or mass.get("value") is None:
            self._refuse(f"{_named(link)} has an <inertial> without <mass value>")
        absent = [key for key in _MOMENTS if inertia is None or inertia.get(key) is None]
        if absent:
            self._refuse(
                f"{_named(link)} has an <inertial> without {listed(absent)} in <inertia>; "
                "products of inertia that are not known are 0"
            )

    def _check_joint(self, joint: ET.Element, links: set[str]) -> None:
        kind = joint.get("type", "")
        if kind not in _TYPES:
            stated = f"is of type '{shortened(kind)}'" if kind else "has no type"
            self._refuse(f"{_named(joint)} {stated}, expected one of {', '.join(_TYPES)}")
        for end in ("parent", "child"):
            link = link_of(joint, end)
            if not link:
                self._refuse(f"{_named(joint)} has no <{end} link>")
            if link not in links:
                remedy = f'add <link name="{shortened(link)}"/>'
                remedy += ", or remove the joint" if end == "parent" else ""
                self._refuse(
                    f"{_named(joint)} has the {end} link '{shortened(link)}', which is not among "
                    f"the links; {remedy}"
                )
        self._check_limit(joint, kind)
        dynamics, mimic = joint.find("dynamics"), joint.find("mimic")
        if dynamics is not None and not {"damping", "friction"} & set(dynamics.keys()):
            self._refuse(f"{_named(joint)} has a <dynamics> without damping and friction")
        if mimic is not None and not mimic.get("joint"):
            self._refuse(f"{_named(joint)} has a <mimic> without the joint that it follows")
        safety = joint.find("safety_controller")
        if safety is not None and safety.get("k_velocity") is None:
            self._refuse(f"{_named(joint)} has a <safety_controller> without k_velocity")

    def _check_limit(self, joint: ET.Element, kind: str) -> None:
        limit = joint.find("limit")
        if limit is None:
            if kind in ("revolute", "prismatic"):
                other = ", or make it continuous" if kind == "revolute" else ""
                self._refuse(
                    f"{_named(joint)} is {kind} and has no <limit>; add one with lower, upper, "
                    f"effort and velocity{other}"
                )
            return
        for key in ("effort", "velocity"):
            if limit.get(key) is None:
                self._refuse(
                    f"{_named(joint)} has a <limit> without {key}, which a URDF requires; 0 if it "
                    "is not known"
                )
            if float(limit.get(key, "0")) < 0:
                self._refuse(
                    f"{_named(joint)} has a <limit> with {key} {shortened(limit.get(key, ''))}, "
                    "expected a number above 0; 0 if it is not known"
                )

    def _check_tree(self, joints: Sequence[ET.Element]) -> None:
        """Raise where a link has two parents, is its own ancestor, or is in another tree."""
        parents: dict[str, str] = {}
        for joint in joints:
            child = link_of(joint, "child")
            if child in parents:
                self._refuse(
                    f"link '{shortened(child)}' is the child of two joints; a URDF is a tree, and "
                    "'closed_chain' of the profile closes loops"
                )
            parents[child] = link_of(joint, "parent")
        link = _in_ring(parents)
        if link is not None:
            self._refuse(f"link '{shortened(link)}' is its own ancestor; a URDF is a tree")
        roots = [link for link in self._root.findall("link") if link.get("name") not in parents]
        if len(roots) > 1:
            shown = listed(first_few([_named(link) for link in roots], _SHOWN))
            self._refuse(
                f"{shown} are children of no joint, but a URDF is one tree; "
                "add a fixed joint to all of them but one, or remove them"
            )

    def _refuse(self, problem: str) -> NoReturn:
        raise MechanismError(f"{self._where}: {problem}.")


def link_of(joint: ET.Element, end: str) -> str:
    """Return the name of a joint's ``parent`` or ``child`` link, or an empty text."""
    element = joint.find(end)
    return "" if element is None else element.get("link", "")


def shortened(text: str) -> str:
    """Return the beginning of a name in a URDF."""
    return text if len(text) <= 60 else f"{text[:59]}…"


def _named(element: ET.Element) -> str:
    return f"{element.tag} '{shortened(element.get('name', ''))}' (line {line_of(element)})"


def _in_ring(parents: Mapping[str, str]) -> str | None:
    """Return a link that is its own ancestor; None in a tree."""
    on_tree: set[str] = set()
    for start, parent in parents.items():
        path, link = {start}, parent
        while link in parents and link not in on_tree:
            if link in path:
                return link
            path.add(link)
            link = parents[link]
        on_tree |= path
    return None
