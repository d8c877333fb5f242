"""Links and joints of a file that no library reads, and where they are at given positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pinocchio

from dynid.arrays import Array
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError

Kind = Literal["hinge", "slide", "fixed"]


@dataclass(frozen=True, eq=False)
class TreeJoint:
    """A joint between two links.

    Attributes:
        name: of the joint.
        links: names of parent and child; the parent may be the world, ``""``.
        in_parent: (4, 4) frame of the joint in that of the parent.
        in_child: (4, 4) the same in that of the child, at position 0.
        axis: (3,) of length 1, in the frame of the joint.
        kind: how it moves.
    """

    name: str
    links: tuple[str, str]
    in_parent: Array
    in_child: Array
    axis: Array
    kind: Kind

    def child_in_parent(self, position: float) -> Array:
        """Return the frame of the child in that of the parent (4, 4)."""
        moved = np.eye(4)
        if self.kind == "hinge":
            moved[:3, :3] = pinocchio.exp3(position * self.axis)
        elif self.kind == "slide":
            moved[:3, 3] = position * self.axis
        return np.asarray(self.in_parent @ moved @ np.linalg.inv(self.in_child))


class JointTree:
    """Links on joints.

    Args:
        joints: of all links that have one.
        bodies: of the links, in their frames; without those that have no mass.
        roots: (4, 4) frames of links without a joint, in the world; at its origin if not named.
        where: names the file in messages.

    Raises:
        ConfigurationError: a link has several joints, or joints form a loop.
    """

    def __init__(
        self,
        joints: Sequence[TreeJoint],
        bodies: Mapping[str, RigidBody],
        roots: Mapping[str, Array],
        where: str,
    ) -> None:
        self._to: dict[str, TreeJoint] = {}
        for joint in joints:
            other = self._to.setdefault(joint.links[1], joint)
            if other is not joint:
                raise ConfigurationError(
                    f"{where}: the joints '{other.name}' and '{joint.name}' carry the same link; "
                    "only trees of links are supported."
                )
        for joint in joints:
            self._check_loop(joint, where)
        self._by_name = {joint.name: joint for joint in joints}
        self._bodies, self._roots = bodies, roots

    def _check_loop(self, joint: TreeJoint, where: str) -> None:
        link = joint.links[0]
        for _ in self._to:
            if link not in self._to:
                return
            link = self._to[link].links[0]
        raise ConfigurationError(
            f"{where}: the joint '{joint.name}' belongs to a loop of joints; only trees of links "
            "are supported."
        )

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that can move."""
        return tuple(name for name, one in self._by_name.items() if one.kind != "fixed")

    def link(self, joint: str) -> str:
        """Return the link that a joint moves."""
        return self._by_name[joint].links[1]

    def frames(self, joints: Sequence[str], positions: Array) -> Array:
        """Return the frames of the joints' links in the world (K, n, 4, 4)."""
        rows = [dict(zip(joints, row, strict=True)) for row in np.asarray(positions).tolist()]
        return np.array([[self._frame(self.link(joint), row) for joint in joints] for row in rows])

    def carrier(self, link: str, joints: Sequence[str]) -> str | None:
        """Return the link of one of the joints that a link is or hangs on, or None."""
        while link in self._to and self._to[link].name not in joints:
            link = self._to[link].links[0]
        return link if link in self._to else None

    def bodies_on(self, joints: Sequence[str], number: int) -> list[RigidBody]:
        """Return the bodies that hang on the link of a joint, by joints other than ``joints``.

        Returns:
            the bodies in the frame of that link, all joints at position 0.
        """
        carrier = self.link(joints[number])
        from_carrier = np.asarray(np.linalg.inv(self._frame(carrier, {})), dtype=np.float64)
        found = []
        for link, body in self._bodies.items():
            if link != carrier and self.carrier(link, joints) == carrier:
                frame = from_carrier @ self._frame(link, {})
                found.append(body.seen_from(np.asarray(np.linalg.inv(frame), dtype=np.float64)))
        return found

    def _frame(self, link: str, positions: Mapping[str, float]) -> Array:
        joint = self._to.get(link)
        if joint is None:
            return np.asarray(self._roots.get(link, np.eye(4)))
        parent = self._frame(joint.links[0], positions)
        return np.asarray(parent @ joint.child_in_parent(positions.get(joint.name, 0.0)))
