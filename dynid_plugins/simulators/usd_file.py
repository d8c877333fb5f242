"""A USD (Isaac Sim and others) of a robot: a new one, or a layer over a user's file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pinocchio

from dynid.arrays import Array
from dynid.dynamics.pose import Pose
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError
from dynid.robot.shapes import Shape
from dynid_plugins.simulators.exported_model import ExportedModel
from dynid_plugins.simulators.placed_bodies import placed_bodies
from dynid_plugins.simulators.tree_layout import ROOT_BODY, TreeLink, tree_layout
from dynid_plugins.simulators.usd_properties import quaternion, set_axis, set_body, set_float
from dynid_plugins.simulators.usd_stage import (
    Prim,
    UsdLibrary,
    opened_file,
    usd_errors,
    usd_library,
)
from dynid_plugins.simulators.usd_tree import UsdTree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid_plugins.simulators.frame_alignment import FrameAlignment

_STAGE = ("metersPerUnit", "kilogramsPerUnit", "upAxis", "timeCodesPerSecond", "defaultPrim")
"""What a stage takes from its root layer only."""


def usd_text(exported: ExportedModel, header: list[str]) -> str:
    """Return a new USD of a model as text (usda); its root is fixed to the world.

    Raises:
        ConfigurationError: USD's library is not installed.
    """
    library = usd_library()
    stage = library.usd.Stage.CreateInMemory()
    library.geom.SetStageMetersPerUnit(stage, 1.0)
    library.physics.SetStageKilogramsPerUnit(stage, 1.0)
    library.geom.SetStageUpAxis(stage, library.geom.Tokens.z)
    names = _Names()
    robot = f"/{names.new(exported.model.robot.name)}"
    root = library.geom.Xform.Define(stage, robot).GetPrim()
    library.physics.ArticulationRootAPI.Apply(root)
    stage.SetDefaultPrim(root)
    _add_gravity(library, stage, exported.mechanism.gravity)
    base, *links = tree_layout(exported.model)
    paths = {link.name: f"{robot}/{names.new(link.name)}" for link in (base, *links)}
    poses = {base.name: Pose()}
    _add_link(library, stage, paths[base.name], Pose(), ROOT_BODY, base)
    fixed = library.physics.FixedJoint.Define(stage, f"{robot}/{names.new('fixed_to_world')}")
    fixed.CreateBody1Rel().SetTargets([paths[base.name]])
    for link in links:
        poses[link.name] = poses[link.parent].then(link.in_parent)
        body = exported.bodies[link.number]
        _add_link(library, stage, paths[link.name], poses[link.name], body, link)
        joint = f"{robot}/{names.new(exported.mechanism.joints[link.number])}"
        _add_joint(library, stage, joint, exported, link, paths)
    stage.GetRootLayer().comment = "\n".join(header)
    return str(stage.GetRootLayer().ExportToString())


class _Names:
    """Names of prims, which are letters, digits and underscores, each used once."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def new(self, name: str) -> str:
        from pxr import Tf  # noqa: PLC0415  an extra

        valid = found = str(Tf.MakeValidIdentifier(name))
        number = 1
        while found in self._used:
            number += 1
            found = f"{valid}_{number}"
        self._used.add(found)
        return found


def _add_gravity(library: UsdLibrary, stage: Any, gravity: Array) -> None:
    scene = library.physics.Scene.Define(stage, "/physicsScene")
    size = float(np.linalg.norm(gravity))
    direction = gravity / size if size else np.array([0.0, 0.0, -1.0])
    scene.CreateGravityDirectionAttr(library.gf.Vec3f(*direction.tolist()))
    scene.CreateGravityMagnitudeAttr(size)


def _add_link(
    library: UsdLibrary, stage: Any, path: str, pose: Pose, body: RigidBody, link: TreeLink
) -> None:
    prim = library.geom.Xform.Define(stage, path)
    _place(library, prim, pose)
    library.physics.RigidBodyAPI.Apply(prim.GetPrim())
    set_body(library, prim.GetPrim(), body)
    for number, (shape, at) in enumerate(link.shapes, start=1):
        _add_shape(library, stage, f"{path}/shape_{number}", shape, at)


def _add_shape(library: UsdLibrary, stage: Any, path: str, shape: Shape, pose: Pose) -> None:
    kinds = {"box": "Cube", "sphere": "Sphere", "cylinder": "Cylinder"}
    form = getattr(library.geom, kinds[shape.kind]).Define(stage, path)
    _place(library, form, pose)
    if shape.kind == "box":
        form.CreateSizeAttr(1.0)
        form.AddScaleOp().Set(library.gf.Vec3f(*shape.size))
    else:
        form.CreateRadiusAttr(shape.size[0] / 2)
    if shape.kind == "cylinder":
        form.CreateHeightAttr(shape.size[2])
        form.CreateAxisAttr(library.geom.Tokens.z)
    form.CreateDisplayColorAttr([library.gf.Vec3f(*shape.colour[:3])])


