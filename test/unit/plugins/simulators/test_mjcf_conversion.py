"""MJCF as input: the same robot as MuJoCo has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.simulator_models import USERS_MJCF
from typer.testing import CliRunner

from dynid import cli
from dynid.errors import ConfigurationError
from dynid.excitation.motion import Motion
from dynid.profile import load_robot
from dynid.robot.model import nominal_model
from dynid.robot.urdf_joints import movable_joints
from dynid.simulation.true_parameters import simulated_model
from dynid_plugins.simulators.mjcf_conversion import mjcf_as_urdf, mjcf_nominal
from dynid_plugins.simulators.mujoco_model import MujocoModel

mujoco = pytest.importorskip("mujoco")

# anchors and references of joints, two joints of one body, a class, shapes that give the masses,
# a base that is free
ODD = """\
<mujoco model="odd">
  <compiler eulerseq="zyx"/>
  <default><default class="c"><joint damping="0.4" frictionloss="0.2"/></default></default>
  <worldbody>
    <body name="base" pos="0.3 0 1" euler="20 10 -30">
      <freejoint/>
      <geom size="0.1"/>
      <body name="turned" pos="0.1 0.2 0.3" quat="0.5 0.1 0.7 0.2">
        <joint name="a" class="c" pos="0.05 -0.02 0.01" axis="1 2 3" ref="25" range="-100 90"/>
        <joint name="b" type="slide" pos="1 2 3" axis="0 -1 1" ref="0.07" range="-0.1 0.2"/>
        <geom type="box" size="0.1 0.02 0.03" pos="0.1 0 0" euler="10 0 0"/>
        <site name="here"/>
        <body name="last" pos="0 0 0.2">
          <joint name="c" axis="0 1 0" actuatorfrcrange="-7 7"/>
          <geom type="capsule" fromto="0 0 0 0.1 0.2 0.1" size="0.02"/>
          <body pos="0.1 0 0"><geom type="cylinder" size="0.02 0.1"/></body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="a" gear="50" forcerange="-2 2"/></actuator>
</mujoco>
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "my.xml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", [ODD, USERS_MJCF], ids=["odd", "user's"])
def test_the_robot_moves_and_weighs_as_in_mujoco(tmp_path: Path, text) -> None:
    path = written(tmp_path, text)
    robot = load_robot(path)
    joints = robot.joints
    compiled = MujocoModel(text, path)
    compiled.model.dof_damping[:] = compiled.model.dof_armature[:] = 0
    random = np.random.default_rng(2)
    motion = Motion(*(random.uniform(-1, 1, (40, len(joints))) for _ in range(3)))
    bodies = nominal_model(robot).mechanism.without_terms()
    wanted = compiled.inverse_dynamics(joints, motion)
    found = bodies.inverse_dynamics(*motion)
    np.testing.assert_allclose(found, wanted, atol=1e-12 * np.abs(wanted).max())


def test_limits_and_friction_are_those_of_the_mjcf() -> None:
    urdf = mjcf_as_urdf(ODD, Path("my.xml"))
    joints = movable_joints(urdf)
    assert list(joints) == ["a", "b", "c"]
    np.testing.assert_allclose(joints["a"].position, np.radians([-100, 90]))
    np.testing.assert_allclose(joints["b"].position, [-0.1, 0.2])
    assert joints["c"].kind == "continuous"
    assert (joints["a"].effort, joints["c"].effort, joints["b"].effort) == (100, 7, None)
    assert urdf.count('damping="0.4" friction="0.2"') == 1


@pytest.mark.parametrize(
    ("actuator", "effort"),
    [
        ('motor joint="b" gear="-4" ctrlrange="-3 3"', 12),
        ('motor joint="b" ctrlrange="-3 3" forcerange="-2 2"', 2),
        ('position joint="b" ctrlrange="-3 3"', None),  # a range of positions
    ],
)
def test_a_motors_range_of_control_limits_its_torque(actuator: str, effort: float | None) -> None:
    text = ODD.replace("<actuator>", f"<actuator><{actuator}/>")
    assert movable_joints(mjcf_as_urdf(text, Path("my.xml")))["b"].effort == effort


