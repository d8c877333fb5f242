"""Triangulated shapes, for renderers without primitives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.report.view.scene import Polyline
from dynid.robot.shapes import Shape

_AROUND = 48  # facets of a circle
_SIDES = 6  # of a tube


def shape_faces(shape: Shape) -> list[Array]:
    """Return the polygons (K, 3) [m] of a shape's surface, counter-clockwise from outside."""
    unit = {"box": _box, "cylinder": _cylinder, "sphere": _sphere}[shape.kind]
    return [shape.pose.apply(face * shape.size) for face in unit()]


def tube(line: Polyline) -> tuple[Array, NDArray[np.intp]]:
    """Return a tube around a line: vertices (V, 3) [m] and quadrilaterals (F, 4) of them."""
    points = _without_repeats(line.points)
    if len(points) < 2:
        return np.empty((0, 3)), np.empty((0, 4), dtype=np.intp)
    ahead = np.gradient(points, axis=0)
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-12)
    side = _carried_along(ahead)
    up = np.cross(ahead, side)
    angle = 2 * np.pi * np.arange(_SIDES) / _SIDES
    ring = np.cos(angle)[:, None] * side[:, None] + np.sin(angle)[:, None] * up[:, None]
    vertices = (points[:, None] + line.width / 2 * ring).reshape(-1, 3)
    start = _SIDES * np.arange(len(points) - 1)[:, None]
    index = np.arange(_SIDES)[None, :]
    after = (index + 1) % _SIDES
    corners = [start + index, start + after, start + _SIDES + after, start + _SIDES + index]
    return vertices, np.stack(corners, axis=2).reshape(-1, 4)


def _without_repeats(points: Array) -> Array:
    """Omit points where the tool rests, which have no direction."""
    moved = np.linalg.norm(np.diff(points, axis=0), axis=1) > 1e-6
    return np.asarray(points[np.concatenate([[True], moved])])


def _carried_along(ahead: Array) -> Array:
    """Return unit vectors (N, 3) normal to a path's directions (N, 3), without torsion about it."""
    across = np.empty_like(ahead)
    last = np.cross(ahead[0], np.eye(3)[np.argmin(np.abs(ahead[0]))])
    for number, direction in enumerate(ahead):
        projected = last - direction * (last @ direction)
        if np.linalg.norm(projected) < 1e-6:  # the path reverses its direction
            projected = np.cross(direction, np.eye(3)[np.argmin(np.abs(direction))])
        last = projected / np.linalg.norm(projected)
        across[number] = last
    return across


def _box() -> list[Array]:
    faces = []
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    for axis in range(3):
        for side, around in ((0.5, corners), (-0.5, corners[::-1])):
            face = np.full((4, 3), side)
            face[:, [(axis + 1) % 3, (axis + 2) % 3]] = around
            faces.append(face)
    return faces


def _cylinder() -> list[Array]:
    angle = 2 * np.pi * np.arange(_AROUND) / _AROUND
    circle = np.stack([np.cos(angle), np.sin(angle), np.zeros(_AROUND)], axis=1) / 2
    after = np.roll(circle, -1, axis=0)
    top = np.array([0.0, 0.0, 0.5])
    faces = [
        np.array([first - top, second - top, second + top, first + top])
        for first, second in zip(circle, after, strict=True)
    ]
    return [*faces, circle + top, circle[::-1] - top]


def _sphere() -> list[Array]:
    around = np.linspace(0, 2 * np.pi, _AROUND // 2 + 1)
    down = np.linspace(0, np.pi, _AROUND // 4 + 1)
    grid = 0.5 * np.stack(
        [
            np.sin(down)[:, None] * np.cos(around),
            np.sin(down)[:, None] * np.sin(around),
            np.repeat(np.cos(down)[:, None], len(around), axis=1),
        ],
        axis=2,
    )
    return [
        np.array([grid[i, j], grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]])
        for i in range(len(down) - 1)
        for j in range(len(around) - 1)
    ]
