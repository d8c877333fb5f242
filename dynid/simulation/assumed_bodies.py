"""Masses of bodies to which the URDF gives none, as descriptions for display and planning do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import INERTIAL
from dynid.dynamics.rigid_body import RigidBody
from dynid.excitation.workspace.geometry import body_solids
from dynid.excitation.workspace.settings import WorkspaceSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.dynamics.mechanism import Mechanism
    from dynid.excitation.workspace.geometry import Solid
    from dynid.robot.robot import Robot

DENSITY = 1000.0
"""[kg/m^3] of the convex hulls of links; those of arms have 200 to 2000."""


def assumed_bodies(
    robot: Robot, mechanism: Mechanism, *, density: float = DENSITY
) -> dict[str, float]:
    """Return parameters, by name, of the bodies that have no mass or no inertia in the URDF.

    They have that of their shapes with a density [kg/m^3]; a body with a mass in the URDF keeps it
    with its centre, and has the inertia of its shapes with this mass.

    Raises:
        MechanismError: a mesh is too large.
    """
    kinematics = robot.kinematics()
    folder = robot.settings(WorkspaceSettings).mesh_folder
    solids = body_solids(kinematics, None if folder is None else Path(folder)).solids
    stated = mechanism.urdf_parameters[: mechanism.first_term].reshape(-1, len(INERTIAL))
    names = np.reshape(mechanism.parameter_names[: mechanism.first_term], stated.shape)
    assumed: dict[str, float] = {}
    for joint, values, of_body in zip(mechanism.body_joints, stated, names, strict=True):
        filled = _filled(values, solids[kinematics.model.getJointId(joint)], density)
        if filled is not None:
            assumed |= dict(zip(of_body.tolist(), filled.tolist(), strict=True))
    return assumed


def _filled(stated: Array, solids: Sequence[Solid], density: float) -> Array | None:
    """Return a body's parameters (10,) with what the URDF lacks; None if it lacks nothing."""
    body = RigidBody.from_parameters(stated) if stated[0] > 0 else None
    if body is not None and (np.linalg.eigvalsh(body.inertia) > 0).all():
        return None
    of_shapes = density * np.sum([_parameters(solid) for solid in solids], axis=0)
    if not np.ndim(of_shapes) or not of_shapes[0] > 0:
        return None
    if body is None:
        return np.asarray(of_shapes)
    shapes = RigidBody.from_parameters(of_shapes)
    return RigidBody(body.mass, body.centre, body.mass / shapes.mass * shapes.inertia).parameters


def _parameters(solid: Solid) -> Array:
    """Return the parameters (10,) of a solid of 1 kg/m^3 in the frame of its body."""
    form, placement = solid.form, solid.placement
    mass = float(form.computeVolume())
    inertia = np.array(form.computeMomentofInertiaRelatedToCOM())
    turn = np.array(placement.rotation)
    centre = np.array(placement.act(np.array(form.computeCOM())))
    return RigidBody(mass, centre, turn @ inertia @ turn.T).parameters
