"""A robot and the path of its tool as lines that a page can rotate."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.report.view.joint_motion import JointMotion
from dynid.report.view.picture import RobotPicture
from dynid.report.view.scene import Scene, view_axes
from dynid.robot.robot import Robot
from dynid.robot.shapes import Shape

_MOST_POINTS = 1200  # of the path
_MARGIN_FACTOR = 1.04


class Stroke(NamedTuple):
    """A line in space.

    Attributes:
        kind: ``robot``, ``base`` or ``path``.
        width: [m].
        space: x, y, z of its points about the middle of all [m], separated by blanks and commas.
        points: their initial projection, as the attribute of an SVG polyline.
    """

    kind: str
    width: float
    space: str
    points: str


class Turntable(NamedTuple):
    """Lines, and the distance of the farthest point from their middle [m]."""

    strokes: tuple[Stroke, ...]
    radius: float


def moving_scene(robot: Robot, motion: JointMotion, *, tool: str | None = None) -> Scene:
    """Return a robot at the start of a motion, with the path of its tool, without markers.

    Raises:
        DynidError: profile and URDF do not match.
    """
    picture = RobotPicture(robot, tool=tool)
    scene = picture.scene(motion.position[0], paths=picture.tool_paths(motion), motion=motion)
    return replace(scene.only("robot", "base"), legend=scene.legend[: len(scene.lines)])


def turntable(scene: Scene) -> Turntable:
    """Return the axes of a scene's shapes, with their thickness, and the scene's lines."""
    lines = [(str(shape.role), *_axis(shape)) for shape in scene.shapes()]
    for line in scene.lines:
        step = -(-len(line.points) // _MOST_POINTS)
        lines.append(("path", line.points[::step], line.width))
    everything = np.concatenate([points for _, points, _ in lines])
    middle = (everything.min(axis=0) + everything.max(axis=0)) / 2
    radius = _MARGIN_FACTOR * float(np.linalg.norm(everything - middle, axis=1).max())
    strokes = (
        Stroke(kind, round(width, 4), _text(points - middle), _seen(points - middle))
        for kind, points, width in lines
    )
    return Turntable(tuple(strokes), round(radius, 4))


def _axis(shape: Shape) -> tuple[Array, float]:
    """Return a shape's longest axis (2, 3) and its thickness [m]; a sphere's has length 0."""
    size = np.array(shape.size)
    along = 2 if shape.kind == "cylinder" else int(np.argmax(size))
    thickness = float(np.median(size)) if shape.kind == "box" else float(size[0])
    # round line ends extend by half the thickness
    half = max(0.0, size[along] - thickness) / 2 if shape.kind != "sphere" else 0.0
    direction = half * np.eye(3)[along]
    return shape.pose.apply([-direction, direction]), thickness


def _text(points: Array) -> str:
    return " ".join(",".join(f"{x:.4g}" for x in point) for point in points.tolist())


def _seen(points: Array) -> str:
    right, up = view_axes()[:, 0], view_axes()[:, 1]
    return _text(np.stack([points @ right, -(points @ up)], axis=1))
