"""Bodies of a robot for distances: their solids, and bounds of the levers that move them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pinocchio
from pinocchio import coal

from dynid.arrays import Array
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


def moving_path(kinematics: Kinematics, body: int) -> tuple[int, ...]:
    """Return the numbers of the moving joints between the root and a body, from the root on."""
    number = {carried: joint for joint, carried in enumerate(kinematics.moving_bodies)}
    path = []
    while body > 0:
        if body in number:
            path.append(number[body])
        body = kinematics.parents[body]
    return tuple(reversed(path))


def slides(kinematics: Kinematics, body: int) -> bool:
    """Return whether the joint that moves a body is prismatic."""
    return bool(kinematics.model.joints[body].shortname().startswith("JointModelP"))


def levers(kinematics: Kinematics, body: int, radius: float, slide: Array) -> Array:
    """Return a bound on the speed of a body's points for each joint's speed of 1; (m,).

    For a revolute joint it is the length of the chain from the joint to the body [m], a bound on
    the distance of its points from the axis; for a prismatic joint 1; for others 0.

    Args:
        kinematics: of the robot.
        body: which one.
        radius: of its points about its frame's origin [m].
        slide: largest distance of each of the m moving prismatic joints from its 0 [m].
    """
    number = {carried: joint for joint, carried in enumerate(kinematics.moving_bodies)}
    lengths = np.zeros(len(number))
    length = radius
    while body > 0:
        joint = number.get(body)
        if joint is not None:
            lengths[joint] = 1.0 if slides(kinematics, body) else length
        if slides(kinematics, body):
            at_rest = abs(float(kinematics.rest[kinematics.model.joints[body].idx_q]))
            length += at_rest if joint is None else float(slide[joint])
        length += float(np.linalg.norm(kinematics.joint_origins[body]))
        body = kinematics.parents[body]
    return lengths


def acceleration_bound(
    path: tuple[int, ...], lengths: Array, turns: Array, speed: Array, acceleration: Array
) -> Array:
    """Return a bound on the acceleration of a point moved by joints; (N,) [m/s^2].

    With v = sum_j dq_j z_j x (p - o_j), or dq_j z_j for prismatic joints, the derivative of each
    term is bounded: |dz_j/dt| by the rotation of the joints before j, |d(p - o_j)/dt| by that and
    by the speed of the point due to j and the joints behind it.

    Args:
        path: numbers of the joints from the root to the point.
        lengths: bounds on their levers, as :func:`levers` returns (m,) [m or 1].
        turns: which joints are revolute (m,).
        speed: bounds on the joints' speeds (N, m).
        acceleration: bounds on their accelerations (N, m).
    """
    bound = acceleration @ lengths
    before = np.zeros(len(speed))
    for place, joint in enumerate(path):
        behind = speed[:, path[place:]] @ lengths[list(path[place:])]
        along = lengths[joint] * before
        # a prismatic joint's direction turns, but keeps its length
        bound = bound + speed[:, joint] * (along + (along + behind if turns[joint] else 0.0))
        before = before + (speed[:, joint] if turns[joint] else 0.0)
    return bound
