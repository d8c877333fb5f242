"""Solids of a robot's bodies for distances: from the URDF if it has any, else generated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pinocchio
from pinocchio import coal

from dynid.dynamics.kinematics import Kinematics
from dynid.excitation.workspace.meshes import MissingMesh, Solid, mesh_hulls, missing_meshes
from dynid.robot.shapes import Shape, robot_shapes, urdf_shapes


@dataclass(frozen=True)
class BodySolids:
    """Solids that represent a robot's bodies.

    Attributes:
        solids: of every body; B tuples.
        sources: names of the bodies by source of their solids: "collision", "visual", and
            "generated" for those without shapes in the URDF.
        missing: meshes whose file contains no solid.
        of_urdf: whether the URDF has shapes for any moving body.
    """

    solids: tuple[tuple[Solid, ...], ...]
    sources: dict[str, tuple[str, ...]]
    missing: tuple[MissingMesh, ...]
    of_urdf: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on the source of the solids."""
        described = {
            "collision": "Shapes from <collision> of the URDF:",
            "visual": "Shapes from <visual> of the URDF, because <collision> is missing:",
            "generated": "Generated capsules, because the URDF has no shapes:",
        }
        lines = [
            f"{described[kind]} {', '.join(names)}."
            for kind, names in self.sources.items()
            if names
        ]
        return (*lines, *([self.missing_note] if self.missing else []))

    @property
    def missing_note(self) -> str:
        """The sentence on missing meshes; "" if there are none."""
        if not self.missing:
            return ""
        return (
            f"Not found, or not readable: {missing_meshes(self.missing)} (set "
            "workspace.mesh_folder to the folder of the meshes); omitted."
        )


def body_solids(kinematics: Kinematics, mesh_folder: Path | None) -> BodySolids:
    """Return the solids of every body.

    A body has those of the URDF's ``<collision>``, meshes as their convex hulls; without these,
    those of ``<visual>``; and without either, the capsules with which it is drawn.
    """
    drawn = robot_shapes(kinematics)
    names = body_names(kinematics)
    of_collision, missing = _urdf_solids(kinematics, mesh_folder, "collision")
    if len(of_collision) < len(names):
        visual, missing_visual = _urdf_solids(kinematics, mesh_folder, "visual")
        missing += [
            mesh for mesh in missing_visual if kinematics.links()[mesh.link][0] not in of_collision
        ]
    else:
        visual = {}
    solids: list[tuple[Solid, ...]] = []
    sources: dict[str, list[str]] = {"collision": [], "visual": [], "generated": []}
    for body, name in enumerate(names):
        source = (
            "collision" if body in of_collision else "visual" if body in visual else "generated"
        )
        generated = tuple(replace(solid, link=name) for solid in _solids(drawn[body]))
        solids.append(of_collision.get(body) or visual.get(body) or generated)
        if solids[-1]:
            sources[source].append(name)
    by_source = {source: tuple(bodies) for source, bodies in sources.items()}
    of_urdf = any(body > 0 for body in {*of_collision, *visual})
    return BodySolids(tuple(solids), by_source, tuple(missing), of_urdf)


def _urdf_solids(
    kinematics: Kinematics, mesh_folder: Path | None, element: Literal["visual", "collision"]
) -> tuple[dict[int, tuple[Solid, ...]], list[MissingMesh]]:
    """Return the solids of the bodies that have such elements, and the missing meshes."""
    shapes = urdf_shapes(kinematics, element)
    meshes, missing = mesh_hulls(kinematics, mesh_folder, element)
    solids = {
        body: (*_solids(shapes.get(body, ())), *meshes.get(body, ())) for body in {*shapes, *meshes}
    }
    return solids, missing


def body_names(kinematics: Kinematics) -> tuple[str, ...]:
    """Return the name of the first link of every body."""
    first: dict[int, str] = {}
    for link, (body, _) in kinematics.links().items():
        first.setdefault(body, link)
    return tuple(first.get(body, name) for body, name in enumerate(kinematics.bodies))


def _solids(shapes: Iterable[Shape]) -> tuple[Solid, ...]:
    """Return shapes as solids, a cylinder between two balls of its radius as one capsule."""
    balls = [shape for shape in shapes if shape.kind == "sphere"]
    used: list[Shape] = []
    solids = []
    for shape in shapes:
        placement = pinocchio.XYZQUATToSE3(shape.pose.numbers())
        if shape.kind == "box":
            solids.append(Solid(coal.Box(*shape.size), placement, shape.link))
        elif shape.kind == "cylinder":
            radius, length = shape.size[0] / 2, shape.size[2]
            ends = [
                ball
                for ball in balls
                for end in (-length / 2, length / 2)
                if ball.link == shape.link
                and ball.size[0] == shape.size[0]
                and np.allclose(shape.pose.apply([[0.0, 0.0, end]])[0], ball.pose.position)
            ]
            rounded = len(ends) == 2
            used += ends if rounded else []
            form = coal.Capsule(radius, length) if rounded else coal.Cylinder(radius, length)
            solids.append(Solid(form, placement, shape.link))
    for ball in balls:
        if ball not in used:
            placement = pinocchio.XYZQUATToSE3(ball.pose.numbers())
            solids.append(Solid(coal.Sphere(ball.size[0] / 2), placement, ball.link))
    return tuple(solids)
