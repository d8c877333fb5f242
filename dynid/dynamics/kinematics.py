"""Poses of a robot's bodies and tool, by pinocchio on the URDF."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.pose import Pose
from dynid.errors import ConfigurationError


class Kinematics:
    """Poses of all bodies, for positions of the mechanism's actuated joints.

    Bodies are the root and one for each movable joint of the URDF, locked ones included; rigidly
    attached links belong to the body that carries them.

    The tool point is the origin of a link's frame: of the given link, else of the last one. That is
    the link behind the most actuated joints and, of several such, the furthest from the root, so a
    ``flange`` or ``tool0`` where the URDF has one; with closed chains, of the body that carries a
    payload.

    Args:
        mechanism: names the joints and the positions of locked ones.
        tool: name of the link whose origin is the tool point; None for the last link.
        at_motors: whether recorded positions are those of the motors, not of the joints.

    Raises:
        ConfigurationError: the URDF has no link of the tool's name.
    """

    def __init__(
        self, mechanism: Mechanism, *, tool: str | None = None, at_motors: bool = False
    ) -> None:
        self.mechanism = mechanism
        self._coupling = mechanism.coupling if at_motors else np.eye(len(mechanism.joints))
        self._model = pinocchio.buildModelFromXML(mechanism.urdf_xml)
        self._data = self._model.createData()
        self._joint_ids = [self._model.getJointId(joint) for joint in mechanism.joints]
        self._moving_ids = [self._model.getJointId(joint) for joint in self.mechanism.moving_joints]
        self._rest = pinocchio.neutral(self._model)
        for joint, value in mechanism.locked.items():
            self._place(self._rest, self._model.getJointId(joint), value)
        self.root = str(self._model.frames[1].name)
        self.tool = self._last_link() if tool is None else tool
        if not self._model.existBodyName(self.tool):
            links = ", ".join(frame.name for frame in self._model.frames if _is_link(frame))
            message = f"link '{self.tool}': the URDF has no such link; it has {links}."
            raise ConfigurationError(message)
        frame = self._model.frames[self._model.getBodyId(self.tool)]
        self.tool_body = int(frame.parentJoint)
        self.tool_position = np.array(frame.placement.translation)

    @property
    def model(self) -> pinocchio.Model:
        """Pinocchio's model of the URDF, in which body k is moved by joint k."""
        return self._model

    @property
    def moving_bodies(self) -> tuple[int, ...]:
        """Body of each of the mechanism's moving joints, passive ones included; (m,)."""
        return tuple(self._moving_ids)

    @property
    def subspaces(self) -> Array:
        """Velocity of each moving joint's body in its own frame per unit of the joint's; (m, 6).

        Columns are the velocity's x, y, z, then the angular velocity's.
        """
        columns = []
        for joint in self._moving_ids:
            model = self._model.joints[joint]
            data = model.createData()
            model.calc(data, np.array([1.0, 0.0])[: model.nq])
            columns.append(np.asarray(data.S).ravel())
        return np.array(columns)

    @property
    def moving_slides(self) -> tuple[bool, ...]:
        """Whether each of the mechanism's moving joints is prismatic; (m,)."""
        return tuple(bool(np.any(row[:3])) for row in self.subspaces)

    @property
    def rest(self) -> Array:
        """Pinocchio's position vector with locked joints at their positions, others at 0; (nq,)."""
        return np.array(self._rest)

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies: the root link, then the joints that move the others; B of them."""
        return (self.root, *(str(name) for name in list(self._model.names)[1:]))

    @property
    def joint_bodies(self) -> tuple[int, ...]:
        """Body of each joint of the profile; its frame is the joint's."""
        return tuple(self._joint_ids)

    @property
    def parents(self) -> tuple[int, ...]:
        """The body that carries each body; the root carries itself."""
        return tuple(int(parent) for parent in self._model.parents)

    @property
    def joint_origins(self) -> Array:
        """Origin of each body's joint in the frame of its parent at position 0 [m]; (B, 3)."""
        return np.array([placement.translation for placement in self._model.jointPlacements])

    @property
    def reach(self) -> float:
        """Length of the stretched robot, from root to tool in a tree [m]; 1 if it has none."""
        # in a closed chain the tool may hang on slides, which have no length
        ends = range(self._model.njoints) if self.mechanism.chain.passive else (self.tool_body,)
        return max(self._length_to(body) for body in ends) or 1.0

    def _length_to(self, body: int) -> float:
        steps = list(self.joint_origins[list(self._model.supports[body])])
        if body == self.tool_body:
            steps.append(self.tool_position)
        return float(np.linalg.norm(steps, axis=1).sum())

    def links(self) -> dict[str, tuple[int, Pose]]:
        """Return for each link its body, and its pose in the body's frame."""
        return {
            str(frame.name): (
                int(frame.parentJoint),
                Pose.from_numbers(pinocchio.SE3ToXYZQUAT(frame.placement)),
            )
            for frame in self._model.frames
            if _is_link(frame)
        }

    def joint_position(self, recorded: ArrayLike) -> Array:
        """Return joint positions for positions of a recording or topic; both (n,) [rad or m]."""
        return np.asarray(self._coupling @ np.asarray(recorded, dtype=np.float64))

    def poses(self, positions: ArrayLike) -> Array:
        """Return all bodies' poses in the root frame for positions (N, n) [rad or m]; (N, B, 7).

        A pose is x, y, z [m] and the quaternion's x, y, z, w.

        Raises:
            MechanismError: the loops of a closed chain cannot be closed.
        """
        rows = self.full_positions(self.mechanism.moving_positions(positions))
        poses = np.empty((len(rows), self._model.njoints, 7))
        for number, full in enumerate(rows):
            pinocchio.forwardKinematics(self._model, self._data, full)
            for body in range(self._model.njoints):
                poses[number, body] = pinocchio.SE3ToXYZQUAT(self._data.oMi[body])
        return poses

    def placements(self, moving: Array) -> list[Array]:
        """Return all bodies' homogeneous poses (4, 4) in the root frame.

        Args:
            moving: positions of the mechanism's moving joints (1, m) [rad or m]; loops need not
                be closed.
        """
        (full,) = self.full_positions(moving)
        pinocchio.forwardKinematics(self._model, self._data, full)
        return [np.array(placement.homogeneous) for placement in list(self._data.oMi)]

    def joint_frames(self, positions: ArrayLike) -> Array:
        """Return the frames of the joints' bodies in the root frame for positions (N, n).

        Returns:
            (N, n, 4, 4) homogeneous matrices.
        """
        moving = self.mechanism.moving_positions(positions)
        return self.moving_frames(moving)[:, : len(self._joint_ids)]

    def moving_frames(self, moving: Array) -> Array:
        """Return the frames of the moving joints' bodies in the root frame; (N, m, 4, 4).

        Args:
            moving: positions of the moving joints (N, m) [rad or m]; loops need not be closed.
        """
        placed = [self.placements(row[None]) for row in moving]
        return np.array([[row[body] for body in self._moving_ids] for row in placed])

    def full_positions(self, moving: Array) -> Array:
        """Return pinocchio's position vectors for the mechanism's moving joints (N, m); (N, nq)."""
        full = np.tile(self._rest, (len(moving), 1))
        for joint, values in zip(self._moving_ids, moving.T, strict=True):
            self._place(full.T, joint, values)
        return full

    def tool_path(self, positions: ArrayLike) -> Array:
        """Return the tool point for positions (N, n) [rad or m]: (N, 3) [m]."""
        return np.asarray(self.link_paths(positions, [self.tool])[0])

    def link_paths(self, positions: ArrayLike, links: Sequence[str]) -> Array:
        """Return the origins of L links for positions (N, n) [rad or m]: (L, N, 3) [m]."""
        poses = self.poses(positions)
        paths = []
        for link in links:
            frame = self._model.frames[self._model.getBodyId(link)]
            point = np.array(frame.placement.translation)
            body = poses[:, int(frame.parentJoint)]
            paths.append([Pose.from_numbers(pose).apply([point])[0] for pose in body])
        points: Array = np.array(paths, dtype=np.float64).reshape(len(links), -1, 3)
        return points

    @property
    def other_tools(self) -> tuple[str, ...]:
        """The last link of each branch of actuated joints that does not carry the tool.

        A robot with two arms has one; a closed chain has none, because its branches carry one tool.
        """
        if self.mechanism.chain.passive:
            return ()
        deepest: dict[int, tuple[int, str]] = {}
        for index, frame in enumerate(self._model.frames):
            actuated = self._actuated(int(frame.parentJoint))
            if actuated and _is_link(frame):
                candidate = (self._depth(index), str(frame.name))
                deepest[actuated[-1]] = max(deepest.get(actuated[-1], candidate), candidate)
        carrying = {before for joint in self._joint_ids for before in self._actuated(joint)[:-1]}
        last = set(deepest) - carrying - set(self._actuated(self.tool_body)[-1:])
        return tuple(deepest[joint][1] for joint in sorted(last))

    def _place(self, full: Array, joint: int, value: ArrayLike) -> None:
        """Write a joint's position to pinocchio's vector; a continuous joint has two numbers."""
        joint_model = self._model.joints[joint]
        at = int(joint_model.idx_q)
        full[at : at + joint_model.nq] = (
            (np.cos(value), np.sin(value)) if joint_model.nq == 2 else value
        )

    def _last_link(self) -> str:
        carrier = self.mechanism.body_joints[self.mechanism.payload_body]
        in_loops = bool(self.mechanism.chain.passive)
        best, name = (False, -1, -1), self.root
        for index, frame in enumerate(self._model.frames):
            if _is_link(frame):
                body = int(frame.parentJoint)
                carries = in_loops and body == self._model.getJointId(carrier)
                rank = (carries, len(self._actuated(body)), self._depth(index))
                if rank > best:
                    best, name = rank, str(frame.name)
        return name

    def _actuated(self, body: int) -> list[int]:
        """Return the actuated joints from the root to a body."""
        return [joint for joint in self._model.supports[body] if joint in self._joint_ids]

    def _depth(self, index: int) -> int:
        depth = 0
        while index > 0:
            index = int(self._model.frames[index].parentFrame)
            depth += 1
        return depth


def _is_link(frame: pinocchio.Frame) -> bool:
    return bool(frame.type == pinocchio.FrameType.BODY)
