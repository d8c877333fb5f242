"""Checks of a URDF's links and joints, before parsers that print what they refuse read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn
from xml.etree import ElementTree as ET

from dynid.errors import MechanismError
from dynid.text import first_few, listed
from dynid.xml_tree import line_of

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
