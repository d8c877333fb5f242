"""Links and joints of a USD stage, and torques of the model that the stage describes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pinocchio

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid_plugins.simulators.joint_tree import JointTree, Kind, TreeJoint
from dynid_plugins.simulators.usd_properties import axis_of, body_of, rotation
from dynid_plugins.simulators.usd_stage import Prim, usd_errors, usd_library

if TYPE_CHECKING:
    from dynid.excitation.motion import Motion

_KINDS: dict[str, Kind] = {"PhysicsRevoluteJoint": "hinge", "PhysicsPrismaticJoint": "slide"}
_FORMS = {
    "hinge": pinocchio.JointModelRevoluteUnaligned,
    "slide": pinocchio.JointModelPrismaticUnaligned,
}
_STANDARD_GRAVITY = 9.81


class UsdTree:
    """The rigid bodies and physics joints of a stage, with inverse dynamics by pinocchio.

    Raises:
        ConfigurationError: links form a loop, or are scaled.
    """

    def __init__(self, stage: Any, where: str) -> None:
        self._library, self._where, self.stage = usd_library(), where, stage
        with usd_errors(where):
            self._read(stage)

    def _read(self, stage: Any) -> None:
        prims = list(stage.Traverse(self._library.usd.TraverseInstanceProxies()))
        physics = self._library.physics
        self._links = {
            str(prim.GetPath()): prim for prim in prims if prim.HasAPI(physics.RigidBodyAPI)
        }
        found = [self._joint(prim) for prim in prims if prim.IsA(physics.Joint)]
        found = [one for one in found if one[0].links[1]]  # others connect nothing that moves
        self._prims = {joint.name: prim for joint, prim in found}
        joints = [joint for joint, _ in found]
        children = [joint.links[1] for joint in joints]
        if len(self._prims) < len(found):
            raise self._unsupported("two joints have the same name")
        self.bodies = {path: body_of(self._library, prim) for path, prim in self._links.items()}
        placed = {path: self._placed(path) for path in self._links}
        roots = {path: frame for path, frame in placed.items() if path not in children}
        known = {path: body for path, body in self.bodies.items() if body is not None}
        self.tree = JointTree(joints, known, roots, self._where)
        self._joints = {joint.name: joint for joint in joints}

    @property
    def name(self) -> str:
        """What reads the file: no simulator."""
        from pxr import Usd  # noqa: PLC0415  an extra

        return f"usd-core {'.'.join(map(str, Usd.GetVersion()[1:]))}, which reads the file back,"

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that can move."""
        return self.tree.joints

    def link(self, joint: str) -> Prim:
        """Return the prim of the link that a joint moves."""
        return self._links[self.tree.link(joint)]

    def joint(self, name: str) -> Prim:
        """Return the prim of a joint."""
        return self._prims[name]

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity (3,) [m/s^2] of the first scene, with the schema's defaults."""
        up = {"X": 0, "Y": 1, "Z": 2}[self._library.geom.GetStageUpAxis(self.stage)]
        direction, size = -np.eye(3)[up], -np.inf
        for prim in self.stage.Traverse():
            if prim.IsA(self._library.physics.Scene):
                scene = self._library.physics.Scene(prim)
                given = np.array(scene.GetGravityDirectionAttr().Get(), dtype=np.float64)
                direction = given / np.linalg.norm(given) if given.any() else direction
                size = scene.GetGravityMagnitudeAttr().Get()
                break
        return np.asarray(direction * (size if np.isfinite(size) else _STANDARD_GRAVITY))

    def inverse_dynamics(self, joints: Sequence[str], motion: Motion) -> Array:
        """Return the torques of the bodies, armature and damping along a motion (N, n)."""
        model, order = self._model(joints)
        data = model.createData()
        position, velocity, acceleration = (np.asarray(part)[:, order] for part in motion)
        torque = np.empty(position.shape)
        for number, state in enumerate(zip(position, velocity, acceleration, strict=True)):
            torque[number, order] = pinocchio.rnea(model, data, *state)
        for number, name in enumerate(joints):
            slides = self._joints[name].kind == "slide"
            armature, damping = axis_of(self._prims[name], slides=slides)
            torque[:, number] += (
                armature * motion.acceleration[:, number] + damping * motion.velocity[:, number]
            )
        return torque

    def _model(self, joints: Sequence[str]) -> tuple[pinocchio.Model, list[int]]:
        """Return pinocchio's model of what the joints move, and which joint each of its is."""
        model, added = pinocchio.Model(), dict[int, int]()
        model.gravity.linear = self.gravity
        links = [self.tree.link(name) for name in joints]
        in_links = np.array([self._joints[name].in_child for name in joints])
        frames = self.tree.frames(joints, np.zeros((1, len(joints))))[0] @ in_links

        def add(number: int) -> None:
            joint = self._joints[joints[number]]
            carrier = self.tree.carrier(joint.links[0], joints)
            parent = None if carrier is None else links.index(carrier)
            if parent is not None and parent not in added:
                add(parent)
            outer = np.eye(4) if parent is None else frames[parent]
            place = pinocchio.SE3(np.linalg.inv(outer) @ frames[number])
            form = _FORMS[joint.kind](joint.axis)
            after = 0 if parent is None else added[parent]
            added[number] = model.addJoint(after, form, place, joint.name)
            for body in (self.bodies[links[number]], *self.tree.bodies_on(joints, number)):
                if body is not None:
                    seen = body.seen_from(in_links[number])
                    inertia = pinocchio.Inertia(seen.mass, seen.centre, seen.inertia)
                    nothing = pinocchio.SE3.Identity()
                    model.appendBodyToJoint(added[number], inertia, nothing)

        for number in range(len(joints)):
            if number not in added:
                add(number)
        return model, list(added)

    def _joint(self, prim: Prim) -> tuple[TreeJoint, Prim]:
        joint = self._library.physics.Joint(prim)
        ends = [self._end(rel) for rel in (joint.GetBody0Rel(), joint.GetBody1Rel())]
        frames = [
            _frame(joint.GetLocalPos0Attr().Get(), joint.GetLocalRot0Attr().Get()),
            _frame(joint.GetLocalPos1Attr().Get(), joint.GetLocalRot1Attr().Get()),
        ]
        if ends[1] == "":  # the world carries the other one
            ends.reverse()
            frames.reverse()
        kind = _KINDS.get(prim.GetTypeName(), "fixed")
        axis = np.zeros(3)
        if kind != "fixed":
            axis["XYZ".index(prim.GetAttribute("physics:axis").Get())] = 1.0
        name = prim.GetDisplayName() or prim.GetName()
        return TreeJoint(name, (ends[0], ends[1]), frames[0], frames[1], axis, kind), prim

    def _end(self, relation: Prim) -> str:
        """Return the path of a joint's link; of the link above, where it names a part of one."""
        targets = relation.GetTargets()
        path = str(targets[0]) if targets else ""
        while path and path not in self._links:
            path = path.rpartition("/")[0]
        return path

    def _placed(self, path: str) -> Array:
        cache = self._library.geom.XformCache()
        matrix = np.array(cache.GetLocalToWorldTransform(self._links[path])).T
        if not np.allclose(matrix[:3, :3] @ matrix[:3, :3].T, np.eye(3), atol=1e-4):
            raise self._unsupported(f"the link '{path}' is scaled")
        return np.asarray(matrix)

    def _unsupported(self, what: str) -> ConfigurationError:
        return ConfigurationError(
            f"{self._where}: {what}, but only trees of unscaled links are supported."
        )


def _frame(position: Prim, turn: Prim) -> Array:
    frame = np.eye(4)
    frame[:3, :3] = rotation(turn)
    frame[:3, 3] = position
    if not np.isfinite(frame).all():
        raise ValueError("a frame of a joint is not finite")
    return frame
