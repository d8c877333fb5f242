"""Elastic joints of MJCF and SDF files: what is split, kept and refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid.xml_tree import xml_tree
from dynid_plugins.elastic.cli.model_elastic import model_elastic_command
from dynid_plugins.elastic.elastic_file import elastic_file, joint_sentences
from dynid_plugins.elastic.passive_joint import PassiveJoint, passive_joints

ELBOW = PassiveJoint("elbow", 1000.0, 2.0, 0.5, 0.0, prismatic=False)
SLIDER = PassiveJoint("slider", 2e5, 30.0, 4.0, 0.0, prismatic=True)
MJCF = """\
<mujoco>  <!-- mine -->
  <compiler autolimits="true"/>
  <option timestep="0.001"/>
  <default>
    <joint damping="5" armature="0.1" frictionloss="3" stiffness="40" springref="20" range="-9 9"/>
    <default class="turned"><joint axis="0 1 0" pos="0 0 0.1"/></default>
  </default>
  <worldbody>
    <body name="one">
      <joint name="base" axis="0 0 1"/>
      <geom size=".1" pos=".2 0 0"/>
      <body name="two" pos=".4 0 0">
        <frame euler="30 0 0"><joint name="elbow" class="turned"/></frame>
        <geom size=".1" pos=".2 0 0" mass="2"/>
        <body name="three" pos=".4 0 0">
          <joint name="slider" type="slide" range="-.1 .2" stiffness="0"/>
          <geom size=".1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><position name="motor" joint="elbow" kp="10"/></actuator>
  <sensor><jointpos name="encoder" joint="elbow"/></sensor>
  <keyframe><key name="home" qpos="1 2 .1" qvel="4 5 6" ctrl="7"/><key name="zero"/></keyframe>
</mujoco>
"""
SDF = """\
<sdf version="1.9">
  <model name="mine">  <!-- arm -->
    <link name="base"/>
    <joint name="mount" type="fixed"><parent>world</parent><child>base</child></joint>
    <link name="upper"><pose>0 0 1 0 0.4 0</pose></link>
    <joint name="shoulder" type="revolute">
      <parent>base</parent><child>upper</child>
      <axis><xyz>0 0 1</xyz></axis>
    </joint>
    <link name="lower"><pose relative_to="upper">0.5 0 0 0 0 0</pose></link>
    <joint name="elbow" type="revolute">
      <parent>upper</parent><child>lower</child>
      <pose>0 0 0.1 0.3 0 0</pose>
      <axis><xyz>0 1 0</xyz><limit><lower>-2</lower><upper>2</upper></limit>
        <dynamics><damping>3</damping><friction>1</friction></dynamics></axis>
    </joint>
    <frame name="tool" attached_to="elbow"/>
    <link name="hand"><pose relative_to="elbow">0.5 0 0 0 0 0</pose></link>
    <joint name="wrist" type="fixed"><parent>elbow</parent><child>hand</child></joint>
  </model>
