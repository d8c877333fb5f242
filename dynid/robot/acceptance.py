"""Checks that a stored model belongs to this robot and may be used."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from xml.etree import ElementTree as ET

import numpy as np

from dynid.dynamics.urdf_text import link_of
from dynid.errors import ModelFileError
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.robot.urdf_export import kinematic_urdf
from dynid.xml_tree import xml_tree


def check_acceptance(model: Model, robot: Robot, where: str, *, force: bool = False) -> None:
    """Reject a model of another robot, and one whose identification failed.

    The model must have been identified with this robot's name, joints in their order, mounting,
    closed chain, and URDF. The URDF's SHA-256 decides; if it differs, the model is rejected only if
    the URDFs differ in something that torque depends on (see :func:`urdf_difference`).

    Args:
        model: as read from its file.
        robot: this one.
        where: names the model in error messages.
        force: accept a model whose identification failed; one of another robot is never accepted.

    Raises:
        ModelFileError: the model must not be used, with the reason.
    """
    known_robot = model.robot
    if known_robot.name != robot.name:
        raise _foreign(where, f"is of robot '{known_robot.name}', this is '{robot.name}'")
    pairs: list[tuple[str, object, object]] = [
        ("joints", ", ".join(known_robot.joints), ", ".join(robot.joints)),
        ("gravity", known_robot.gravity, robot.gravity),
        ("coupling", known_robot.coupling, robot.coupling),
        ("locked joints", known_robot.locked, robot.locked),
        (
            "payload joint",
            known_robot.payload_joint or known_robot.joints[-1],
            robot.payload_joint or robot.joints[-1],
        ),
    ]
    for name, stored, expected in pairs:
        if stored != expected:
            raise _foreign(where, f"was identified with {name} {stored}, this robot has {expected}")
    if known_robot.closed_chain != robot.closed_chain:
        raise _foreign(where, "was identified with other passive joints or loop closures")
    present = kinematic_urdf(robot.urdf_xml)
    digest, known = _digest(present), kinematic_urdf(model.robot.urdf_xml)
    if digest != _digest(known):
        difference = urdf_difference(known, present)
        if difference:
            hashes = f"SHA-256 {_digest(known)[:12]}… there, {digest[:12]}… here"
            raise _foreign(where, f"was identified with another URDF ({hashes}): {difference}")
    if model.provenance is not None and model.provenance.failed and not force:
        reasons = " ".join(model.provenance.reasons)
        raise ModelFileError(
            f"{where}: its identification failed ({reasons.rstrip('.')}), so it must not be used; "
            "identify again, or set 'force' to load it anyway."
        )


def check_physical(model: Model, where: str) -> None:
    """Reject a model that is not physically consistent, as the controller does.

    Raises:
        ModelFileError: the model must not be used, with the reason.
    """
    problem = model.mechanism.physical_problem()
    if problem:
        raise ModelFileError(
            f"{where}: is not physically consistent: {problem}; identify again, or set 'force' to "
            "load it anyway."
        )


def largest_difference(first: Model, other: Model) -> float:
    """Return the largest difference of a parameter, relative to the largest of those with its unit.

    Raises:
        ModelFileError: the models have different parameters.
    """
    if first.parameter_names != other.parameter_names:
        raise ModelFileError(
            "the two models have different parameters, so they cannot be compared."
        )
    units = np.array(first.mechanism.parameter_units)
    apart = np.abs(first.parameters - other.parameters)
    scales = [np.abs(first.parameters[units == unit]).max() for unit in units]
    return float(np.max(apart / np.maximum(scales, np.finfo(float).tiny)))


def _digest(urdf_xml: str) -> str:
    return hashlib.sha256(urdf_xml.encode()).hexdigest()


def _foreign(where: str, reason: str) -> ModelFileError:
    return ModelFileError(
        f"{where}: {reason}; load this robot's model, or name the profile and URDF it belongs to."
    )


Values = dict[str, str]

_NUMBER_TOLERANCE = 1e-9  # relative and absolute: rounding of a number written in two ways
_INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_NO_ORIGIN = {"xyz": "0 0 0", "rpy": "0 0 0"}


def urdf_difference(stored: str, present: str) -> str:
    """Return the first difference between two URDFs that changes torque; empty if there is none.

    Ignored are order, formatting, notation of numbers, limits, friction, meshes, and frames without
    mass at the end of a chain.
    """
    known, other = _described(stored), _described(present)
    for name in known:
        if name not in other:
            return f"{name} is only in the model's URDF"
    for name in other:
        if name not in known:
            return f"{name} is only in this robot's URDF"
    for name, values in known.items():
        for key, value in values.items():
            present_value = other[name].get(key, "")
            if not _same(value, present_value):
                return (
                    f"{name} has {key} {value or 'none'} in the model's, {present_value or 'none'} "
                    "in this robot's"
                )
    return ""


def _described(urdf_xml: str) -> dict[str, Values]:
    """Return the values that torque depends on, for each link and joint."""
    root = xml_tree(urdf_xml, "The URDF")
    frames = _frames(root)
    elements: dict[str, Values] = {}
    for link in root.findall("link"):
        if link.get("name") not in frames:
            elements[f"link '{link.get('name')}'"] = dict(_inertial(link))
    for joint in root.findall("joint"):
        if link_of(joint, "child") not in frames:
            elements[f"joint '{joint.get('name')}'"] = dict(_placement(joint))
    return elements


def _frames(root: ET.Element) -> set[str]:
    """Return the frames: links without mass, rigidly attached, that carry no other link."""
    massless = {
        link.get("name", "") for link in root.findall("link") if link.find("inertial") is None
    }
    joints = root.findall("joint")
    frames: set[str] = set()
    while True:
        carriers = {link_of(j, "parent") for j in joints if link_of(j, "child") not in frames}
        children = {
            child
            for joint in joints
            if joint.get("type") == "fixed"
            and (child := link_of(joint, "child")) in massless - carriers - frames
        }
        if not children:
            return frames
        frames |= children


def _inertial(link: ET.Element) -> Iterator[tuple[str, str]]:
    inertial = link.find("inertial")
    if inertial is None:
        yield "mass", ""
        return
    yield "mass", _attribute(inertial, "mass", "value", "0")
    for key, default in _NO_ORIGIN.items():
        yield f"centre of mass {key}", _attribute(inertial, "origin", key, default)
    for key in _INERTIA:
        yield key, _attribute(inertial, "inertia", key, "0")


def _placement(joint: ET.Element) -> Iterator[tuple[str, str]]:
    yield "type", joint.get("type", "")
    yield "parent", link_of(joint, "parent")
    yield "child", link_of(joint, "child")
    for key, default in _NO_ORIGIN.items():
        yield f"origin {key}", _attribute(joint, "origin", key, default)
    if joint.get("type") != "fixed":
        yield "axis", _attribute(joint, "axis", "xyz", "1 0 0")
    for key, default in (("joint", ""), ("multiplier", "1"), ("offset", "0")):
        yield f"mimic {key}", _attribute(joint, "mimic", key, default)


def _attribute(element: ET.Element, child: str, key: str, default: str) -> str:
    child_element = element.find(child)
    return default if child_element is None else child_element.get(key, default)


def _same(first: str, other: str) -> bool:
    """Return whether values are equal, as numbers if both are numbers, else as text."""
    try:
        numbers = [[float(word) for word in text.split()] for text in (first, other)]
    except ValueError:
        return first == other
    return len(numbers[0]) == len(numbers[1]) and all(
        math.isclose(a, b, rel_tol=_NUMBER_TOLERANCE, abs_tol=_NUMBER_TOLERANCE)
        for a, b in zip(*numbers, strict=True)
    )
