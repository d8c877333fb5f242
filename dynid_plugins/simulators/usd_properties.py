"""Masses, inertias and joint terms as properties of USD prims.

Bodies are in the physics schema of USD. It has no terms of joints, so these are the properties of
PhysX's schema, PhysxJointAxisAPI, which Isaac Sim reads and other programs may ignore. Angles are
in degrees there.
"""

from __future__ import annotations

import numpy as np
import pinocchio

from dynid.arrays import Array
from dynid.dynamics.rigid_body import RigidBody
from dynid_plugins.simulators.exported_model import ExportedModel
from dynid_plugins.simulators.simulated_terms import FormatTerms
from dynid_plugins.simulators.usd_stage import Prim, UsdLibrary

USD_TERMS = FormatTerms(armature=True)
_AXIS = "PhysxJointAxisAPI"


def set_body(library: UsdLibrary, prim: Prim, body: RigidBody) -> None:
    """Set the mass properties of a link: centre, and moments about the principal axes."""
    moments, axes = np.linalg.eigh(body.inertia)
    axes = axes * np.sign(np.linalg.det(axes))
    mass = library.physics.MassAPI.Apply(prim)
    mass.CreateMassAttr(body.mass)
    mass.CreateCenterOfMassAttr(library.gf.Vec3f(*body.centre.tolist()))
    mass.CreateDiagonalInertiaAttr(library.gf.Vec3f(*moments.tolist()))
    mass.CreatePrincipalAxesAttr(quaternion(library.gf.Quatf, axes))


def body_of(library: UsdLibrary, prim: Prim) -> RigidBody | None:
    """Return the body of a link in its frame; None where the file does not state its mass."""
    mass = library.physics.MassAPI(prim)
    value = mass.GetMassAttr().Get()
    if not value:
        return None
    axes = rotation(mass.GetPrincipalAxesAttr().Get())
    moments = np.array(mass.GetDiagonalInertiaAttr().Get(), dtype=np.float64)
    centre = np.array(mass.GetCenterOfMassAttr().Get(), dtype=np.float64)
    centre = np.where(np.isfinite(centre), centre, 0.0)  # the schema's default is -inf
    return RigidBody(float(value), centre, np.asarray(axes @ np.diag(moments) @ axes.T))


def set_axis(library: UsdLibrary, prim: Prim, exported: ExportedModel, number: int) -> None:
    """Set the joint terms of a joint, and the largest torque of its drive."""
    axis, slides = exported.terms.axes[number], exported.slides[number]
    kind, per_degree = ("linear", 1.0) if slides else ("angular", np.pi / 180)
    prim.AddAppliedSchema(f"{_AXIS}:{kind}")
    values = {
        "armature": axis.armature,
        "staticFrictionEffort": axis.dry_friction,
        "dynamicFrictionEffort": axis.dry_friction,
        "viscousFrictionCoefficient": float(axis.damping[0]) * per_degree,
    }
    for name, value in values.items():
        set_float(library, prim, f"physxJointAxis:{kind}:{name}", value)
    if prim.HasAttribute("physxJoint:jointFriction"):  # an older, dimensionless friction
        set_float(library, prim, "physxJoint:jointFriction", 0.0)
    if limit := exported.limit_of("torque_max", number):
        library.physics.DriveAPI.Apply(prim, kind).CreateMaxForceAttr(limit[1])


def axis_of(prim: Prim, *, slides: bool) -> tuple[float, float]:
    """Return armature and damping of a joint [SI]."""
    kind, per_degree = ("linear", 1.0) if slides else ("angular", np.pi / 180)
    values = [
        prim.GetAttribute(f"physxJointAxis:{kind}:{name}").Get() or 0.0
        for name in ("armature", "viscousFrictionCoefficient")
    ]
    return float(values[0]), float(values[1]) / per_degree


def quaternion(kind: type, turn: Array) -> Prim:
    """Return a rotation matrix (3, 3) as a quaternion of the library."""
    x, y, z, w = pinocchio.Quaternion(np.asarray(turn)).coeffs().tolist()
    return kind(w, x, y, z)


def rotation(turn: Prim) -> Array:
    """Return a quaternion of the library as a rotation matrix (3, 3); no rotation where it is 0.

    Raises:
        ValueError: it is none.
    """
    if not hasattr(turn, "GetImaginary"):
        raise ValueError("a rotation is no quaternion")
    values = np.array([*turn.GetImaginary(), turn.GetReal()], dtype=np.float64)
    length = np.linalg.norm(values)
    if not length:
        return np.eye(3)
    return np.asarray(pinocchio.Quaternion(values / length).toRotationMatrix())


def set_float(library: UsdLibrary, prim: Prim, name: str, value: float) -> None:
    """Set a property of PhysX's schema."""
    prim.CreateAttribute(name, library.sdf.ValueTypeNames.Float, custom=False).Set(value)