def _place(library: UsdLibrary, form: Prim, pose: Pose) -> None:
    matrix = pose.matrix()
    form.AddTranslateOp().Set(library.gf.Vec3d(*matrix[:3, 3].tolist()))
    precision = library.geom.XformOp.PrecisionDouble
    form.AddOrientOp(precision).Set(quaternion(library.gf.Quatd, matrix[:3, :3]))


def _add_joint(
    library: UsdLibrary,
    stage: Any,
    path: str,
    exported: ExportedModel,
    link: TreeLink,
    paths: dict[str, str],
) -> None:
    number, slides = link.number, link.slides
    kind = library.physics.PrismaticJoint if slides else library.physics.RevoluteJoint
    joint = kind.Define(stage, path)
    joint.GetPrim().SetDisplayName(exported.joints[number])
    joint.CreateBody0Rel().SetTargets([paths[link.parent]])
    joint.CreateBody1Rel().SetTargets([paths[link.name]])
    # the schema's axes are x, y and z, so that the joint's frame is turned
    turn = pinocchio.Quaternion.FromTwoVectors(np.array([1.0, 0.0, 0.0]), link.axis).matrix()
    outer = link.in_parent.matrix()
    joint.CreateAxisAttr("X")
    joint.CreateLocalPos0Attr(library.gf.Vec3f(*outer[:3, 3].tolist()))
    joint.CreateLocalRot0Attr(quaternion(library.gf.Quatf, outer[:3, :3] @ turn))
    joint.CreateLocalPos1Attr(library.gf.Vec3f(0.0, 0.0, 0.0))
    joint.CreateLocalRot1Attr(quaternion(library.gf.Quatf, turn))
    unit = 1.0 if slides else 180 / np.pi
    if limits := exported.limit_of("position", number):
        joint.CreateLowerLimitAttr(limits[0] * unit)
        joint.CreateUpperLimitAttr(limits[1] * unit)
    set_axis(library, joint.GetPrim(), exported, number)
    if speeds := exported.limit_of("velocity", number):
        name = f"physxJointAxis:{'linear' if slides else 'angular'}:maxJointVelocity"
        set_float(library, joint.GetPrim(), name, speeds[1] * unit)


def usd_joints(where: Path) -> tuple[str, ...]:
    """Return names of the movable joints in a file of USD."""
    return UsdTree(opened_file(where), str(where)).joints


def updated_usd(
    where: Path, exported: ExportedModel, joints: tuple[str, ...]
) -> tuple[str, FrameAlignment]:
    """Return a layer over a user's file, which stays as it is, to be saved in the same folder.

    The link of each joint gets what the model has behind the joint, except for links that hang on
    it by other joints, also fixed ones: they keep their mass.

    Raises:
        ConfigurationError: the file cannot be read, moves differently, a link that keeps its mass
            states none or is too heavy, or a link is a part of an instance.
    """
    library, stage = usd_library(), opened_file(where)
    there = UsdTree(stage, str(where))
    _check_masses(there, joints, str(where))
    bodies, alignment = placed_bodies(exported, there.tree, joints, str(where))
    with usd_errors(str(where)):
        layer = stage.GetSessionLayer()
        stage.SetEditTarget(layer)
        _set_joints(library, there, exported, joints, bodies, str(where))
        for key in _STAGE:
            if stage.GetRootLayer().pseudoRoot.HasInfo(key):
                layer.pseudoRoot.SetInfo(key, stage.GetRootLayer().pseudoRoot.GetInfo(key))
        layer.subLayerPaths = [f"./{where.name}"]
        return str(layer.ExportToString()), alignment


def _set_joints(
    library: UsdLibrary,
    there: UsdTree,
    exported: ExportedModel,
    joints: tuple[str, ...],
    bodies: Sequence[RigidBody],
    where: str,
) -> None:
    for number, name in enumerate(joints):
        for prim in (there.link(name), there.joint(name)):
            if prim.IsInstanceProxy():
                raise ConfigurationError(
                    f"{where}: '{prim.GetPath()}' is a part of an instance, which cannot be "
                    "changed; make it not instanceable."
                )
        set_body(library, there.link(name), bodies[number])
        set_axis(library, there.joint(name), exported, number)


def _check_masses(there: UsdTree, joints: tuple[str, ...], where: str) -> None:
    """Require a mass of every link that keeps its own; simulators would guess it from shapes."""
    moved = {there.tree.link(name) for name in joints}
    for path, body in there.bodies.items():
        carrier = there.tree.carrier(path, joints)
        if body is None and carrier is not None and path not in moved:
            raise ConfigurationError(
                f"{where}: the link '{path}' has no mass; give it one (physics:mass), which is a "
                "part of what was identified behind its joint."
            )
