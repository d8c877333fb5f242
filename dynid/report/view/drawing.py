"""A robot's outline in braille dots, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.report.view.mesh import shape_faces
from dynid.report.view.png import view_axes
from dynid.report.view.raster import paint

if TYPE_CHECKING:
    from dynid.report.view.scene import Scene

_BLANK = 0x2800
# of a character's four rows of two dots, by Unicode's numbering
_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_FILLED = 0.35  # share of a dot's area


def braille(scene: Scene, columns: int = 14, rows: int = 5) -> str:
    """Return the robot's silhouette in so many characters, lines parted by line feeds."""
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
