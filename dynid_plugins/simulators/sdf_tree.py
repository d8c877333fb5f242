"""Links and joints of a user's SDF, with poses relative to any frame of the model.

Semantics of SDFormat 1.7 and later; also of earlier versions, whose poses have no ``relative_to``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio

from dynid.arrays import Array
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError
from dynid.xml_editing import XmlElement, XmlText
from dynid_plugins.simulators.joint_tree import JointTree, Kind, TreeJoint

_KINDS: dict[str, Kind] = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide"}
_INERTIA = ("ixx", "ixy", "iyy", "ixz", "iyz", "izz")
_DEPTH = 100  # frames relative to frames


def sdf_tree(text: str, where: Path) -> JointTree:
    """Read the links and joints of the first model with joints.

    Raises:
        ConfigurationError: the text is not an SDF of a robot, or uses what is not supported.
    """
    return SdfModel(XmlText(text, str(where), ConfigurationError), where).tree()


class SdfModel:
    """The first model with joints in an SDF."""

    def __init__(self, xml: XmlText, where: Path) -> None:
        if xml.root.tag != "sdf":
            raise ConfigurationError(
                f"{where}: has a root element <{xml.root.tag}>, but an SDF has <sdf>."
            )
        self._where = where
        models = [one for one in xml.root.all("model") if one.find("joint")]
        if not models:
            raise ConfigurationError(f"{where}: has no model with joints.")
        self.element = models[0]
        self._named = {
            one.attributes.get("name", ""): one
            for one in self.element.children
            if one.tag in ("link", "joint", "frame")
        }

    def tree(self) -> JointTree:
        """Return links and joints; what hangs on fixed joints keeps its own mass.

        Raises:
            ConfigurationError: a joint has a kind or a frame that is not supported.
        """
        links = [one for one in self.element.children if one.tag == "link"]
        if not all(one.attributes.get("name") for one in links):
            raise self._unsupported("a link has no name")
        frames = {one.attributes["name"]: self._frame(one.attributes["name"]) for one in links}
        joints = [self._joint(one, frames) for one in self.element.children if one.tag == "joint"]
        bodies = {one.attributes["name"]: self._body(one) for one in links}
        moved = {joint.links[1] for joint in joints}
        roots = {name: frame for name, frame in frames.items() if name not in moved}
        return JointTree(joints, bodies, roots, str(self._where))

    def link(self, name: str) -> XmlElement:
        """Return the element of a link."""
        return self._named[name]

    def joint(self, name: str) -> XmlElement:
        """Return the element of a joint."""
        return next(
            one
            for one in self.element.children
            if one.tag == "joint" and one.attributes.get("name") == name
        )

    def _joint(self, element: XmlElement, frames: dict[str, Array]) -> TreeJoint:
        name = element.attributes.get("name", "")
        parent, child = (element.text_of(tag) for tag in ("parent", "child"))
        if child not in frames or (parent not in frames and parent != "world"):
            raise self._unsupported(f"joint '{name}' connects '{parent}' and '{child}'")
        kind: Kind = _KINDS.get(element.attributes.get("type", ""), "fixed")
        at = self._frame(name)
        given = element.find("axis", "xyz")
        axis = np.array([0.0, 0.0, 1.0]) if given is None else self._numbers(given.text, 3)
        expressed = None if given is None else given.attributes.get("expressed_in")
        if element.text_of("axis", "use_parent_model_frame") in ("1", "true"):
            expressed = "__model__"
        if expressed:
            axis = at[:3, :3].T @ self._frame(expressed)[:3, :3] @ axis
        carrier = np.eye(4) if parent == "world" else frames[parent]
        return TreeJoint(
            name,
            ("" if parent == "world" else parent, child),
            np.linalg.inv(carrier) @ at,
            np.linalg.inv(frames[child]) @ at,
            axis / (np.linalg.norm(axis) or 1.0),
            kind,
        )

    def _frame(self, name: str, depth: int = 0) -> Array:
        """Return a frame in that of the model (4, 4)."""
        if name in ("__model__", ""):
            return np.eye(4)
        element = self._named.get(name)
        if element is None or depth > _DEPTH:
            raise self._unsupported(f"a pose is relative to '{name}'")
        attached = element.attributes.get("attached_to", "__model__")
        default = element.text_of("child") if element.tag == "joint" else attached
        pose = element.find("pose")
        if pose is None:
            return self._frame(default, depth + 1)
        outer = self._frame(pose.attributes.get("relative_to") or default, depth + 1)
        return np.asarray(outer @ self._pose(pose))

    def _pose(self, element: XmlElement) -> Array:
        frame, turned = np.eye(4), element.attributes.get("rotation_format", "euler_rpy")
        values = self._numbers(element.text or "0 0 0 0 0 0", 7 if turned == "quat_xyzw" else 6)
        frame[:3, 3] = values[:3]
        if turned == "quat_xyzw":
            frame[:3, :3] = pinocchio.XYZQUATToSE3(values).rotation
        else:
            in_degrees = element.attributes.get("degrees") in ("true", "1")
            angles = np.radians(values[3:]) if in_degrees else values[3:]
            frame[:3, :3] = pinocchio.rpy.rpyToMatrix(angles)
        return frame

    def _body(self, link: XmlElement) -> RigidBody:
        """Return the body of a link in its frame, by default 1 kg and 1 kg m^2 as in SDF."""
        frame, pose = np.eye(4), link.find("inertial", "pose")
        if pose is not None and pose.text.strip():
            frame = self._pose(pose)
        mass = float(self._numbers(link.text_of("inertial", "mass") or "1", 1)[0])
        inertia = [
            float(self._numbers(link.text_of("inertial", "inertia", name) or default, 1)[0])
            for name, default in zip(_INERTIA, "101001", strict=True)
        ]
        body = RigidBody.from_numbers(mass, np.zeros(3), inertia)
        return body.seen_from(np.asarray(np.linalg.inv(frame), dtype=np.float64))

    def _numbers(self, text: str, count: int) -> Array:
        try:
            values = np.array([float(word) for word in text.split()])
        except ValueError:
            values = np.zeros(0)
        if len(values) != count or not np.isfinite(values).all():
            raise ConfigurationError(
                f"{self._where}: has '{text.strip()[:60]}', expected {count} finite numbers."
            )
        return values

    def _unsupported(self, what: str) -> ConfigurationError:
        return ConfigurationError(
            f"{self._where}: {what}, but only links, joints and frames of one model are supported, "
            "without nested or included ones."
        )
