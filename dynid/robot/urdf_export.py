"""Writing of URDFs: with identified parameters, or reduced to the mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET
from xml.parsers import expat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.rigid_body import RigidBody
from dynid.dynamics.urdf_text import link_of
from dynid.errors import MechanismError
from dynid.xml_tree import xml_tree

_PER_BODY = 10
_KEPT_OF_LINK = frozenset({"inertial"})
_KEPT_OF_JOINT = frozenset({"origin", "parent", "child", "axis", "limit", "mimic", "dynamics"})


def identified_urdf(
    urdf_xml: str, mechanism: Mechanism, parameters: ArrayLike | None = None
) -> str:
    """Return the URDF with the identified inertia of every moving body, and its joints' friction.

    A body is the child link of an actuated joint with all links rigidly attached to it, also
    through locked joints; only their sum is identifiable. It is assigned to the child link, and the
    attached links lose their ``<inertial>``. A joint's ``<dynamics>`` gets viscous friction as
    damping and Coulomb friction as friction, the mean of a pair of directions, and 0 for a negative
    value; URDF has no element for other joint terms, nor for those of motors.

    Args:
        urdf_xml: the URDF that ``mechanism`` was built from; meshes and everything else are kept.
        mechanism: with joints and joint terms.
        parameters: (p,) in the order of ``mechanism.parameter_names``; None for
            ``mechanism.parameters``.

    Raises:
        MechanismError: a body's mass is not positive, so that it has no centre of mass, or the URDF
            is of another robot.
    """
    values = np.asarray(mechanism.parameters if parameters is None else parameters, dtype=float)
    if values.shape != (len(mechanism.parameter_names),):
        raise MechanismError(
            f"There are {values.size} parameters for the URDF, "
            f"expected {len(mechanism.parameter_names)}."
        )
    root = xml_tree(urdf_xml, "The URDF", comments=True)
    links = {link.get("name", ""): link for link in root.findall("link")}
    joints = {joint.get("name", ""): joint for joint in root.findall("joint")}
    absent = [name for name in mechanism.moving_joints if name not in joints]
    if absent:
        raise MechanismError(f"The URDF has no joint '{absent[0]}', which the mechanism has.")
    moving = frozenset(mechanism.moving_joints)
    for number, name in enumerate(mechanism.body_joints):
        body = values[_PER_BODY * number : _PER_BODY * (number + 1)]
        child = link_of(joints[name], "child")
        attached = list(_attached(child, root, moving))
        _set_inertial(links[child], _inertial(body, name), attached)
        for link in attached:
            _drop_inertial(links[link], child)
    _set_friction(joints, mechanism, values[mechanism.first_term :])
    root.insert(0, ET.Comment(" Inertia of moving bodies and friction identified by dynid. "))
    return _text(root, _leading_comments(urdf_xml))


def kinematic_urdf(urdf_xml: str) -> str:
    """Return the part of a URDF that a mechanism needs, in plain ASCII: links' inertia, and joints.

    Raises:
        MechanismError: the text is not XML.
    """
    root = xml_tree(urdf_xml, "The URDF", comments=True)
    kept = ET.Element(root.tag, root.attrib)
    for element in root:
        if element.tag in ("link", "joint"):
            wanted = _KEPT_OF_LINK if element.tag == "link" else _KEPT_OF_JOINT
            part = ET.SubElement(kept, str(element.tag), element.attrib)
            part.extend(child for child in element if child.tag in wanted)
    return _text(kept, [])


def _leading_comments(urdf_xml: str) -> list[str]:
    """Return the comments before the root element, often a licence, which the tree omits."""
    comments: list[str] = []
    parser = expat.ParserCreate()

    def begin(*_: object) -> None:
        parser.CommentHandler = None

    parser.StartElementHandler = begin
    parser.CommentHandler = lambda text: comments.append(f"<!--{text}-->\n")
    parser.Parse(urdf_xml, True)
    return comments


def _text(root: ET.Element, comments: list[str]) -> str:
    ET.indent(root)
    # us-ascii writes any other character as a reference, which every reader supports
    content = ET.tostring(root, encoding="us-ascii", xml_declaration=False).decode("ascii")
    declaration = '<?xml version="1.0"?>\n'
    return f"{declaration}{''.join(comments)}{content}\n"


def _attached(link: str, root: ET.Element, moving: frozenset[str]) -> Iterator[str]:
    """Return the names of the links that move with ``link`` as one body."""
    for joint in root.findall("joint"):
        if joint.get("name") not in moving and link_of(joint, "parent") == link:
            child = link_of(joint, "child")
            yield child
            yield from _attached(child, root, moving)


def _inertial(body: Array, joint: str) -> ET.Element:
    """Return ``<inertial>`` of body (10,): mass, first moments, inertia about its joint's frame."""
    if not (np.isfinite(body).all() and body[0] > 0):
        raise MechanismError(
            f"The body behind joint '{joint}' has a mass of {body[0]:g} kg, but a URDF needs one "
            "above 0; identify with physical.enabled: true."
        )
    rigid = RigidBody.from_parameters(body)
    element = ET.Element("inertial")
    xyz = " ".join(repr(float(value)) for value in rigid.centre)
    ET.SubElement(element, "origin", {"xyz": xyz, "rpy": "0 0 0"})
    ET.SubElement(element, "mass", {"value": repr(rigid.mass)})
    names = ("ixx", "ixy", "iyy", "ixz", "iyz", "izz")
    moments = zip(names, rigid.moments, strict=True)
    ET.SubElement(element, "inertia", {name: repr(float(value)) for name, value in moments})
    return element


def _set_inertial(link: ET.Element, inertial: ET.Element, attached: list[str]) -> None:
    for old in link.findall("inertial"):
        link.remove(old)
    link.insert(0, inertial)
    if attached:
        link.insert(0, _comment(f"With all that is attached to it: {', '.join(attached)}."))


def _drop_inertial(link: ET.Element, carrier: str) -> None:
    dropped = link.findall("inertial")
    for old in dropped:
        link.remove(old)
    if dropped:
        link.insert(0, _comment(f"Its inertia is part of link {carrier}."))


def _comment(text: str) -> ET.Element[Any]:
    return ET.Comment(f" {text.replace('--', '- -')} ")


def _set_friction(
    joints: dict[str, ET.Element], mechanism: Mechanism, values: NDArray[np.float64]
) -> None:
    for attribute in ("damping", "friction"):
        for number, name in enumerate(mechanism.moving_joints):
            sizes = [
                # each of a pair applies to one direction
                (0.5 if term.traits.mirror else 1.0) * float(value)
                for term, value in zip(mechanism.terms, values, strict=True)
                if (term.joint, term.side, term.traits.urdf) == (number, "joint", attribute)
            ]
            if sizes:
                dynamics = joints[name].find("dynamics")
                if dynamics is None:
                    dynamics = ET.SubElement(joints[name], "dynamics")
                # simulators reject negative friction
                dynamics.set(attribute, repr(max(sum(sizes), 0.0)))
