import pytest
from support.mobile_arm import mobile_arm
from support.synthetic import ARM_URDF

from dynid.errors import ConfigurationError
from dynid.robot.chains import matching, robot_joints


def tree(*joints: tuple[str, str, str], kind: str = "revolute", limit: str = "") -> str:
    links = {name for _, parent, child in joints for name in (parent, child)}
    text = "".join(f'<link name="{link}"/>' for link in sorted(links))
    for name, parent, child in joints:
        text += (
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f"{limit}</joint>"
        )
    return f'<robot name="tree">{text}</robot>'


def test_grippers_their_followers_and_wheels_are_distinguished_from_the_arm() -> None:
    found = robot_joints(mobile_arm())
    assert found.grippers == ("gripper_joint", "second_pad_joint")
    assert found.wheels == ("wheel_left_joint", "wheel_right_joint")
    assert [chain.tip for chain in found.chains] == ["head", "arm_2"]
    assert found.chains[1].joints == ("lift_joint", "arm_1_joint", "arm_2_joint")
    assert found.every == ("lift_joint", "head_joint", "arm_1_joint", "arm_2_joint")


def test_joints_are_locked_within_their_limits_and_followers_where_their_leader_is() -> None:
    found = robot_joints(mobile_arm())
    locked = found.locked(["arm_1_joint", "arm_2_joint"])
    assert locked["lift_joint"] == 0.1
    assert (locked["gripper_joint"], locked["second_pad_joint"]) == (0, 0.1)
    assert "arm_1_joint" not in locked


def test_a_chain_is_chosen_by_any_link_on_or_behind_it() -> None:
    found = robot_joints(mobile_arm())
    assert found.towards("left_pad") == ("lift_joint", "arm_1_joint", "arm_2_joint")
    assert found.towards("arm_1") == ("lift_joint", "arm_1_joint")
    with pytest.raises(ConfigurationError, match=r"--tip tool: .* the chains end at head, arm_2"):
        found.towards("tool")
    with pytest.raises(ConfigurationError, match="--tip wheel_left: no joint moves this link"):
        found.towards("wheel_left")


def test_a_tree_without_grippers_is_one_chain() -> None:
    (chain,) = robot_joints(ARM_URDF).chains
    assert chain.joints == ("shoulder", "elbow", "wrist")


def test_a_hand_and_a_car_are_robots_of_their_own() -> None:
    hand = robot_joints(tree(("finger_1", "palm", "a"), ("finger_2", "palm", "b")))
    assert (hand.grippers, hand.every) == ((), ("finger_1", "finger_2"))
    car = robot_joints(tree(("wheel_1", "body", "a"), ("wheel_2", "body", "b")))
    assert (car.wheels, car.every) == ((), ("wheel_1", "wheel_2"))


def test_a_joint_that_turns_a_gripper_belongs_to_the_arm() -> None:
    found = robot_joints(
        tree(("wrist_roll", "arm", "gripper"), ("LeftGripperYaw", "gripper", "plate"))
    )
    assert found.grippers == ()


def test_short_sliding_joints_side_by_side_are_fingers() -> None:
    limit = '<limit lower="0" upper="0.04" velocity="0.1" effort="20"/>'
    pads = tree(("a", "palm", "one"), ("b", "palm", "two"), kind="prismatic", limit=limit)
    arm = tree(("elbow", "base", "palm"))[: -len("</robot>")]
    joined = arm + pads[pads.index("<link") :].replace('<link name="palm"/>', "")
    assert robot_joints(joined).grippers == ("a", "b")
    longer = joined.replace('"0.04"', '"0.4"')
    assert robot_joints(longer).grippers == ()


def test_a_suspension_belongs_to_its_wheel() -> None:
    urdf = mobile_arm().replace(
        '<joint name="wheel_left_joint" type="continuous"><parent link="base"/>',
        '<joint name="spring" type="prismatic"><parent link="base"/><child link="strut"/>'
        '<limit lower="-0.1" upper="0.1" velocity="1" effort="1"/></joint><link name="strut"/>'
        '<joint name="wheel_left_joint" type="continuous"><parent link="strut"/>',
    )
    assert set(robot_joints(urdf).wheels) == {"spring", "wheel_left_joint", "wheel_right_joint"}


def test_a_robot_without_a_single_drive_at_a_joint_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"box\.urdf: has no movable joint"):
        robot_joints('<robot name="box"><link name="box"/></robot>', "box.urdf")
    with pytest.raises(ConfigurationError, match="joint 'free' is of type floating"):
        robot_joints(tree(("free", "world", "body"), kind="floating"))


def test_patterns_match_in_the_order_of_the_urdf() -> None:
    names = ("left_1", "right_1", "left_2")
    assert matching(["left_*", "right_1", "left_1"], names, "joints") == (
        "left_1",
        "left_2",
        "right_1",
    )
    with pytest.raises(ConfigurationError, match=r"joints 'up_\*' matches no movable joint"):
        matching(["up_*"], names, "joints")
