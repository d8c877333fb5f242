"""A scene as a PNG for a report, in parallel projection, without a display or graphics card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from dynid.arrays import Array
from dynid.report.png_style import DPI, png_figure
from dynid.report.view.mesh import shape_faces, tube
from dynid.report.view.scene import Label, Scene, grid_step, view_axes

_INK = "#1c2026"
_SOFT = "#5b6472"
_GRID = "#d9dde3"
_LIGHT = np.array([0.25, -0.45, 0.85])
_MARGINS = 0.07, 0.10  # of the width and of the height, for long labels and a legend
STYLE: dict[Any, Any] = {"font.family": "sans-serif", "font.size": 10.0, "text.color": _INK}
_FONT = 9  # [pt] of labels


def write_png(scene: Scene, path: Path, *, width: int = 1400, height: int = 1100) -> None:
    """Draw a scene, with equal scales along all axes.

    Args:
        scene: what to draw.
        path: of the file, which is written atomically.
        width: [px].
        height: [px].

    Raises:
        WriteError: the file cannot be written.
    """
    with png_figure(path, (width / DPI, height / DPI), STYLE, layout=None) as drawing:
        axes = drawing.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        draw_scene(scene, axes, width, height)
        drawing.text(0.03, 0.955, scene.title, fontsize=15, weight="bold", parse_math=False)
        draw_legend(scene, drawing)


def draw_scene(
    scene: Scene, axes: Axes, width: int, height: int, *, about: tuple[Array, float] | None = None
) -> None:
    """Draw a scene without title and legend on axes of a given size.

    Args:
        scene: what to draw.
        axes: to draw on.
        width: of the axes [px].
        height: of the axes [px].
        about: a point (3,) [m] and the radius around it to show [m]; None: everything.
    """
    view = view_axes()
    faces, colours = _surfaces(scene)
    ground = _ground(np.concatenate(faces), scene.reach)
    labels = scene.labels()
    shown = [*faces, *ground, *(np.array([label.position]) for label in labels)]
    low, high = _frame(np.concatenate(shown) @ view[:, :2], width / height)
    if about is not None:
        half = about[1] * np.array([max(1.0, width / height), max(1.0, height / width)])
        low, high = about[0] @ view[:, :2] - half, about[0] @ view[:, :2] + half
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    lines = [line @ view[:, :2] for line in ground]
    axes.add_collection(LineCollection(lines, colors=_GRID, linewidths=0.7, zorder=1))
    image = paint([f @ view for f in faces], _shaded(faces, colours), low, high, width, height)
    extent = (low[0], high[0], low[1], high[1])
    axes.imshow(image, extent=extent, interpolation="nearest", aspect="auto", zorder=2)
    size = (high - low) / [width, height]  # of a pixel [m]
    for label, (x, y) in zip(labels, _apart(labels, view, size), strict=True):
        text = axes.text(
            x,
            y,
            label.text,
            fontsize=_FONT,
            color=label.colour,
            ha="center",
            va="center",
            zorder=3,
            parse_math=False,
        )
        text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])


def _apart(labels: Sequence[Label], view: Array, pixel: Array) -> list[tuple[float, float]]:
    """Return the places of labels in the picture [m], above their points and without overlap."""
    line = _FONT * DPI / 72 * pixel[1]
    places = [np.array(label.position) @ view for label in labels]
    settled: dict[int, tuple[float, float]] = {}
    for number in sorted(range(len(labels)), key=lambda n: float(places[n][1])):
        x, y, _ = places[number].tolist()
        width = len(labels[number].text)
        for other in sorted(settled, key=lambda n: settled[n][1]):
            across, up = settled[other]
            reach = 0.32 * line * pixel[0] / pixel[1] * (width + len(labels[other].text))
            if abs(x - across) < reach and abs(y - up) < 1.25 * line:
                y = up + 1.25 * line
        settled[number] = (x, y)
    return [settled[number] for number in range(len(labels))]


def _frame(points: Array, aspect: float) -> tuple[Array, Array]:
    """Return lower left and upper right corner (2,) of a picture of points (P, 2)."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = (high - low) / (1 - 2 * np.array(_MARGINS))
    half = np.maximum(room, [aspect * room[1], room[0] / aspect]) / 2
    return (low + high) / 2 - half, (low + high) / 2 + half


def _surfaces(scene: Scene) -> tuple[list[Array], Array]:
    """Return all polygons (K, 3) of bodies and lines, F of them, and their colours (F, 4)."""
    faces: list[Array] = []
    colours: list[Any] = []
    for shape in scene.shapes():
        shape_triangles = shape_faces(shape)
        faces += shape_triangles
        colours += [shape.colour] * len(shape_triangles)
    for mesh in scene.meshes():
        faces += list(_towards_viewer(mesh.vertices[mesh.faces]))
        colours += [mesh.colour] * len(mesh.faces)
    for surface in scene.surfaces:
        faces += list(surface.triangles)
        colours += [surface.colour] * len(surface.triangles)
    for line in scene.lines:
        vertices, corners = tube(line)
        faces += list(vertices[corners])
        colours += [line.colour] * len(corners)
    return faces, np.array(colours, dtype=np.float64)


