"""Shapes of the robot's bodies: the URDF's primitives, or capsules if it has none.

Sizes and poses are those of visualization_msgs/Marker: a box has the lengths of its edges, a
sphere and a cylinder have diameters, a cylinder is along z, all are about their centres. [m]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple
from xml.etree import ElementTree as ET

import numpy as np
import pinocchio
from numpy.typing import ArrayLike

from dynid.arrays import Array, Vector
from dynid.dynamics.kinematics import Kinematics
from dynid.dynamics.pose import Pose
from dynid.errors import MechanismError
from dynid.xml_tree import xml_tree

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, each from 0 to 1."""
Kind = Literal["box", "cylinder", "sphere"]
Role = Literal["robot", "base", "axis", "torque_error"]
"""Part of the robot, axis of the base frame, axis of a joint, or size of a torque error."""


_LINK: Colour = (0.80, 0.82, 0.85, 1.0)
_JOINT: Colour = (0.36, 0.40, 0.46, 1.0)
_THICKNESS = 0.035  # of a generated capsule, as a share of the robot's reach
_JOINT_THICKNESS = 0.055
_JOINT_LENGTH = 0.075


@dataclass(frozen=True)
class Shape:
    """A simple shape. ``size`` is x, y, z of a box, else diameters, and a length along z.

    ``link`` is the name of its link in the URDF; empty for shapes that belong to no link.
    """

    kind: Kind
    size: Vector
    pose: Pose
    colour: Colour
    role: Role = "robot"
    link: str = ""

    def distance(self, point: ArrayLike) -> float:
        """Return the distance of a point (3,) [m] from the surface; 0 within."""
        inside = np.linalg.inv(self.pose.matrix()) @ [*np.asarray(point).tolist(), 1.0]
        half = np.array(self.size) / 2
        if self.kind == "box":
            beyond = np.abs(inside[:3]) - half
        elif self.kind == "cylinder":
            beyond = np.array([np.hypot(inside[0], inside[1]) - half[0], abs(inside[2]) - half[2]])
        else:
            beyond = np.array([np.linalg.norm(inside[:3]) - half[0]])
        return float(np.linalg.norm(np.maximum(beyond, 0.0)))


def rod(start: Sequence[float] | Array, end: Sequence[float] | Array) -> tuple[Pose, float]:
    """Return the pose of a cylinder from one point (3,) to another, and its length [m]."""
    first, last = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    length = float(np.linalg.norm(last - first))
    return Pose.along(last - first if length > 0 else (0, 0, 1), (first + last) / 2), length


def robot_shapes(kinematics: Kinematics) -> tuple[tuple[Shape, ...], ...]:
    """Return the shapes of every body, in the frame of the body.

    Boxes, cylinders and spheres of the URDF's ``<visual>`` are used, meshes are omitted
    (:func:`visual_meshes` finds them). A body
    without any gets capsules to its joints (and to the tool point), and a cylinder along its own
    joint's axis.
    """
    of_urdf = urdf_shapes(kinematics, "visual")
    return tuple(
        tuple(of_urdf.get(body, ())) or tuple(_generated(kinematics, body))
        for body in range(len(kinematics.bodies))
    )


def urdf_shapes(
    kinematics: Kinematics, element: Literal["visual", "collision"]
) -> dict[int, list[Shape]]:
    """Return the primitives of the URDF's bodies, in the bodies' frames, by body.

    Raises MechanismError if a size, an origin or a colour is invalid.
    """
    shapes: dict[int, list[Shape]] = {}
    for visual in _elements(kinematics, element):
        form = _form(visual.geometry)
        if form is not None:
            kind, size = form
            shape = Shape(kind, size, visual.pose, visual.colour, link=visual.link)
            shapes.setdefault(visual.body, []).append(shape)
    return shapes


class VisualElement(NamedTuple):
    """A form of a link: its element, and its place in the frame of its body."""

    geometry: ET.Element
    body: int
    pose: Pose
    colour: Colour
    link: str


def visual_meshes(kinematics: Kinematics) -> Iterator[VisualElement]:
    """Yield the elements ``<mesh>`` of the URDF's ``<visual>``.

    Raises MechanismError if an origin or a colour is invalid.
    """
    for visual in _elements(kinematics, "visual"):
        mesh = visual.geometry.find("mesh")
        if mesh is not None:
            yield visual._replace(geometry=mesh)


