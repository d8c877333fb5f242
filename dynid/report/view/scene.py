"""Contents of a picture of a robot, as numbers for any renderer.

Sizes and poses are those of visualization_msgs/Marker: a box has the lengths of its edges, a
sphere and a cylinder have diameters, a cylinder is along z, all are about their centres. [m]
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array, Vector
from dynid.dynamics.pose import Pose
from dynid.robot.shapes import Colour, Role, Shape

_AZIMUTH, _ELEVATION = np.radians(-54.0), np.radians(22.0)  # of the viewer


@dataclass(frozen=True)
class Label:
    """A text that faces the viewer, above a point.

    Attributes:
        text: the text.
        position: of the point [m].
        above: distance of the text's middle above the point [m].
        height: of a capital letter [m].
        colour: of the letters.
    """

    text: str
    position: Vector
    above: float
    height: float
    colour: Colour


@dataclass(frozen=True, eq=False)
class Polyline:
    """A line through points (N, 3) [m] of the base frame, with its thickness [m]."""

    name: str
    points: Array
    width: float
    colour: Colour


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangles (F, 3) of vertices (V, 3) [m] in the frame of a body, and its link in the URDF."""

    vertices: Array
    faces: NDArray[np.intp]
    colour: Colour
    link: str = ""


@dataclass(frozen=True, eq=False)
class SceneBody:
    """A moving body, with shapes and labels in its own frame.

    Attributes:
        name: name of the joint that moves it, or of the root link.
        pose: of its frame in the base frame.
        shapes, labels: in its frame.
        track: (F, 7) its poses at the scene's times, or None if it does not move.
        meshes: in its frame.
    """

    name: str
    pose: Pose
    shapes: tuple[Shape, ...] = ()
    labels: tuple[Label, ...] = ()
    track: Array | None = None
    meshes: tuple[TriangleMesh, ...] = ()


@dataclass(frozen=True, eq=False)
class Surface:
    """Flat faces (F, 3, 3) [m] in the base frame, in one colour."""

    triangles: Array
    colour: Colour


@dataclass(frozen=True)
class LegendEntry:
    """Meaning of a colour."""

    colour: Colour
    text: str


@dataclass(frozen=True, eq=False)
class Scene:
    """A robot at one moment, the path of its tool, and its torque errors.

    Attributes:
        title: of the picture.
        frame_id: name of the base frame, the URDF's root link; z points up.
        bodies: the root, then one for each joint that moves.
        lines: in the base frame.
        legend: what the colours mean.
        reach: length of the stretched robot [m], to which sizes and views are proportional.
        times: (F,) [s] of the bodies' tracks, or None if nothing moves.
        time: moment of the tracks at which the bodies are shown [s].
        surfaces: hulls of meshes, in pictures only.
    """

    title: str
    frame_id: str
    bodies: tuple[SceneBody, ...]
    lines: tuple[Polyline, ...] = ()
    legend: tuple[LegendEntry, ...] = ()
    reach: float = 1.0
    times: Array | None = None
    time: float = 0.0
    surfaces: tuple[Surface, ...] = ()

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
            replace(
                body,
                shapes=tuple(s for s in body.shapes if s.role in roles),
                labels=(),
                meshes=body.meshes if "robot" in roles else (),
            )
            for body in self.bodies
        )
        return replace(self, bodies=tuple(bodies))

    def meshes(self) -> tuple[TriangleMesh, ...]:
        """Return the meshes of all bodies, in the base frame."""
        return tuple(
            replace(mesh, vertices=body.pose.apply(mesh.vertices))
            for body in self.bodies
            for mesh in body.meshes
        )

    def labels(self) -> tuple[Label, ...]:
        """Return all labels in the base frame, at the positions of their middles."""
        labels = []
        for body in self.bodies:
            for label in body.labels:
                x, y, z = body.pose.then(Pose(label.position)).position
                labels.append(replace(label, position=(x, y, z + label.above), above=0.0))
        return tuple(labels)


def grid_step(reach: float) -> float:
    """Return the distance of grid lines, a power of ten [m], for a robot's reach [m]."""
    return float(10.0 ** math.floor(math.log10(reach / 2)))


def view_axes() -> Array:
    """Return the directions to the right, up, and towards the viewer, as columns; (3, 3)."""
    back = np.array(
        [
            np.cos(_ELEVATION) * np.cos(_AZIMUTH),
            np.cos(_ELEVATION) * np.sin(_AZIMUTH),
            np.sin(_ELEVATION),
        ]
    )
    right = np.array([-np.sin(_AZIMUTH), np.cos(_AZIMUTH), 0.0])
    return np.stack([right, np.cross(back, right), back], axis=1)
