"""What a picture of a robot is made of, as plain numbers that any renderer can show.

Sizes and poses mean what they mean in visualization_msgs/Marker: a box is given by its edges, a
sphere and a cylinder by diameters, a cylinder stands along z, all are about their centres. [m]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pinocchio

from dynid.arrays import Array, Vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike


Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, each from 0 to 1."""
Kind = Literal["box", "cylinder", "sphere"]
Role = Literal["robot", "base", "axis", "torque_error"]
"""Part of the robot, axis of the base frame, axis of a joint, or size of a torque error."""


class Pose(NamedTuple):
    """Where something is, and how it is turned.

    Attributes:
        position: x, y, z [m].
        quaternion: x, y, z, w, of length 1.
    """

    position: Vector = (0.0, 0.0, 0.0)
    quaternion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    @classmethod
    def from_numbers(cls, numbers: ArrayLike) -> Pose:
        """Make a pose of x, y, z and the quaternion's x, y, z, w; (7,)."""
        x, y, z, *turn = np.asarray(numbers, dtype=np.float64).tolist()
        return cls((x, y, z), (turn[0], turn[1], turn[2], turn[3]))

    @classmethod
    def along(cls, direction: ArrayLike, position: ArrayLike) -> Pose:
        """Make a pose whose z axis points in a direction (3,) at a position (3,) [m]."""
        turn = pinocchio.Quaternion.FromTwoVectors(
            np.array([0.0, 0.0, 1.0]), np.asarray(direction, dtype=np.float64)
        )
        return cls.from_numbers([*np.asarray(position).tolist(), *turn.coeffs().tolist()])

    def numbers(self) -> Array:
        """Return x, y, z and the quaternion's x, y, z, w; (7,)."""
        return np.array([*self.position, *self.quaternion])

    def then(self, inner: Pose) -> Pose:
        """Return, seen from outside, the pose that ``inner`` is in the frame of this one."""
        return Pose.from_numbers(pinocchio.SE3ToXYZQUAT(self._placement() * inner._placement()))

    def apply(self, points: ArrayLike) -> Array:
        """Return points (N, 3) [m] of this frame as seen from outside; (N, 3)."""
        placement = self._placement()
        moved = np.asarray(points, dtype=np.float64) @ placement.rotation.T + placement.translation
        return np.asarray(moved)

    def matrix(self) -> Array:
        """Return the same as a homogeneous matrix; (4, 4)."""
        return np.asarray(self._placement().homogeneous)

    def _placement(self) -> pinocchio.SE3:
        return pinocchio.XYZQUATToSE3(self.numbers())


@dataclass(frozen=True)
class Shape:
    """A body of simple form. ``size`` is x, y, z of a box, else diameters, and a length along z."""

    kind: Kind
    size: Vector
    pose: Pose
    colour: Colour
    role: Role = "robot"

    def distance(self, point: ArrayLike) -> float:
        """Return how far a point (3,) [m] is outside; 0 within."""
        inside = np.linalg.inv(self.pose.matrix()) @ [*np.asarray(point).tolist(), 1.0]
        half = np.array(self.size) / 2
        if self.kind == "box":
            beyond = np.abs(inside[:3]) - half
        elif self.kind == "cylinder":
            beyond = np.array([np.hypot(inside[0], inside[1]) - half[0], abs(inside[2]) - half[2]])
        else:
            beyond = np.array([np.linalg.norm(inside[:3]) - half[0]])
        return float(np.linalg.norm(np.maximum(beyond, 0.0)))


@dataclass(frozen=True)
class Label:
    """A text that faces the viewer and stands over a point.

    Attributes:
        text: what is written.
        position: of the point [m].
        above: how far over the point the text's middle is [m].
        height: of a capital letter [m].
        colour: of the letters.
    """

    text: str
    position: Vector
    above: float
    height: float
    colour: Colour


@dataclass(frozen=True, eq=False)
class Line:
    """A line through points (N, 3) [m] of the base frame, so thick [m]."""

    name: str
    points: Array
    width: float
    colour: Colour


@dataclass(frozen=True, eq=False)
class Body:
    """What moves as one, with shapes and labels in its own frame.

    Attributes:
        name: name of the joint that moves it, or of the root link.
        pose: of its frame in the base frame.
        shapes, labels: in its frame.
        track: (F, 7) its poses at the scene's times, or None where it stays.
    """

    name: str
    pose: Pose
    shapes: tuple[Shape, ...] = ()
    labels: tuple[Label, ...] = ()
    track: Array | None = None


@dataclass(frozen=True)
class LegendEntry:
    """What a colour means."""

    colour: Colour
    text: str


@dataclass(frozen=True, eq=False)
class Scene:
    """A robot at one moment, the path of its tool, and its torque errors.

    Attributes:
        title: what is shown.
        frame_id: name of the base frame, the URDF's root link; z points up.
        bodies: the root, then one for each joint that moves.
        lines: in the base frame.
        legend: what the colours mean.
        reach: length of the stretched robot [m], by which sizes and views are chosen.
        times: (F,) [s] of the bodies' tracks, or None where nothing moves.
        time: moment of the tracks at which the bodies are shown [s].
    """

    title: str
    frame_id: str
    bodies: tuple[Body, ...]
    lines: tuple[Line, ...] = ()
    legend: tuple[LegendEntry, ...] = ()
    reach: float = 1.0
    times: Array | None = None
    time: float = 0.0

    def shapes(self, *roles: Role) -> tuple[Shape, ...]:
        """Return all shapes, or those of some roles, in the base frame."""
        return tuple(
            replace(shape, pose=body.pose.then(shape.pose))
            for body in self.bodies
            for shape in body.shapes
            if not roles or shape.role in roles
        )

    def only(self, *roles: Role) -> Scene:
        """Return the scene with shapes of some roles only, and no labels."""
        bodies = (
            replace(body, shapes=tuple(s for s in body.shapes if s.role in roles), labels=())
            for body in self.bodies
        )
        return replace(self, bodies=tuple(bodies))

    def labels(self) -> tuple[Label, ...]:
        """Return all labels in the base frame, at the very place of their middles."""
        labels = []
        for body in self.bodies:
            for label in body.labels:
                x, y, z = body.pose.then(Pose(label.position)).position
                labels.append(replace(label, position=(x, y, z + label.above), above=0.0))
        return tuple(labels)


def rod(start: Sequence[float] | Array, end: Sequence[float] | Array) -> tuple[Pose, float]:
    """Return the pose of a cylinder from one point (3,) to another, and its length [m]."""
    first, last = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    length = float(np.linalg.norm(last - first))
    return Pose.along(last - first if length > 0 else (0, 0, 1), (first + last) / 2), length
