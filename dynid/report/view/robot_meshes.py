"""Meshes of a URDF's ``<visual>``, simplified for pictures."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray
from pinocchio import coal

from dynid.arrays import Array
from dynid.dynamics.kinematics import Kinematics
from dynid.dynamics.pose import Pose
from dynid.errors import MechanismError
from dynid.excitation.workspace.meshes import mesh_file
from dynid.excitation.workspace.settings import WorkspaceSettings
from dynid.report.view.scene import TriangleMesh
from dynid.robot.robot import Robot
from dynid.robot.shapes import Shape, visual_meshes
from dynid.text import printable

MOST_TRIANGLES = 40_000
"""Of all meshes of a robot: the page grows by 2 MB at most, and a picture takes seconds."""

_NOT_FOUND = "was not found."
_FEWEST_TRIANGLES = 400  # triangles of a mesh that are kept in any case
# cells along the largest side of a mesh, and the ratio of two tries
_FINEST_CELLS, _COARSER = 400, 0.85


class RobotMeshes(NamedTuple):
    """Meshes by the number of their body, in its frame, and a sentence on each that is missing."""

    meshes: dict[int, list[TriangleMesh]]
    missing: tuple[str, ...]

    @property
    def note(self) -> str:
        """One sentence or two on the meshes that are missing; empty if none is."""
        if not self.missing:
            return ""
        further = len(self.missing) - 1
        others = f" {further} more cannot be drawn either." if further else ""
        hint = " --set workspace.mesh_folder=FOLDER names their folder."
        where = hint if any(problem.endswith(_NOT_FOUND) for problem in self.missing) else ""
        return f"{self.missing[0]}{others} Links are drawn without them.{where}"

    def boxes(self, body: int) -> tuple[Shape, ...]:
        """Return the bounding boxes of a body's meshes, in its frame."""
        return tuple(_bounding_box(mesh) for mesh in self.meshes.get(body, ()))


def robot_meshes(robot: Robot, kinematics: Kinematics) -> RobotMeshes:
    """Load the meshes of the bodies, with ``MOST_TRIANGLES`` triangles together at most.

    Args:
        robot: whose ``workspace.mesh_folder`` is searched besides the URDF's own places.
        kinematics: of the robot.

    Raises:
        MechanismError: an origin or a colour of the URDF is invalid.
    """
    named = robot.settings(WorkspaceSettings).mesh_folder
    folder = None if named is None else Path(named)
    meshes: dict[int, list[TriangleMesh]] = {}
    missing = []
    for visual in visual_meshes(kinematics):
        mesh = _loaded(visual.geometry, folder, visual.link)
        if isinstance(mesh, str):
            missing.append(mesh)
            continue
        vertices, faces = mesh
        placed = TriangleMesh(visual.pose.apply(vertices), faces, visual.colour, visual.link)
        meshes.setdefault(visual.body, []).append(placed)
    return RobotMeshes(_simplified(meshes), tuple(missing))


def simplify(vertices: Array, faces: NDArray[np.intp], most: int) -> tuple[Array, NDArray[np.intp]]:
    """Merge the vertices in each cell of a grid, as fine as ``most`` triangles allow.

    Args:
        vertices: (V, 3) [m].
        faces: (F, 3) triangles of vertices.
        most: triangles that may be left.

    Returns:
        Vertices (W, 3) [m] and triangles (G, 3) with G ≤ ``most``, or those given if F ≤ ``most``.
    """
    if len(faces) <= most:
        return vertices, faces
    low = vertices.min(axis=0)
    size = float(np.ptp(vertices, axis=0).max()) or 1.0
    cells = float(_FINEST_CELLS)
    while True:
        _, number = np.unique(
            np.floor((vertices - low) / size * cells).astype(np.int64), axis=0, return_inverse=True
        )
        number = number.reshape(-1)
        merged = number[faces]
        apart = (
            (merged[:, 0] != merged[:, 1])
            & (merged[:, 1] != merged[:, 2])
            & (merged[:, 0] != merged[:, 2])
        )
        kept = np.unique(_turned(merged[apart]), axis=0)
        if len(kept) <= most or cells < 1:
            break
        cells *= _COARSER
    counts = np.bincount(number)
    middles = np.column_stack([np.bincount(number, axis) / counts for axis in vertices.T])
    return middles, kept[:most].astype(np.intp)


def _turned(faces: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return faces (F, 3) with their smallest vertex first, so that equal ones are equal."""
    first = faces.argmin(axis=1)[:, None] if len(faces) else np.zeros((0, 1), dtype=np.intp)
    return np.asarray(np.take_along_axis(faces, (first + np.arange(3)) % 3, axis=1))


def _loaded(
    geometry: ET.Element, folder: Path | None, link: str
) -> tuple[Array, NDArray[np.intp]] | str:
    """Return vertices (V, 3) [m] in the mesh's frame and triangles (F, 3); or what is wrong."""
    name = geometry.get("filename", "")
    shown = f"Mesh '{printable(name)}' of {printable(link)}"
    try:
        path = mesh_file(name, folder)
    except MechanismError as error:
        return f"{shown}: {error}"
    if path is None:
        return f"{shown} {_NOT_FOUND}"
    try:
        scale = np.array([float(word) for word in geometry.get("scale", "1 1 1").split()])
        loaded = coal.MeshLoader().load(str(path), scale)
        vertices = np.array(loaded.vertices(), dtype=np.float64).reshape(-1, 3)
        faces = np.array(
            [[*map(int, _corners(loaded, k))] for k in range(loaded.num_tris)], dtype=np.intp
        ).reshape(-1, 3)
    # of coal, with its own text; a scale that is no number
    except (RuntimeError, ValueError):
        return f"{shown} cannot be read as STL, DAE, OBJ or PLY."
    if not len(faces) or not np.isfinite(vertices).all():
        return f"{shown} has no triangles with finite corners."
    return vertices, faces


def _corners(loaded: coal.BVHModelBase, number: int) -> tuple[int, int, int]:
    triangle = loaded.tri_indices(number)
    return triangle[0], triangle[1], triangle[2]


def _simplified(given: dict[int, list[TriangleMesh]]) -> dict[int, list[TriangleMesh]]:
    """Return meshes with a share of the triangles in proportion to those that they have."""
    total = sum(len(mesh.faces) for meshes in given.values() for mesh in meshes)
    share = min(1.0, MOST_TRIANGLES / total) if total else 1.0
    few = min(_FEWEST_TRIANGLES, MOST_TRIANGLES // max(1, sum(map(len, given.values()))))
    simplified: dict[int, list[TriangleMesh]] = {}
    for body, meshes in given.items():
        for mesh in meshes:
            most = max(int(share * len(mesh.faces)), few)
            vertices, faces = simplify(mesh.vertices, mesh.faces, most)
            reduced = TriangleMesh(vertices, faces, mesh.colour, mesh.link)
            simplified.setdefault(body, []).append(reduced)
    return simplified


def _bounding_box(mesh: TriangleMesh) -> Shape:
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    x, y, z = ((low + high) / 2).tolist()
    size = tuple((high - low).tolist())
    return Shape("box", (size[0], size[1], size[2]), Pose((x, y, z)), mesh.colour, link=mesh.link)
