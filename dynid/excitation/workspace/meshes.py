"""Meshes of a URDF, as their convex hulls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple
from xml.etree import ElementTree as ET

import numpy as np
import pinocchio
import scipy
from pinocchio import coal

from dynid.arrays import Array
from dynid.dynamics.kinematics import Kinematics
from dynid.errors import MechanismError
from dynid.input_file import is_file
from dynid.limits import MESH_BYTES
from dynid.packages import Packages
from dynid.robot.shapes import element_pose
from dynid.text import first_few, listed, printable
from dynid.xml_tree import xml_tree

_SHOWN = 2  # files in one sentence


@dataclass(frozen=True)
class Solid:
    """A convex solid.

    Attributes:
        form: coal's shape.
        placement: in the frame of its body, or of the root.
        link: name of its link; empty for obstacles.
    """

    form: coal.CollisionGeometry
    placement: pinocchio.SE3
    link: str = ""

    @property
    def radius(self) -> float:
        """Bound on the distance of its points from the frame's origin [m]."""
        self.form.computeLocalAABB()
        middle = self.placement.act(np.array(self.form.aabb_center))
        return float(np.linalg.norm(middle) + self.form.aabb_radius)


class MissingMesh(NamedTuple):
    """A file that does not exist or contains no solid, and the link that refers to it."""

    file: str
    link: str


def missing_meshes(missing: Sequence[MissingMesh]) -> str:
    """Return one phrase for all meshes that are missing: the first ones, and how many more."""
    files = list(dict.fromkeys(mesh.file for mesh in missing))
    named = first_few([f"'{printable(file)}'" for file in files], _SHOWN)
    links = list(dict.fromkeys(mesh.link for mesh in missing))
    of = f" of {links[0]}" if len(links) == 1 else f" of {len(links)} links"
    return f"{'mesh' if len(files) == 1 else 'meshes'} {listed(named)}{of}"


def mesh_hulls(
    kinematics: Kinematics, folder: Path | None, element: Literal["visual", "collision"]
) -> tuple[dict[int, list[Solid]], list[MissingMesh]]:
    """Return the hulls of every body's meshes, and the meshes whose file contains none.

    Args:
        kinematics: of the robot.
        folder: further folder of mesh files; None: only where the URDF and ROS have them.
        element: of the URDF that the meshes belong to.
    """
    meshes: dict[int, list[Solid]] = {}
    missing = []
    links = kinematics.links()
    for link in xml_tree(kinematics.mechanism.urdf_xml, "The URDF").findall("link"):
        name = link.get("name", "")
        for shape in link.findall(element) if name in links else ():
            mesh = shape.find("geometry/mesh")
            if mesh is None:
                continue
            hull = _hull(mesh, folder)
            if hull is None:
                missing.append(MissingMesh(mesh.get("filename", ""), name))
                continue
            body, pose = links[name]
            placed = pose.then(element_pose(shape.find("origin"))).numbers()
            solid = Solid(hull, pinocchio.XYZQUATToSE3(placed), name)
            meshes.setdefault(body, []).append(solid)
    return meshes, missing


def _hull(mesh: ET.Element, folder: Path | None) -> coal.Convex | None:
    """Return the convex hull of a mesh's file, or None if the file is missing or has no solid."""
    path = mesh_file(mesh.get("filename", ""), folder)
    if path is None:
        return None
    status = path.stat()
    identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    return _hull_of_file(path, mesh.get("scale", "1 1 1"), identity)


@lru_cache(maxsize=256)
def _hull_of_file(path: Path, scale: str, _identity: tuple[int, ...]) -> coal.Convex | None:
    """Return the convex hull of a file, which a command needs several times."""
    try:
        factors = np.array([float(word) for word in scale.split()])
        # boxes along the axes, as fitted ones print to the terminal where a mesh is degenerate
        loaded = coal.MeshLoader(coal.BV_AABB).load(str(path), factors)
        return convex_hull(np.array(loaded.vertices()))
    except (RuntimeError, ValueError, scipy.spatial.QhullError):
        return None


def mesh_file(filename: str, folder: Path | None) -> Path | None:
    """Return the file of a mesh; None if there is none.

    Raises:
        MechanismError: the file is too large.
    """
    for path in _candidates(filename, folder):
        if is_file(path):
            size = path.stat().st_size
            MESH_BYTES.check(size, f"{printable(path)}: has {size} bytes", MechanismError)
            return path
    return None


def _candidates(filename: str, folder: Path | None) -> Iterator[Path]:
    """Yield where a mesh's file may be: as named, in the folder, in an installed ROS package."""
    scheme, separator, rest = filename.partition("://")
    inner = rest if separator else filename
    folders = [] if folder is None else [folder]
    if scheme == "package":
        # also if the folder is the package's own
        within = Path(*Path(inner).parts[1:])
        yield from (base / within for base in folders)
        packaged = Packages().resolve(filename)
        if packaged is not None:
            yield packaged
    else:
        yield Path(inner)
    yield from (base / inner for base in folders)


def convex_hull(points: Array) -> coal.Convex:
    """Return the convex hull of points (N, 3) [m]; raises QhullError where they span no volume."""
    hull = scipy.spatial.ConvexHull(points)
    a, b, c = (points[corner] for corner in hull.simplices.T)
    inward = np.sum(np.cross(b - a, c - a) * hull.equations[:, :3], axis=1) < 0
    number = np.zeros(len(points), dtype=np.intp)
    number[hull.vertices] = np.arange(len(hull.vertices))
    faces = number[hull.simplices]
    faces[inward] = faces[inward][:, ::-1]
    corners, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    corners.extend(list(points[hull.vertices]))
    triangles.extend([coal.Triangle(*face) for face in faces.tolist()])
    return coal.Convex(corners, triangles)
