"""Solids of a robot's bodies for distances: of the URDF where it has any, else generated ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pinocchio
from pinocchio import coal

from dynid.excitation.workspace.meshes import collision_meshes
from dynid.robot.shapes import robot_shapes, urdf_shapes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from dynid.dynamics.kinematics import Kinematics
    from dynid.robot.shapes import Shape


@dataclass(frozen=True)
class Solid:
    """A convex solid.

    Attributes:
        form: coal's shape.
        placement: in the frame of the body that it belongs to, or of the root.
    """

    form: coal.CollisionGeometry
    placement: pinocchio.SE3

    @property
    def radius(self) -> float:
        """How far from the frame's origin its points can be at most [m]."""
        self.form.computeLocalAABB()
        middle = self.placement.act(np.array(self.form.aabb_center))
        return float(np.linalg.norm(middle) + self.form.aabb_radius)


def body_solids(
    kinematics: Kinematics, mesh_folder: Path | None
) -> tuple[tuple[tuple[Solid, ...], ...], tuple[str, ...]]:
    """Return the solids of every body, and sentences on where they come from.

    A body has those of the URDF's ``<collision>``, meshes as their convex hulls; where it has none,
    the primitives of ``<visual>``; and without these, the capsules that it is drawn as.
    """
    shapes = urdf_shapes(kinematics, "collision")
    meshes, notes = collision_meshes(kinematics, mesh_folder)
    drawn = robot_shapes(kinematics)
    visual = urdf_shapes(kinematics, "visual")
    names = body_names(kinematics)
    solids: list[tuple[Solid, ...]] = []
    sources: dict[str, list[str]] = {"<collision>": [], "<visual>": [], "generated": []}
    for body, name in enumerate(names):
        found = (
            *_solids(shapes.get(body, ())),
            *(Solid(form, placement) for form, placement in meshes.get(body, ())),
        )
        source = "<collision>" if found else "<visual>" if body in visual else "generated"
        solids.append(found or _solids(drawn[body]))
        if solids[-1]:
            sources[source].append(name)
    return tuple(solids), (*_told(sources), *notes)


def body_names(kinematics: Kinematics) -> tuple[str, ...]:
    """Return of every body the name of the first link that belongs to it."""
    first: dict[int, str] = {}
    for link, (body, _) in kinematics.links().items():
        first.setdefault(body, link)
    return tuple(first.get(body, name) for body, name in enumerate(kinematics.bodies))


def _told(sources: dict[str, list[str]]) -> list[str]:
    told = {
        "<collision>": "Shapes of the URDF's <collision> stand for",
        "<visual>": "Without <collision>, shapes of the URDF's <visual> stand for",
        "generated": "The URDF has no shapes; capsules as thick as a drawing's stand for",
    }
    return [f"{told[source]} {', '.join(names)}." for source, names in sources.items() if names]


def _solids(shapes: Iterable[Shape]) -> tuple[Solid, ...]:
    """Return shapes as solids, a cylinder between two balls of its thickness as one capsule."""
    balls = [shape for shape in shapes if shape.kind == "sphere"]
    used: list[Shape] = []
    solids = []
    for shape in shapes:
        placement = pinocchio.XYZQUATToSE3(shape.pose.numbers())
        if shape.kind == "box":
            solids.append(Solid(coal.Box(*shape.size), placement))
        elif shape.kind == "cylinder":
            radius, length = shape.size[0] / 2, shape.size[2]
            ends = [
                ball
                for ball in balls
                for end in (-length / 2, length / 2)
                if ball.size[0] == shape.size[0]
                and np.allclose(shape.pose.apply([[0.0, 0.0, end]])[0], ball.pose.position)
            ]
            rounded = len(ends) == 2
            used += ends if rounded else []
            form = coal.Capsule(radius, length) if rounded else coal.Cylinder(radius, length)
            solids.append(Solid(form, placement))
    for ball in balls:
        if ball not in used:
            placement = pinocchio.XYZQUATToSE3(ball.pose.numbers())
            solids.append(Solid(coal.Sphere(ball.size[0] / 2), placement))
    return tuple(solids)
