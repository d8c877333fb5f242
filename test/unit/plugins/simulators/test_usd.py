"""USD of a model, and layers over a user's file; read back by USD's own library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.simulator_models import model_with_terms, random_motion

from dynid.errors import ConfigurationError, WriteError
from dynid.profile import load_robot
from dynid.robot.model import Model, nominal_model
from dynid_plugins.simulators.export import Export, export_along
from dynid_plugins.simulators.tree_layout import tree_layout
from dynid_plugins.simulators.usd_stage import opened_file

pxr = pytest.importorskip("pxr")
FIRST = tree_layout(nominal_model(load_robot("scara")))[1].name
LAST = tree_layout(nominal_model(load_robot("spatial_3r")))[-1].name
ROUNDING = 3e-6  # of single precision
TERMS = "[{kind: viscous}, {kind: coulomb}, {kind: rotor_inertia}]"


def written(folder: Path, robot: str = "scara") -> Path:
    """A user's file with masses that are not the model's, and a lamp."""
    model = nominal_model(load_robot(robot))
    export_along(model, "usd", random_motion(model)).save(folder / "mine.usda")
    stage = pxr.Usd.Stage.Open(str(folder / "mine.usda"))
    for prim in stage.Traverse():
        if prim.HasAPI(pxr.UsdPhysics.MassAPI):
            pxr.UsdPhysics.MassAPI(prim).GetMassAttr().Set(1.5)
    pxr.UsdGeom.Xform.Define(stage, "/lamp")
    stage.Save()
    return folder / "mine.usda"


def layered(path: Path, model: Model, **options: object) -> Export:
    return export_along(model, "usd", random_motion(model), into=("", path), **options)


def test_units_of_angles_are_degrees(tmp_path: Path) -> None:
    model = model_with_terms("scara", terms=TERMS)
    found = export_along(model, "usd", random_motion(model))
    found.save(tmp_path / "robot.usda")
    stage = opened_file(tmp_path / "robot.usda")
    axes = found.exported.terms.axes
    turning = stage.GetPrimAtPath("/scara/joint_1")
    sliding = stage.GetPrimAtPath(f"/scara/{model.mechanism.joints[2]}")
    assert model.mechanism.prismatic[2]
    viscous = "physxJointAxis:{}:viscousFrictionCoefficient"
    np.testing.assert_allclose(
        turning.GetAttribute(viscous.format("angular")).Get(),
        axes[0].damping[0] * np.pi / 180,
        rtol=1e-6,
    )
    np.testing.assert_allclose(
        sliding.GetAttribute(viscous.format("linear")).Get(), axes[2].damping[0], rtol=1e-6
    )
    low = model.robot.limits.range_of("position", 0)[0]
    np.testing.assert_allclose(
        turning.GetAttribute("physics:lowerLimit").Get(), np.degrees(low), rtol=1e-6
    )
    assert "PhysxJointAxisAPI:angular" in turning.GetPrimTypeInfo().GetAppliedAPISchemas()


def test_a_layer_changes_the_model_and_leaves_the_file(tmp_path: Path) -> None:
    path = written(tmp_path)
    before = path.read_bytes()
    model = model_with_terms("scara", terms=TERMS)
    found = layered(path, model)
    assert found.difference < ROUNDING
    found.save(tmp_path / "mine_identified.usda")
    assert path.read_bytes() == before
    stage = opened_file(tmp_path / "mine_identified.usda")
    assert stage.GetPrimAtPath("/lamp")
    assert stage.GetDefaultPrim().GetName() == "scara"
    own, after = opened_file(path), stage
    second = f"/scara/{tree_layout(model)[2].name}"
    masses = [
        pxr.UsdPhysics.MassAPI(one.GetPrimAtPath(second)).GetMassAttr().Get()
        for one in (own, after)
    ]
    assert masses[1] == pytest.approx(found.exported.bodies[1].mass, rel=1e-6)
    assert masses[0] != pytest.approx(masses[1], rel=1e-3)


def test_names_are_mapped(tmp_path: Path) -> None:
    path = written(tmp_path)
    stage = pxr.Usd.Stage.Open(str(path))
    stage.GetPrimAtPath("/scara/joint_1").SetDisplayName("turret")
    stage.Save()
    model = model_with_terms("scara", terms=TERMS)
    with pytest.raises(ConfigurationError, match="joint_1=NAME"):
        layered(path, model)
    assert layered(path, model, names={"joint_1": "turret"}).difference < ROUNDING


def test_a_layer_belongs_beside_its_file(tmp_path: Path) -> None:
    path = written(tmp_path)
    found = layered(path, model_with_terms("scara", terms=TERMS))
    (tmp_path / "other").mkdir()
    for wrong in (tmp_path / "other" / "new.usda", path):
        with pytest.raises(WriteError, match=r"mine_identified\.usda"):
            found.save(wrong)


def test_a_part_that_keeps_its_mass_is_taken_off(tmp_path: Path) -> None:
    path = written(tmp_path, "spatial_3r")
    stage = pxr.Usd.Stage.Open(str(path))
    tool = pxr.UsdGeom.Xform.Define(stage, "/spatial_3r/tool").GetPrim()
    pxr.UsdPhysics.RigidBodyAPI.Apply(tool)
    joint = pxr.UsdPhysics.FixedJoint.Define(stage, "/spatial_3r/mount")
    joint.CreateBody0Rel().SetTargets([f"/spatial_3r/{LAST}"])
    joint.CreateBody1Rel().SetTargets([tool.GetPath()])
    joint.CreateLocalPos0Attr(pxr.Gf.Vec3f(0.05, 0.0, 0.0))
    stage.Save()
    model = model_with_terms("spatial_3r", terms=TERMS)
    with pytest.raises(ConfigurationError, match=r"tool' has no mass"):
        layered(path, model)
    mass = pxr.UsdPhysics.MassAPI.Apply(tool)
    mass.CreateMassAttr(0.02)
    mass.CreateDiagonalInertiaAttr(pxr.Gf.Vec3f(1e-6, 1e-6, 1e-6))
    stage.Save()
    found = layered(path, model)
    assert found.difference < ROUNDING
    found.save(tmp_path / "new.usda")
    new = opened_file(tmp_path / "new.usda")
    link = new.GetPrimAtPath(f"/spatial_3r/{LAST}")
    left = pxr.UsdPhysics.MassAPI(link).GetMassAttr().Get()
    assert left == pytest.approx(found.exported.bodies[2].mass - 0.02, rel=1e-5)


def close_loop(stage) -> None:
    """Two links, of which each carries the other one."""
    for name, other in (("a", "b"), ("b", "a")):
        link = pxr.UsdGeom.Xform.Define(stage, f"/{name}").GetPrim()
        pxr.UsdPhysics.RigidBodyAPI.Apply(link)
        joint = pxr.UsdPhysics.FixedJoint.Define(stage, f"/joint_{name}")
        joint.CreateBody0Rel().SetTargets([f"/{name}"])
        joint.CreateBody1Rel().SetTargets([f"/{other}"])


def stretch(stage) -> None:
    for prim in stage.Traverse():
        if prim.IsA(pxr.UsdPhysics.RevoluteJoint):
            position = pxr.UsdPhysics.Joint(prim).GetLocalPos0Attr()
            position.Set(pxr.Gf.Vec3f(float("inf"), 0, 0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda stage: pxr.UsdGeom.SetStageMetersPerUnit(stage, 0.01), "only metres"),
        (stretch, "a frame of a joint is not finite"),
        (
            lambda stage: (
                pxr.UsdPhysics.FixedJoint.Define(stage, "/weld")
                .CreateBody1Rel()
                .SetTargets([f"/scara/{FIRST}"])
            ),
            "carry the same link",
        ),
        (close_loop, "loop of joints"),
        (
            lambda stage: (
                pxr.UsdGeom.Xformable(stage.GetPrimAtPath("/scara"))
                .AddScaleOp()
                .Set(pxr.Gf.Vec3f(2.0, 2.0, 2.0))
            ),
            "is scaled",
        ),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path: Path, change, message) -> None:
    path = written(tmp_path)
    stage = pxr.Usd.Stage.Open(str(path))
    change(stage)
    stage.Save()
    with pytest.raises(ConfigurationError, match=message):
        layered(path, model_with_terms("scara", terms=TERMS))


_ALTERED = (
    ('"xformOp:orient"', b'"xformOp:double"'),
    ("point3f physics:centerOfMass", b"pointinff physics:centerOfMass"),
    ("point3f physics:localPos0", b"pointinff physics:localPos0"),
    ("quatf physics:localRot0", b"quatinff physics:localRot0"),
    ("float physxJointAxis", b"f9oat physxJointAxis"),
    ("def Xform", b"def X\x9eform"),
)
"""Texts of a file, and bytes in their place."""


def test_damaged_and_missing_files_are_refused(tmp_path: Path) -> None:
    model = model_with_terms("scara", terms=TERMS)
    with pytest.raises(ConfigurationError, match="no such file"):
        layered(tmp_path / "absent.usda", model)
    with pytest.raises(ConfigurationError, match="is a folder; expected the name of a file"):
        layered(tmp_path, model)
    (tmp_path / "robot.xml").write_text("<robot/>")
    with pytest.raises(ConfigurationError, match="is no file of USD, whose names end in"):
        layered(tmp_path / "robot.xml", model)
    text = written(tmp_path).read_text()
    for number, (before, after) in enumerate(_ALTERED):
        assert before in text
        path = tmp_path / f"altered_{number}.usda"
        path.write_bytes(text.encode().replace(before.encode(), after, 1))
        with pytest.raises(ConfigurationError, match="cannot read it"):
            layered(path, model)
    (tmp_path / "bad.usda").write_text("#usda 1.0\ndef {")
    # without the library's own functions and lines
    with pytest.raises(ConfigurationError, match=r"cannot read it \(/\S*bad\.usda:2:1"):
        layered(tmp_path / "bad.usda", model)
    (tmp_path / "bad.usdc").write_bytes(b"PXR-USDC" + bytes(200))
    with pytest.raises(ConfigurationError, match="cannot read it"):
        layered(tmp_path / "bad.usdc", model)