def _elements(
    kinematics: Kinematics, element: Literal["visual", "collision"]
) -> Iterator[VisualElement]:
    """Yield the elements ``<geometry>`` of the URDF's links that belong to bodies."""
    robot = xml_tree(kinematics.mechanism.urdf_xml, "The URDF")
    colours = {
        material.get("name"): _colour(material, {}) for material in robot.findall("material")
    }
    links = kinematics.links()
    for link in robot.findall("link"):
        name = link.get("name", "")
        place = links.get(name)
        for node in link.findall(element) if place else ():
            assert place is not None  # noqa: S101  for mypy
            geometry = node.find("geometry")
            if geometry is not None:
                body, pose = place
                placed = pose.then(element_pose(node.find("origin")))
                colour = _colour(node.find("material"), colours) or _LINK
                yield VisualElement(geometry, body, placed, colour, name)


def _form(geometry: ET.Element) -> tuple[Kind, Vector] | None:
    """Return the form of a primitive and its size, or None for a mesh."""
    box, cylinder, sphere = (geometry.find(name) for name in ("box", "cylinder", "sphere"))
    if box is not None:
        x, y, z = _numbers(box.get("size", ""), 3)
        return "box", (x, y, z)
    if cylinder is not None:
        (radius,), (length,) = (_numbers(cylinder.get(key, ""), 1) for key in ("radius", "length"))
        return "cylinder", (2 * radius, 2 * radius, length)
    if sphere is not None:
        (radius,) = _numbers(sphere.get("radius", ""), 1)
        return "sphere", (2 * radius, 2 * radius, 2 * radius)
    return None


def element_pose(origin: ET.Element | None) -> Pose:
    """Return the pose in an element ``<origin>``, in its link's frame."""
    if origin is None:
        return Pose()
    turn = pinocchio.rpy.rpyToMatrix(np.array(_numbers(origin.get("rpy", "0 0 0"), 3)))
    place = np.array(_numbers(origin.get("xyz", "0 0 0"), 3))
    return Pose.from_numbers(pinocchio.SE3ToXYZQUAT(pinocchio.SE3(turn, place)))


def _colour(material: ET.Element | None, named: dict[str | None, Colour | None]) -> Colour | None:
    colour = None if material is None else material.find("color")
    if material is None:
        return None
    if colour is None:
        return named.get(material.get("name"))
    red, green, blue, alpha = _numbers(colour.get("rgba", ""), 4)
    return red, green, blue, alpha


def _numbers(text: str, count: int) -> list[float]:
    """Return the numbers of an attribute, checked here because pinocchio ignores shapes."""
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        numbers = []
    if len(numbers) != count:
        message = f"with '{text}', expected {count} numbers."
        raise MechanismError(f"The URDF has a <visual> or <collision> {message}")
    return numbers


def _generated(kinematics: Kinematics, body: int) -> list[Shape]:
    thickness = _THICKNESS * kinematics.reach
    ends = [
        kinematics.joint_origins[other]
        for other, parent in enumerate(kinematics.parents)
        if parent == body and other != 0
    ]
    if body == kinematics.tool_body:
        ends.append(kinematics.tool_position)
    shapes = [shape for end in ends for shape in _capsule(end, thickness)]
    if body in kinematics.joint_bodies:
        axis = kinematics.mechanism.axes[kinematics.joint_bodies.index(body)]
        across, length = (share * kinematics.reach for share in (_JOINT_THICKNESS, _JOINT_LENGTH))
        pose = Pose.along(axis, (0, 0, 0))
        shapes.append(Shape("cylinder", (across, across, length), pose, _JOINT))
    return shapes


def _capsule(end: Array, thickness: float) -> list[Shape]:
    """Return a cylinder with round ends from the frame's origin to a point (3,)."""
    pose, length = rod((0, 0, 0), end)
    if length < 1e-6:
        return []
    ball = (thickness, thickness, thickness)
    x, y, z = end.tolist()
    return [
        Shape("cylinder", (thickness, thickness, length), pose, _LINK),
        Shape("sphere", ball, Pose(), _LINK),
        Shape("sphere", ball, Pose((x, y, z)), _LINK),
    ]
