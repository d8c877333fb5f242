"""Pictures of robots without markers: one of each, and all on one sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path

import matplotlib.image as mpl_image
import numpy as np

from dynid.report.png_style import png_figure
from dynid.report.view.joint_motion import resting_position
from dynid.report.view.mesh import shape_faces
from dynid.report.view.picture import RobotPicture
from dynid.report.view.png import paint
from dynid.report.view.scene import Scene, view_axes
from dynid.robot.robot import Robot
from dynid.simulation.settings import SimulationSettings

WIDTH, HEIGHT = 420, 360
"""Size of a picture [px]."""
_DPI = 100
_ACROSS = 5


def bare_scene(robot: Robot) -> Scene:
    """Return a robot at its home position in simulation, else at rest, without any marker.

    Raises:
        DynidError: profile and URDF do not make a robot.
    """
    simulation = robot.find(SimulationSettings)
    home = None if simulation is None else simulation.home
    position = resting_position(robot)
    if home is not None:
        position = np.broadcast_to(np.array(home, dtype=np.float64), position.shape)
    scene = RobotPicture(robot).scene(position)
    return replace(scene.only("robot"), title="", legend=())


def contact_sheet(pictures: Sequence[Path], path: Path) -> None:
    """Put pictures of robots on one sheet, row by row.

    Args:
        pictures: PNG files of this module's size, named after their robots.
        path: of the PNG, which is written atomically.

    Raises:
        WriteError: the file cannot be written.
    """
    across = min(_ACROSS, len(pictures))
    down = ceil(len(pictures) / across)
    size = (across * WIDTH / _DPI, down * HEIGHT / _DPI)
    with png_figure(path, size, {}, dpi=_DPI, layout=None) as sheet:
        for number, picture in enumerate(pictures):
            row, column = divmod(number, across)
            corner = (column / across, 1 - (row + 1) / down, 1 / across, 1 / down)
            axes = sheet.add_axes(corner)
            axes.set_axis_off()
            axes.imshow(mpl_image.imread(picture), aspect="auto")
            axes.text(0.03, 0.97, picture.stem, transform=axes.transAxes, va="top", weight="bold")


_BLANK = 0x2800
# of a character's four rows of two dots, in the order of Unicode
_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_FILLED = 0.35  # share of a dot's area from which it is set


def braille(scene: Scene, columns: int = 14, rows: int = 5) -> str:
    """Return the robot's silhouette in braille characters, with line feeds between rows."""
    faces = [face @ view_axes() for shape in scene.shapes("robot") for face in shape_faces(shape)]
    points = np.concatenate(faces)[:, :2]
    low, high = points.min(axis=0), points.max(axis=0)
    dots = np.array([2 * columns, 4 * rows])
    half = np.max((high - low) / dots) * dots / 2  # dots are as wide as they are high
    middle = (low + high) / 2
    opaque = np.ones((len(faces), 4))
    image = paint(faces, opaque, middle - half, middle + half, *dots.tolist())
    cells = (image[..., 3] > _FILLED).reshape(rows, 4, columns, 2)
    codes = _BLANK + np.einsum("rdcs,ds->rc", cells.astype(int), _DOTS)
    return "\n".join("".join(map(chr, line)) for line in codes)
