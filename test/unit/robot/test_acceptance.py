from __future__ import annotations

import pytest

from dynid.dynamics.closed_chain import ClosedChainSettings
from dynid.errors import ModelFileError
from dynid.profile import make_robot
from dynid.robot.acceptance import check_acceptance, urdf_difference
from dynid.robot.model_file import parse_model
from dynid.robot.urdf_export import kinematic_urdf


def stored(identification):
    return parse_model(identification.model.text(), "model.yaml", make_robot)


@pytest.fixture(scope="module")
def robot(identification):
    """The identified robot."""
    return identification.robot


@pytest.fixture(scope="module")
def model(identification):
    return stored(identification)


def refusal(model, robot, **options):
    with pytest.raises(ModelFileError) as caught:
        check_acceptance(model, robot, "model.yaml", **options)
    return str(caught.value)


def test_accepts_the_model_of_this_robot(model, robot):
    check_acceptance(model, robot, "model.yaml")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": "other"}, "model.yaml: is of robot"),
        (
            {"gravity": (0.0, 0.0, 9.81)},
            r"with gravity (0.0, 0.0, -9.81), this robot has (0.0, 0.0, 9",
        ),
        ({"locked": {"lid": 0.1}}, "with locked joints"),
        ({"payload_joint": "turn"}, "with payload joint"),
        (
            {"closed_chain": ClosedChainSettings(assembled_at=(0.1,))},
            "with other passive joints or loop closures",
        ),
    ],
)
def test_refuses_another_robot_even_by_force(model, robot, change, sentence):
    message = refusal(model, robot.model_copy(update=change), force=True)
    assert sentence in message
    assert "load this robot's model" in message


def test_refuses_joints_in_another_order(model, robot):
    other = robot.model_copy(update={"joints": robot.joints[::-1]})
    assert f"joints {', '.join(robot.joints)}, this robot has" in refusal(model, other)


def test_a_failed_model_is_accepted_by_force_only(failed, robot):
    model = stored(failed)
    message = refusal(model, robot)
    assert "its identification failed (joint 'lift': max relative torque error 61 %" in message
    assert "set 'force'" in message
    check_acceptance(model, robot, "model.yaml", force=True)


def test_refuses_another_urdf_and_names_the_difference(model, robot):
    other = robot.urdf_xml.replace('<mass value="', '<mass value="1', 1)
    assert other != robot.urdf_xml
    message = refusal(model, robot.with_urdf(other), force=True)
    assert "was identified with another URDF (SHA-256" in message
    assert "has mass" in message


ARM = """
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><mass value="4.0"/><origin xyz="0.15 0 0"/>
    <inertia ixx="0.02" iyy="0.06" izz="0.06" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="flange"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3"/><axis xyz="0 0 1"/><limit lower="-3" upper="3"/></joint>
  <joint name="mount" type="fixed"><parent link="upper"/><child link="flange"/></joint>
</robot>
"""


def difference(old, new):
    changed = ARM.replace(old, new)
    assert changed != ARM
    return urdf_difference(ARM, kinematic_urdf(changed))


CAMERA = """<link name="camera"/><joint name="bracket" type="fixed"><parent link="flange"/>
    <child link="camera"/><origin xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('value="4.0"', 'value="4"'),
        ('<origin xyz="0 0 0.3"/>', '<origin rpy="0 0 0.0" xyz="0.0 0. 3e-1"/>'),
        ('lower="-3"', 'lower="-2"'),
        ("</robot>", CAMERA),
        ('<link name="flange"/>', '<link name="flange"><visual/></link>'),
        ("<link", "<!-- a remark --><link"),
    ],
)
def test_differences_without_effect_on_torque_are_ignored(old, new):
    assert difference(old, new) == ""


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('value="4.0"', 'value="4.1"', "link 'upper' has mass 4.0 in the model's, 4.1 in this"),
        ('iyy="0.06"', 'iyy="0.07"', "link 'upper' has iyy"),
        ('xyz="0 0 0.3"', 'xyz="0 0 0.3" rpy="0 0 1"', "joint 'shoulder' has origin rpy"),
        ('xyz="0 0 1"', 'xyz="0 1 0"', "joint 'shoulder' has axis 0 0 1 in the model's, 0 1 0"),
        ('"revolute"', '"prismatic"', "joint 'shoulder' has type revolute"),
        (
            '<link name="flange"/>',
            '<link name="flange"><inertial><mass value="2"/></inertial></link>',
            "link 'flange' is only in this robot's URDF",
        ),
    ],
)
def test_differences_with_effect_on_torque_are_named(old, new, sentence):
    assert difference(old, new).startswith(sentence)


def test_a_missing_load_is_named():
    loaded = ARM.replace(
        '<link name="flange"/>', '<link name="flange"><inertial><mass value="2"/></inertial></link>'
    )
    assert urdf_difference(loaded, ARM) == "link 'flange' is only in the model's URDF"
