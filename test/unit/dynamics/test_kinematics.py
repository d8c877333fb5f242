"""Frames against trigonometry by hand, and against pinocchio's frames."""

from __future__ import annotations

import numpy as np
import pinocchio
import pytest
from support.synthetic import arm_robot

from dynid.dynamics.kinematics import Kinematics
from dynid.dynamics.pose import Pose
from dynid.errors import ConfigurationError
from dynid.profile import load_robot, make_robot

TWO_LINKS = """
<robot name="two"><link name="ground"/><link name="first"/><link name="second"/><link name="tip"/>
  <joint name="a" type="revolute"><parent link="ground"/><child link="first"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="5" effort="9"/></joint>
  <joint name="b" type="continuous"><parent link="first"/><child link="second"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="end" type="fixed"><parent link="second"/><child link="tip"/>
    <origin xyz="0.3 0 0"/></joint>
</robot>"""


def two_links(**changes: object) -> Kinematics:
    content = {"robot": "two", "urdf": "two.urdf", "joints": ["a", "b"], **changes}
    return make_robot(content, TWO_LINKS).kinematics()


def test_tool_of_two_links_is_at_the_position_by_trigonometry() -> None:
    a, b = np.random.default_rng(1).uniform(-3, 3, (2, 20))
    expected = np.stack(
        [
            0.4 * np.cos(a) + 0.3 * np.cos(a + b),
            0.4 * np.sin(a) + 0.3 * np.sin(a + b),
            np.full(20, 0.5),
        ],
        axis=1,
    )
    path = two_links().tool_path(np.stack([a, b], axis=1))
    np.testing.assert_allclose(path, expected, atol=1e-14)


def test_drive_order_may_differ_from_the_urdf_s() -> None:
    position = np.array([[0.3, -1.1]])
    swapped = two_links(joints=["b", "a"])
    np.testing.assert_allclose(
        swapped.tool_path(position[:, ::-1]), two_links().tool_path(position)
    )


def test_a_locked_joint_stays_at_its_position() -> None:
    locked = two_links(joints=["a"], locked={"b": 0.7})
    np.testing.assert_allclose(locked.tool_path([[0.2]]), two_links().tool_path([[0.2, 0.7]]))


def test_tool_is_the_last_link_unless_another_is_named() -> None:
    assert two_links().tool == "tip"
    robot = load_robot("puma560")
    assert robot.kinematics().tool == "flange"
    assert robot.kinematics(tool="link_3").tool_body == 3


def test_refuses_a_tool_that_is_not_a_link() -> None:
    with pytest.raises(ConfigurationError, match=r"link 'hook': .* it has base, upper"):
        arm_robot().kinematics(tool="hook")


@pytest.mark.parametrize("name", ["puma560", "ur10e", "tx40"])
def test_every_link_of_a_shipped_robot_is_where_pinocchio_has_it(name: str) -> None:
    robot = load_robot(name)
    kinematics = robot.kinematics()
    model = pinocchio.buildModelFromXML(robot.urdf_xml)
    data = model.createData()
    position = np.random.default_rng(2).uniform(-2, 2, 6)
    pinocchio.framesForwardKinematics(model, data, position)
    poses = kinematics.poses([position])[0]
    for link, (body, local) in kinematics.links().items():
        found = Pose.from_numbers(poses[body]).then(local).matrix()
        expected = data.oMf[model.getBodyId(link)].homogeneous
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_motor_positions_become_joint_positions_through_the_coupling() -> None:
    robot = load_robot("tx40")
    joints = robot.kinematics().joint_position([0, 0, 0, 0, 0.2, 0.5])
    np.testing.assert_allclose(joints, [0, 0, 0, 0, 0.2, 0.3])
