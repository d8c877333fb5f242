"""Robots as they stand, without markers, one picture each and all on one sheet."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

import matplotlib.image as mpl_image
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dynid.files import whole_file
from dynid.report.view.joint_motion import resting_position
from dynid.report.view.picture import RobotPicture

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dynid.profile import RobotProfile
    from dynid.report.view.scene import Scene

WIDTH, HEIGHT = 420, 360
"""Size of a picture [px]."""
_DPI = 100
_ACROSS = 5


def bare_scene(profile: RobotProfile, urdf_xml: str) -> Scene:
    """Return a robot where its simulation begins, else at rest, with no title, marker or axis.

    Raises:
        DynidError: profile and URDF do not make a robot.
    """
    home = None if profile.simulation is None else profile.simulation.home
    position = resting_position(profile)
    if home is not None:
        position = np.broadcast_to(np.array(home, dtype=np.float64), position.shape)
    scene = RobotPicture(profile, urdf_xml).scene(position)
    return replace(scene.only("robot"), title="", legend=())


def contact_sheet(pictures: Sequence[Path], path: Path) -> None:
    """Put pictures of robots onto one sheet, row by row.

    Args:
        pictures: PNG files of the size that this module names, each called as its robot is.
        path: the PNG, written whole or not at all.

    Raises:
        OutputError: it cannot be written.
    """
    across = min(_ACROSS, len(pictures))
    down = ceil(len(pictures) / across)
    size = (across * WIDTH / _DPI, down * HEIGHT / _DPI)
    sheet = Figure(figsize=size, dpi=_DPI, facecolor="white")
    FigureCanvasAgg(sheet)
    for number, picture in enumerate(pictures):
        row, column = divmod(number, across)
        corner = (column / across, 1 - (row + 1) / down, 1 / across, 1 / down)
        axes = sheet.add_axes(corner)
        axes.set_axis_off()
        axes.imshow(mpl_image.imread(picture), aspect="auto")
        axes.text(0.03, 0.97, picture.stem, transform=axes.transAxes, va="top", weight="bold")
    with whole_file(path) as unfinished:
        sheet.savefig(unfinished, format="png", metadata={"Software": "dynid"})
