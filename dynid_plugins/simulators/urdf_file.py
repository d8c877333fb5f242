"""A URDF with the inertias and friction of a model: the robot's own, or another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET
from xml.sax.saxutils import quoteattr

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_terms import JointTerm
from dynid.dynamics.kinematics import Kinematics
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.robot.urdf_export import identified_urdf
from dynid.xml_editing import XmlText
from dynid.xml_tree import xml_tree
from dynid_plugins.simulators.placed_bodies import placed_bodies
from dynid_plugins.simulators.tree_layout import followers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dynid.dynamics.rigid_body import RigidBody
    from dynid_plugins.simulators.exported_model import ExportedModel
    from dynid_plugins.simulators.frame_alignment import FrameAlignment
    from dynid_plugins.simulators.tree_layout import Follower

_FRICTION = ("viscous", "coulomb")


def urdf_text(exported: ExportedModel, header: list[str]) -> str:
    """Return the robot's URDF with its bodies and friction."""
    text = _with_mimics(exported.model.robot.urdf_xml, followers(exported))
    text = _identified(text, exported, exported.joints, exported.bodies)
    declaration, rest = text.split("\n", 1)
    comment = ET.tostring(ET.Comment(" " + "\n     ".join(header).replace("--", "- -") + " "))
    return f"{declaration}\n{comment.decode()}\n{rest}"


def urdf_joints(text: str) -> tuple[str, ...]:
    """Return the names of the joints that can move."""
    root = xml_tree(text, "The URDF", ConfigurationError)
    joints = (one for one in root.iterfind("joint") if one.get("type") != "fixed")
    return tuple(joint.get("name", "") for joint in joints)


def updated_urdf(
    text: str, where: Path, exported: ExportedModel, joints: tuple[str, ...]
) -> tuple[str, FrameAlignment]:
    """Return another URDF of the robot with its bodies and friction, and how frames are aligned.

    The link of each joint gets all that the model has behind the joint; links fixed to it, also by
    joints that the model does not move, lose their mass.

    Raises:
        ConfigurationError: the URDF moves differently.
        MechanismError: it cannot be read.
    """
    bodies, alignment = placed_bodies(exported, _Urdf(text, joints), joints, str(where))
    return _identified(text, exported, joints, bodies), alignment


class _Urdf:
    """A URDF as :class:`~dynid_plugins.simulators.placed_bodies.Description`."""

    def __init__(self, text: str, joints: Sequence[str]) -> None:
        self._kinematics = Kinematics(Mechanism(_without_mimics(text), joints))
        self.joints = tuple(joints)

    def frames(self, joints: Sequence[str], positions: Array) -> Array:  # noqa: ARG002  all
        """Return the frames of the joints' links in the root frame (K, n, 4, 4)."""
        return self._kinematics.joint_frames(positions)

    def bodies_on(self, joints: Sequence[str], number: int) -> list[RigidBody]:  # noqa: ARG002
        """Return nothing: all masses behind a joint become parts of its link's."""
        return []


def _with_mimics(text: str, followed: Mapping[str, Follower]) -> str:
    """Return a URDF in which joints follow others, also where it did not say so."""
    xml = XmlText(text, "The URDF")
    for joint in xml.root.children:
        one = followed.get(joint.attributes.get("name", "")) if joint.tag == "joint" else None
        if one is not None and joint.find("mimic") is None:
            numbers = f'multiplier="{one.multiplier!r}" offset="{one.offset!r}"'
            xml.append(joint, f"<mimic joint={quoteattr(one.leader)} {numbers}/>")
    return xml.text()


def _without_mimics(text: str) -> str:
    """Return a URDF whose joints all move alone, as in a tree that is cut open."""
    if "<mimic" not in text:
        return text
    xml = XmlText(text, "The URDF")
    for mimic in xml.root.all("mimic"):
        xml.remove(mimic)
    return xml.text()


def _identified(
    text: str, exported: ExportedModel, joints: Sequence[str], bodies: Sequence[RigidBody]
) -> str:
    terms = [JointTerm(kind, number) for kind in _FRICTION for number in range(len(joints))]
    mechanism = Mechanism(_without_mimics(text), joints, terms=terms)
    axes = exported.terms.axes
    order = [mechanism.joints.index(joint) for joint in mechanism.body_joints]
    parameters: list[ArrayLike] = [
        *(bodies[number].parameters for number in order),
        [float(axis.damping[0]) for axis in axes],
        [axis.dry_friction for axis in axes],
    ]
    return identified_urdf(text, mechanism, np.concatenate(parameters))