def test_a_joint_that_follows_another_is_a_mimic() -> None:
    text = ODD.replace(
        "<actuator>",
        '<equality><joint joint1="c" joint2="a" polycoef="0.1 -2 0 0 0"/></equality><actuator>',
    )
    found = movable_joints(mjcf_as_urdf(text, Path("my.xml")))["c"]
    assert (found.leader, found.multiplier) == ("a", -2)
    # polycoef counts from the references
    np.testing.assert_allclose(found.offset, 0.1 + 2 * np.radians(25))


def test_included_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(
        "<mujocoinclude><body><joint name='j' axis='0 1 0'/><geom size='0.1'/></body>"
        "</mujocoinclude>"
    )
    path = written(tmp_path, "<mujoco><worldbody><include file='arm.xml'/></worldbody></mujoco>")
    assert load_robot(path).joints == ("j",)


def test_what_mujoco_warns_of_is_a_warning_and_not_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, ODD.replace('<site name="here"/>', '<site user="nan"/>'))
    with pytest.warns(UserWarning, match=r"my\.xml: MuJoCo warns: XML contains a 'NaN'"):
        load_robot(path)
    assert [one.name for one in tmp_path.iterdir()] == ["my.xml"]


def test_gravity_is_that_of_the_mjcf(tmp_path: Path) -> None:
    text = ODD.replace("<default>", '<option gravity="0 9.81 0"/><default>', 1)
    assert load_robot(written(tmp_path, text)).gravity == (0, 9.81, 0)


def test_armature_damping_and_frictionloss_are_nominal_parameters() -> None:
    text = ODD.replace('name="c" axis', 'name="c" armature="0.03" axis')
    nominal = mjcf_nominal(text, Path("my.xml"))
    assert nominal.parameters(("a", "b", "c")) == {"Fv1": 0.4, "Fc1": 0.2, "Ia3": 0.03}
    # of actuated joints, in their order
    assert nominal.parameters(("c",)) == {"Ia1": 0.03}


def test_a_new_profile_has_gravity_and_parameters_of_the_mjcf(tmp_path: Path) -> None:
    text = ODD.replace("<default>", '<option gravity="0 9.81 0"/><default>', 1)
    path = written(tmp_path, text)
    arguments = ["new", str(path), "-o", str(tmp_path / "odd.yaml"), "--joints", "a,b,c"]
    result = CliRunner().invoke(cli.app, arguments)
    assert result.exit_code == 0, result.output
    model = simulated_model(
        load_robot(tmp_path / "odd.yaml", overrides=["terms=[{kind: viscous}]"])
    )
    assert tuple(model.mechanism.gravity) == (0, 9.81, 0)
    assert model.parameters[model.parameter_names.index("Fv1")] == 0.4


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('name="c" axis="0 1 0"', 'name="c" type="ball"', "joint 'c' is a ball joint"),
        (
            "<actuator>",
            '<equality><weld body1="base" body2="last"/></equality><actuator>',
            "closed chain",
        ),
        (
            "<actuator>",
            '<equality><joint joint1="c" joint2="a" polycoef="0 1 2 0 0"/></equality><actuator>',
            "joint 'c' follows another one by a curve",
        ),
        ("<geom", "<geometry", "MuJoCo cannot compile it"),
        ("<worldbody>", "<worldbody><include file='missing.xml'/>", "missing.xml"),
    ],
)
def test_what_a_urdf_cannot_have_is_refused(tmp_path: Path, before, after, message) -> None:
    text = ODD.replace(before, after, 1)
    if "ball" in after:
        text = text.replace(' actuatorfrcrange="-7 7"', "")
    with pytest.raises(ConfigurationError, match=message):
        load_robot(written(tmp_path, text))