</sdf>
"""


def split(text: str, *joints: PassiveJoint):
    return elastic_file(text, Path("mine.xml"), joints)


def compiled(text: str):
    return pytest.importorskip("mujoco").MjModel.from_xml_string(text)


def test_motor_and_passive_joint_of_an_mjcf_have_their_own_terms() -> None:
    before, after = compiled(MJCF), compiled(split(MJCF, ELBOW, SLIDER).text)
    motor, gear = after.joint("elbow"), after.joint("elbow_elastic")
    assert int(gear.id) == int(motor.id) + 1
    np.testing.assert_allclose(after.jnt_axis[gear.id], before.jnt_axis[1])
    np.testing.assert_allclose(after.jnt_pos[gear.id], before.jnt_pos[1])
    assert (motor.armature, motor.damping, motor.frictionloss) == (0.5, 5, 3)
    assert (gear.armature, gear.damping, gear.frictionloss) == (0, 2, 0)
    assert (motor.stiffness, gear.stiffness) == (0, 1000)
    assert after.joint("base").stiffness == 40
    assert [bool(after.jnt_limited[one.id]) for one in (motor, gear)] == [True, False]
    assert after.joint("slider_elastic").stiffness == 2e5
    np.testing.assert_allclose(after.joint("slider").range, [-0.1, 0.2])


def test_a_spring_of_the_link_acts_on_the_sum_of_both_positions() -> None:
    mujoco = pytest.importorskip("mujoco")
    for bent in (0.0, 0.01):
        model = compiled(split(MJCF, ELBOW).text)
        data = mujoco.MjData(model)
        data.joint("elbow").qpos[0], data.joint("elbow_elastic").qpos[0] = 0.3, bent
        mujoco.mj_forward(model, data)
        spring = -40 * (0.3 + bent - np.radians(20))
        assert data.joint("elbow").qfrc_passive[0] == pytest.approx(spring)
        gear = data.joint("elbow_elastic").qfrc_passive[0]
        assert gear == pytest.approx(spring - 1000 * bent)


def test_references_keyframes_and_comments_are_kept() -> None:
    written = split(MJCF, SLIDER, ELBOW).text
    model = compiled(written)
    motor = model.joint("elbow").id
    assert model.actuator("motor").trnid[0] == motor
    assert model.sensor("encoder").objid == motor
    np.testing.assert_allclose(model.key("home").qpos, [1, 2, 0, 0.1, 0])
    np.testing.assert_allclose(model.key("home").qvel, [4, 5, 0, 6, 0])
    assert "<!-- mine -->" in written


def test_a_joint_without_known_rotor_keeps_its_armature_or_is_refused() -> None:
    unknown = replace(ELBOW, rotor=None)
    assert split(MJCF, unknown).rotors == (0.1,)
    with pytest.raises(ConfigurationError, match="'elbow': its motor would have no inertia"):
        split(MJCF.replace('armature="0.1"', ""), unknown)


def test_a_time_step_that_is_too_long_for_the_spring_is_shortened_and_named() -> None:
    stiff = replace(ELBOW, stiffness=1e7)
    found = split(MJCF, stiff)
    step = compiled(found.text).opt.timestep
    # the rotor alone, to which the link only adds
    assert 0.1 / np.sqrt(1e7 / 0.5) < step < 0.5 / np.sqrt(1e7 / 0.5)
    assert any(f"{step:g} s in place of 0.001 s" in note for note in found.notes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name="elbow" ', 'name="other" ', "no joint 'elbow'; it has base, other, slider"),
        ('name="slider"', 'name="elbow_elastic"', "elastic as they are"),
        ('class="turned"/></frame>', 'type="slide"/></frame>', "'elbow': its type has to be hinge"),
        (
            "<actuator>",
            '<equality><joint name="e" joint1="base" joint2="elbow"/></equality><actuator>',
            "the equality constraint 'e' is on its position",
        ),
        (
            "<actuator>",
            '<tendon><fixed name="t"><joint joint="elbow" coef="1"/></fixed></tendon>'
            '<equality><tendon name="e" tendon1="t"/></equality><actuator>',
            "the equality constraint 'e' is on its position",
        ),
        ("<mujoco>", "<robot>", "expected an MJCF"),
    ],
)
def test_an_mjcf_that_cannot_be_split_is_refused_by_name(old, new, message) -> None:
    pytest.importorskip("mujoco")
    text = MJCF.replace(old, new).replace(
        "</mujoco>", "</robot>" if "robot" in new else "</mujoco>"
    )
    if 'type="slide"' in new:
        text = text.replace('name="motor" joint="elbow"', 'name="motor" joint="base"')
    if "other" in new:
        text = text.replace('joint="elbow"', 'joint="other"')
    with pytest.raises(ConfigurationError, match=message):
        split(text, ELBOW)


def test_closed_chains_of_bodies_stay_as_they_are() -> None:
    closed = '<equality><connect body1="three" body2="one" anchor="0 0 0"/></equality><actuator>'
    model = compiled(split(MJCF.replace("<actuator>", closed), ELBOW).text)
    assert (model.neq, model.nv) == (1, 4)


def test_an_sdf_gets_a_rotor_between_motor_and_passive_joint() -> None:
    found = split(SDF, ELBOW)
    root = xml_tree(found.text, "mine.sdf")
    joints = {one.get("name"): one for one in root.iter("joint")}
    links = {one.get("name"): one for one in root.iter("link")}
    motor, gear, rotor = joints["elbow"], joints["elbow_elastic"], links["elbow_rotor"]
    ends = [(one.findtext("parent"), one.findtext("child")) for one in (motor, gear)]
    assert ends == [("upper", "elbow_rotor"), ("elbow_rotor", "lower")]
    assert motor.find("pose").get("relative_to") == "lower"  # where it was
    assert gear.findtext("pose") == motor.findtext("pose")
    assert gear.findtext("axis/xyz") == "0 1 0"
    assert float(gear.findtext("axis/dynamics/spring_stiffness")) == 1000
    assert float(gear.findtext("axis/dynamics/damping")) == 2
    assert motor.findtext("axis/dynamics/damping") == "3"
    assert rotor.findtext("gravity") == "false"
    assert rotor.find("pose").get("relative_to") == "elbow_elastic"
    about = float(rotor.findtext("inertial/inertia/iyy"))
    across = [float(rotor.findtext(f"inertial/inertia/{name}")) for name in ("ixx", "izz")]
    assert about == 0.5
    assert sum(across) > about  # as of any body
    assert "<!-- arm -->" in found.text
    assert any("rotor is a body" in note for note in found.notes)


def test_what_is_on_the_joint_of_an_sdf_stays_on_the_link() -> None:
    root = xml_tree(split(SDF, ELBOW).text, "mine.sdf")
    frames = {one.get("name"): one.get("attached_to") for one in root.iter("frame")}
    parents = {one.get("name"): one.findtext("parent") for one in root.iter("joint")}
    assert frames["tool"] == "elbow_elastic"
    assert parents["wrist"] == "elbow_elastic"


def test_a_rotor_at_a_fixed_base_is_not_said_to_be_carried() -> None:
    assert split(SDF, replace(ELBOW, motor="shoulder")).notes == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name="elbow" type', 'name="other" type', "no joint 'elbow'; it has mount, shoulder"),
        (
            'type="revolute">\n      <parent>upper',
            'type="ball"><parent>upper',
            "has to be revolute",
        ),
        ("<friction>1", "<spring_stiffness>9</spring_stiffness><friction>1", "spring acts on the"),
        ("</axis>\n    </joint>", '<mimic joint="elbow"/></axis></joint>', "followed .mimic."),
        ("<child>lower</child>", "<child>tool</child>", "child 'tool' is not a link"),
        ("<xyz>0 1 0", "<xyz>0 0 0", "has the axis '0 0 0'"),
        ('name="hand"', 'name="elbow_rotor"', "is there already"),
    ],
)
def test_an_sdf_that_cannot_be_split_is_refused_by_name(old, new, message) -> None:
    with pytest.raises(ConfigurationError, match=message):
        split(SDF.replace(old, new), ELBOW)


def test_an_sdf_without_rotor_inertia_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="SDF has no armature"):
        split(SDF, replace(ELBOW, rotor=None))


def test_backlash_and_hardening_are_named_and_a_prismatic_joint_has_its_units() -> None:
    found = split(SDF, replace(ELBOW, backlash=1e-4, hardening=1e6))
    assert "Backlash of elbow is not in the file: the gears there have none." in found.notes
    assert "Hardening of elbow is not in the file: stiffness is linear there." in found.notes
    (sentence,) = joint_sentences(replace(found, joints=(SLIDER,), rotors=(4.0,)))
    assert "4.000 kg, then 'slider_elastic'" in sentence
    assert "N/m and 30.00 N s/m" in sentence


def test_the_profile_names_joints_units_and_rotors_behind_the_gear() -> None:
    joints = passive_joints(load_robot("kr300"), {"j2": "arm/j2"})
    assert [one.motor for one in joints] == ["j1", "arm/j2", "j3"]
    assert joints[1].name == "arm/j2_elastic"
    assert joints[1].rotor == pytest.approx(0.0118 * 267.429**2)
    assert joints[1].stiffness == 7.5189e6
    with pytest.raises(ConfigurationError, match=r"elastic\.stiffness is missing"):
        passive_joints(load_robot("pendulum"), {})
    with pytest.raises(ConfigurationError, match="--map j9"):
        passive_joints(load_robot("kr300"), {"j9": "x"})


def test_the_command_writes_the_file_prints_it_and_replaces_none(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(model_elastic_command)
    (tmp_path / "mine.sdf").write_text(SDF)
    given = [
        *(str(tmp_path / "mine.sdf"), "-p", "pendulum", "-o", str(tmp_path / "out.sdf")),
        *("--set", "elastic.stiffness=1000", "--set", "elastic.rotor_inertia=0.5"),
    ]
    name = load_robot("pendulum").joints[0]
    first = CliRunner().invoke(app, [*given, "--map", f"{name}=shoulder", "--json"])
    assert first.exit_code == 0, first.output
    joint = json.loads(first.stdout)["joints"]["shoulder"]
    assert joint["passive_joint"] == "shoulder_elastic"
    assert joint["stiffness"] == 1000
    written = (tmp_path / "out.sdf").read_text()
    motor = replace(ELBOW, motor="shoulder", damping=0.0, rotor=joint["rotor_inertia"])
    assert written == split(SDF, motor).text
    second = CliRunner().invoke(app, [*given, "--map", f"{name}=shoulder"])
    assert "already exists; --force replaces it" in str(second.exception)
    unknown = CliRunner().invoke(app, [*given, "--force"])
    assert f"has no joint '{name}'" in str(unknown.exception)
    assert (tmp_path / "out.sdf").read_text() == written