def _towards_viewer(triangles: Array) -> Array:
    """Return triangles (F, 3, 3) counter-clockwise for the viewer: meshes have any direction."""
    edges = triangles[:, 1:] - triangles[:, :1]
    away = np.cross(edges[:, 0], edges[:, 1]) @ view_axes()[:, 2] < 0
    return np.where(away[:, None, None], triangles[:, ::-1], triangles)


def _shaded(faces: list[Array], colours: Array) -> Array:
    """Return the shaded colours (F, 4) of faces; Newell's normals allow repeated corners."""
    normals = np.array([np.cross(f, np.roll(f, -1, axis=0)).sum(axis=0) for f in faces])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-15)
    brightness = 0.66 + 0.34 * np.maximum(normals @ _LIGHT / np.linalg.norm(_LIGHT), -0.4)
    colours = colours.copy()
    colours[:, :3] *= brightness[:, None]
    return colours


def _ground(points: Array, reach: float) -> list[Array]:
    """Return the lines (2, 3) of a grid on the floor of the base frame, below all points (P, 3)."""
    step = grid_step(reach)
    low = np.floor(np.minimum(points.min(axis=0), 0) / step)[:2] * step
    high = np.ceil(np.maximum(points.max(axis=0), 0) / step)[:2] * step
    xs, ys = (np.arange(a, b + step / 2, step) for a, b in zip(low, high, strict=True))
    return [np.array([(x, low[1], 0.0), (x, high[1], 0.0)]) for x in xs] + [
        np.array([(low[0], y, 0.0), (high[0], y, 0.0)]) for y in ys
    ]


def draw_legend(scene: Scene, drawing: Figure) -> None:
    """Draw the legend of a scene's colours."""
    handles = [
        Line2D([], [], marker="o", ls="", ms=9, mfc=e.colour, mec=_SOFT, mew=0.7, label=e.text)
        for e in scene.legend
    ]
    drawing.legend(handles=handles, loc="lower left", frameon=False, bbox_to_anchor=(0.02, 0.015))


_FINER = 2  # oversampling along each side; pixels are averaged


def paint(
    faces: Sequence[Array], colours: Array, low: Array, high: Array, width: int, height: int
) -> Array:
    """Paint convex faces in parallel projection.

    Args:
        faces: f of them, (K, 3) each: to the right, up, and towards the viewer [m].
        colours: (F, 4) red, green, blue, opacity from 0 to 1.
        low: (2,) coordinates of the lower left corner [m].
        high: (2,) coordinates of the upper right corner [m].
        width: [px].
        height: [px].

    Returns:
        (height, width, 4) red, green, blue, opacity, the top row first; transparent background.
    """
    size = _FINER * np.array([width, height])
    image = np.zeros((size[1], size[0], 4))
    nearest = np.full((size[1], size[0]), -np.inf)
    scale = size / (high - low)
    # transparent faces last, over those behind them
    for number in sorted(range(len(faces)), key=lambda f: colours[f][3] < 1):
        corners = faces[number] * [*scale, 1.0] - [*(low * scale + 0.5), 0.0]
        for corner in range(1, len(corners) - 1):
            _paint_triangle(image, nearest, corners[[0, corner, corner + 1]], colours[number])
    pixels = image[::-1].reshape(height, _FINER, width, _FINER, 4)
    opacity = pixels[..., 3:].mean(axis=(1, 3))
    blended = (pixels[..., :3] * pixels[..., 3:]).mean(axis=(1, 3))
    return np.concatenate([blended / np.maximum(opacity, 1e-9), opacity], axis=2)


def _paint_triangle(image: Array, nearest: Array, triangle: Array, colour: Array) -> None:
    """Paint a triangle (3, 3), in pixels and depth; pixel centres are at whole numbers."""
    first = np.maximum(np.ceil(triangle[:, :2].min(axis=0)).astype(int), 0)
    last = np.minimum(np.floor(triangle[:, :2].max(axis=0)).astype(int), image.shape[1::-1])
    if (last < first).any():
        return
    origin, a, b = triangle[0], triangle[1] - triangle[0], triangle[2] - triangle[0]
    area = a[0] * b[1] - a[1] * b[0]
    if abs(area) < 1e-9:
        return
    x = np.arange(first[0], last[0] + 1)[None, :] - origin[0]
    y = np.arange(first[1], last[1] + 1)[:, None] - origin[1]
    toward_a = (x * b[1] - y * b[0]) / area
    toward_b = (y * a[0] - x * a[1]) / area
    depth = origin[2] + toward_a * a[2] + toward_b * b[2]
    window = np.s_[first[1] : last[1] + 1, first[0] : last[0] + 1]
    inside = (toward_a >= 0) & (toward_b >= 0) & (toward_a + toward_b <= 1)
    inside = inside[: nearest[window].shape[0], : nearest[window].shape[1]]
    depth = depth[: inside.shape[0], : inside.shape[1]]
    inside &= depth > nearest[window]
    opacity = colour[3] + (1 - colour[3]) * image[window][inside, 3:]
    mixed = colour[3] * colour[:3] + (1 - colour[3]) * image[window][inside, :3]
    image[window][inside] = np.concatenate([mixed, opacity], axis=1)
    if colour[3] == 1:
        nearest[window][inside] = depth[inside]
