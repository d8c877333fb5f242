"""Picture of a check: the robot, and the pair of bodies that are too close in colour."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio
from pinocchio import coal

from dynid.arrays import Array
from dynid.dynamics.pose import Pose
from dynid.excitation.checks import MotionCheck
from dynid.excitation.limit_use import LimitUse
from dynid.excitation.motion import Excitation
from dynid.excitation.workspace.meshes import Solid
from dynid.excitation.workspace.workspace import NearestPoints, Workspace
from dynid.report.png_style import DPI, png_figure
from dynid.report.view.png import STYLE, draw_legend, draw_scene
from dynid.report.view.scene import Label, LegendEntry, Scene, SceneBody, Surface
from dynid.robot.shapes import Colour, Shape

_FIRST_COLOUR: Colour = (0.835, 0.369, 0.0, 0.62)
_SECOND_COLOUR: Colour = (0.0, 0.447, 0.698, 0.62)
_OTHER_COLOUR: Colour = (0.80, 0.82, 0.85, 0.30)
_POINT: Colour = (0.10, 0.10, 0.10, 1.0)
_INK: Colour = (0.11, 0.125, 0.15, 1.0)
_POINT_SIZE, _CLOSE_DISTANCE, _LINE_WIDTH = 0.007, 0.09, 1e-4  # of the reach
_WIDTH, _HEIGHT = 1600, 900  # [px]


def write_check_picture(
    check: MotionCheck, motion: Excitation, workspace: Workspace, title: str, path: Path
) -> None:
    """Draw the checked shapes at the first violation, or where bodies are nearest.

    Left: the whole robot. Right: the surroundings of the pair's nearest points.

    Args:
        check: of the motion.
        motion: the checked motion.
        workspace: used for the check.
        title: of the picture.
        path: of the PNG, which is written atomically.

    Raises:
        WriteError: the file cannot be written.
    """
    use = check.broken or _nearest(check.uses)
    at = 0.0 if use is None else use.shown_at
    position = motion.evaluate([at]).position[0]
    contact = None
    if use is not None and use.limit == "distance" and " to tool_box" not in use.of:
        contact = workspace.contact(use.of, position)
    scene = check_scene(workspace, position, contact)
    about = f"{check.verdict} Shown at {at:.3f} s."
    with png_figure(path, (_WIDTH / DPI, _HEIGHT / DPI), STYLE, layout=None) as drawing:
        share = 1.0 if contact is None else 0.55
        axes = drawing.add_axes((0.0, 0.06, share, 0.8))
        axes.set_axis_off()
        draw_scene(scene, axes, *_pixels(share, 0.8))
        if contact is not None:
            close = drawing.add_axes((share, 0.06, 0.98 - share, 0.8))
            close.set_xticks([])
            close.set_yticks([])
            middle = (contact.first + contact.second) / 2
            radius = _CLOSE_DISTANCE * scene.reach + abs(contact.distance)
            size = _pixels(0.98 - share, 0.8)
            draw_scene(scene, close, *size, about=(middle, radius))
        drawing.text(0.03, 0.955, title, fontsize=15, weight="bold", parse_math=False)
        words = "\n".join(textwrap.wrap(about, 150)[:3])
        drawing.text(0.03, 0.94, words, fontsize=9, va="top", parse_math=False)
        draw_legend(scene, drawing)


def check_scene(workspace: Workspace, position: Array, contact: NearestPoints | None) -> Scene:
    """Return the shapes that are checked at a position (n,), with one pair in colour."""
    kinematics = workspace.kinematics
    poses = kinematics.poses([position])[0]
    placements = [pinocchio.XYZQUATToSE3(pose) for pose in poses]
    first = None if contact is None else contact.of.bodies[0]
    second = None if contact is None or contact.of.obstacle else contact.of.bodies[1]
    bodies, surfaces = [], []
    for number, solids in enumerate(workspace.bodies.solids):
        colour = (
            _FIRST_COLOUR
            if number == first
            else _SECOND_COLOUR
            if number == second
            else _OTHER_COLOUR
        )
        shapes = tuple(shape for solid in solids for shape in _shapes(solid, colour))
        labels = _labels(contact, kinematics.reach) if number == 0 and contact else ()
        bodies.append(
            SceneBody(kinematics.bodies[number], Pose.from_numbers(poses[number]), shapes, labels)
        )
        surfaces += _hulls(solids, placements[number], colour)
    if contact is not None:
        points = tuple(_ball(point, kinematics.reach) for point in (contact.first, contact.second))
        obstacle = contact.of.pairs[0][1]
        seen = tuple(_obstacle(obstacle, kinematics.reach)) if contact.of.obstacle else ()
        bodies[0] = replace(bodies[0], shapes=(*bodies[0].shapes, *points, *seen))
    return Scene(
        title="",
        frame_id=kinematics.root,
        bodies=tuple(bodies),
        legend=_legend(contact),
        reach=kinematics.reach,
        surfaces=tuple(surfaces),
    )


def _pixels(across: float, down: float) -> tuple[int, int]:
    return round(across * _WIDTH), round(down * _HEIGHT)


def _nearest(uses: Iterable[LimitUse]) -> LimitUse | None:
    """Return the distance of which a safe motion uses the largest share."""
    distances = [use for use in uses if use.limit == "distance"]
    return max(distances, key=lambda use: use.most.beyond, default=None)


def _legend(contact: NearestPoints | None) -> tuple[LegendEntry, ...]:
    if contact is None:
        return ()
    first, second = contact.of.names
    return LegendEntry(_FIRST_COLOUR, first), LegendEntry(_SECOND_COLOUR, second)


def _labels(contact: NearestPoints, reach: float) -> tuple[Label, ...]:
    millimetres = 1e3 * abs(contact.distance)
    words = "penetration" if contact.distance < 0 else "apart"
    x, y, z = ((contact.first + contact.second) / 2).tolist()
    label = Label(f"{millimetres:.3g} mm {words}", (x, y, z), 0.06 * reach, 0.03 * reach, _INK)
    return (label,)


def _ball(point: Array, reach: float) -> Shape:
    x, y, z = point.tolist()
    return Shape("sphere", (_POINT_SIZE * reach,) * 3, Pose((x, y, z)), _POINT)


def _shapes(solid: Solid, colour: Colour) -> list[Shape]:
    """Return the simple shapes of a solid, in its body's frame; none for a hull."""
    form, pose = solid.form, Pose.from_numbers(pinocchio.SE3ToXYZQUAT(solid.placement))
    if isinstance(form, coal.Box):
        x, y, z = (2 * np.array(form.halfSide)).tolist()
        return [Shape("box", (x, y, z), pose, colour)]
    if isinstance(form, coal.Sphere):
        return [Shape("sphere", (2 * form.radius,) * 3, pose, colour)]
    if isinstance(form, coal.Cylinder | coal.Capsule):
        across = 2 * form.radius
        shapes = [Shape("cylinder", (across, across, 2 * form.halfLength), pose, colour)]
        if isinstance(form, coal.Capsule):
            ends = (Pose((0.0, 0.0, side * form.halfLength)) for side in (-1, 1))
            shapes += [Shape("sphere", (across,) * 3, pose.then(end), colour) for end in ends]
        return shapes
    return []


def _obstacle(solid: Solid, reach: float) -> list[Shape]:
    """Return a box unchanged, a plane as a thin plate below its surface."""
    if not isinstance(solid.form, coal.Halfspace):
        return _shapes(solid, _SECOND_COLOUR)
    normal = np.array(solid.form.n)
    thickness = _LINE_WIDTH * reach
    x, y, z = (normal * (solid.form.d - thickness / 2)).tolist()
    size = (2 * reach, 2 * reach, thickness)
    return [Shape("box", size, Pose.along(normal, (x, y, z)), (*_SECOND_COLOUR[:3], 0.3))]


def _hulls(solids: Iterable[Solid], body: pinocchio.SE3, colour: Colour) -> list[Surface]:
    """Return the faces of the solids that are hulls, in the root's frame."""
    surfaces = []
    for solid in solids:
        if isinstance(solid.form, coal.ConvexBase):
            placement = body * solid.placement
            points = np.array(solid.form.points())
            placed = points @ placement.rotation.T + placement.translation
            polygons = (solid.form.polygons(k) for k in range(solid.form.num_polygons))
            corners = [[polygon[corner] for corner in range(3)] for polygon in polygons]
            surfaces.append(Surface(placed[np.array(corners, dtype=int)], colour))
    return surfaces
