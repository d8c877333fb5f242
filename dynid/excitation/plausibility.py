"""What is doubtful in a URDF, before anything moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pinocchio

from dynid.arrays import Array
from dynid.dynamics.kinematics import Kinematics
from dynid.excitation.plausible_limits import Doubt, limit_doubts
from dynid.excitation.workspace.geometry import body_names
from dynid.excitation.workspace.meshes import Solid
from dynid.excitation.workspace.workspace import Workspace
from dynid.robot.robot import Robot

_HEAVIEST_DENSITY = 22_590.0  # [kg/m^3] osmium
_LIGHTEST_DENSITY = 5.0  # [kg/m^3] four times air; foams begin at 10, arms have 200 to 2000
_LARGEST_RADIUS = 1.0  # of gyration, as a share of the size: 0.5 where all mass is at two ends
_SMALLEST_RADIUS = 0.01  # likewise: as of a ball of lead in a link of foam
_CONSEQUENCE = "torque that is predicted before a motion, and compared with the measured one, is"


def urdf_doubts(robot: Robot, workspace: Workspace) -> tuple[Doubt, ...]:
    """Return what is doubtful in limits, masses and inertias of a robot's URDF.

    Raises:
        MechanismError: robot and URDF do not match.
    """
    kinematics, bodies = workspace.kinematics, workspace.bodies
    links = kinematics.links()
    incomplete = {links[mesh.link][0] for mesh in bodies.missing}
    described = [
        name
        for body, name in enumerate(body_names(kinematics))
        if name not in bodies.sources["generated"] and body not in incomplete
    ]
    return (*limit_doubts(robot), *body_doubts(kinematics, bodies.solids, described))


class _Size(NamedTuple):
    """Size of a body: diagonal of its box [m], and volume of its solids [m^3]."""

    length: float
    solid: float


def body_doubts(
    kinematics: Kinematics, solids: Sequence[Sequence[Solid]], described: Sequence[str]
) -> list[Doubt]:
    """Return what is doubtful in the masses and inertias of the bodies that move.

    Args:
        kinematics: of the robot.
        solids: of every body.
        described: names of the bodies whose solids are those of the URDF, with all meshes.
    """
    found = []
    bodies = enumerate(zip(body_names(kinematics), kinematics.model.inertias, solids, strict=True))
    for body, (name, inertia, of_body) in bodies:
        if body == 0 or not inertia.mass > 0:
            continue
        size = _size(kinematics, body, of_body) if name in described else None
        found += [*_radius(name, inertia, size, kinematics.reach)]
        found += [] if size is None else _density(name, inertia.mass, size)
    return found


def _radius(
    name: str, inertia: pinocchio.Inertia, size: _Size | None, reach: float
) -> Iterator[Doubt]:
    moment = float(np.linalg.eigvalsh(inertia.inertia)[-1])
    if not moment > 0:  # none, or of no real body, which is reported by itself
        return
    radius, length = float(np.sqrt(moment / inertia.mass)), reach if size is None else size.length
    whose = "it is" if size is not None else "the whole robot is"
    wrong = None
    if radius > _LARGEST_RADIUS * length:
        wrong = f"more than two masses at its ends have, so that {_CONSEQUENCE} too large"
    elif size is not None and radius < _SMALLEST_RADIUS * length:
        wrong = f"as if all mass were in one point, so that {_CONSEQUENCE} too small"
    if wrong is not None:
        yield Doubt(
            f"In the URDF, link '{name}' has a radius of gyration of {radius:.3g} m, "
            f"and {whose} {length:.3g} m long: {wrong}; correct <inertia> (kg m^2) or <mass> (kg)."
        )


def _density(name: str, mass: float, size: _Size) -> Iterator[Doubt]:
    if (
        mass > _HEAVIEST_DENSITY * size.length**3
    ):  # a cube, as shapes may be of a part of the body only
        wrong = f"heavier than any metal, so that {_CONSEQUENCE} too large"
    elif mass < _LIGHTEST_DENSITY * size.solid:
        wrong = f"about as light as air, so that {_CONSEQUENCE} too small"
    else:
        return
    yield Doubt(
        f"In the URDF, link '{name}' of {size.length:.3g} m has {mass:.3g} kg, {wrong}; correct "
        "<mass> (kg)."
    )


def _size(kinematics: Kinematics, body: int, solids: Sequence[Solid]) -> _Size | None:
    """Return the size of a body's solids, and of the joints on it; None without any solid."""
    joints = [
        kinematics.joint_origins[other]
        for other, parent in enumerate(kinematics.parents)
        if parent == body
    ]
    corners: list[Array] = [np.zeros(3), *joints]
    volume = 0.0
    for solid in solids:
        solid.form.computeLocalAABB()
        box = solid.form.aabb_local
        low, high = np.array(box.min_), np.array(box.max_)
        corners += [solid.placement.act(corner) for corner in _corners(low, high)]
        volume += float(solid.form.computeVolume())
    if not volume > 0:
        return None
    edges = np.ptp(np.array(corners), axis=0)
    return _Size(float(np.linalg.norm(edges)), volume)


def _corners(low: Array, high: Array) -> Array:
    """Return the corners of a box (8, 3)."""
    return np.asarray(np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T)
