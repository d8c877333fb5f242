import re
from pathlib import Path

import pytest
import yaml
from support.mobile_arm import mobile_arm
from support.synthetic import ARM_URDF

from dynid.api.motions import design_excitation
from dynid.errors import ConfigurationError
from dynid.excitation.plausible_limits import limit_doubts
from dynid.profile import load_robot, make_robot
from dynid.robot.chains import robot_joints
from dynid.robot.new_profile import NewProfile
from dynid.robot.urdf_profile import assumptions

ARM = {"robot": "arm", "urdf": "arm.urdf", "joints": ["shoulder", "elbow", "wrist"]}
MOBILE = {"robot": "mobile", "urdf": "mobile.urdf"}


def test_silent_limits_are_those_of_the_urdf() -> None:
    robot = make_robot(ARM | {"limits": {"velocity": 2}}, ARM_URDF)
    assert robot.limits.position == ((-3, 3),) * 3
    assert robot.limits.velocity == (2,)
    assert robot.limits.torque_max == (100, 100, 50)


def test_a_limit_set_to_null_stays_none() -> None:
    robot = make_robot(ARM | {"limits": {"position": None}}, ARM_URDF)
    assert robot.limits.position is None
    assert robot.limits.torque_max == (100, 100, 50)


def test_limits_of_the_urdf_are_not_written_to_a_profile_or_lost_in_a_model() -> None:
    robot = make_robot(ARM, ARM_URDF)
    assert "limits" not in robot.yaml_content(exclude_unset=True)
    content = robot.yaml_content(with_model_only=True)
    assert make_robot(content, ARM_URDF).limits == robot.limits


def test_placeholders_and_zeros_of_a_urdf_are_no_limits() -> None:
    for number in ("0", "1e6", "-5", "nan", "x"):
        robot = make_robot(ARM, ARM_URDF.replace('effort="50"', f'effort="{number}"'))
        assert robot.limits.torque_max is None
    same = make_robot(ARM, ARM_URDF.replace('lower="-3" upper="3"', 'lower="0" upper="0"'))
    assert same.limits.position is None


@pytest.mark.parametrize(
    ("lower", "upper", "reason"),
    [
        ("-177", "177", "28.2 turns, which may be degrees"),
        ("-30", "90", "14.3 turns, which may be degrees"),
        ("-355", "355", "56.5 turns, which may be degrees"),
        ("0", "360", "57.3 turns, which may be degrees"),
        ("3", "-3", "the wrong way round"),
        ("0.5", "-170", "the wrong way round"),
        ("0", "0", "from 0 to 0, which leaves no motion"),
        ("1.5", "1.5", "from 1.5 to 1.5, which leaves no motion"),
        ("-0.0", "0.0", "from 0 to 0, which leaves no motion"),
    ],
)
def test_a_limit_that_cannot_be_right_is_named_and_not_used(
    tmp_path: Path, lower: str, upper: str, reason: str
) -> None:
    text = ARM_URDF.replace('lower="-3" upper="3"', f'lower="{lower}" upper="{upper}"', 1)
    (tmp_path / "arm.urdf").write_text(text)
    alone = load_robot(tmp_path / "arm.urdf")
    for robot in (make_robot(ARM, text), alone):
        assert robot.limits.position is None
        assert robot.limits.torque_max is not None
    (phrase,) = (d.sentence for d in limit_doubts(alone) if "shoulder has" in d.sentence)
    assert reason in phrase
    with pytest.raises(ConfigurationError, match=f"needs limits.position.*shoulder has.*{reason}"):
        design_excitation(alone, starts=1, jobs=1)
    new = NewProfile("arm", "arm.urdf", "arm.urdf", robot_joints(text), alone.joints)
    (row,) = (row for row in new.text().splitlines() if "# shoulder" in row)
    assert "FILL IN" in row
    assert reason in row
    confirmed = {"limits": {"position": [[-1, 1]] * 3}}
    assert make_robot(ARM | confirmed, text).limits.position == ((-1, 1),) * 3


@pytest.mark.parametrize(
    ("old", "new"),
    [('ixx="0.02"', 'ixx="-0.02"'), ('izz="0.02"', 'izz="0.5"'), ('ixy="0.0001"', 'ixy="0.1"')],
)
def test_a_body_that_cannot_exist_is_named(tmp_path: Path, old: str, new: str) -> None:
    def of_bodies(text: str) -> list[str]:
        (tmp_path / "arm.urdf").write_text(text)
        phrases = assumptions(load_robot(tmp_path / "arm.urdf"))
        return [phrase for phrase in phrases if "as of no real body" in phrase]

    assert of_bodies(ARM_URDF) == []
    assert old in ARM_URDF
    (phrase,) = of_bodies(ARM_URDF.replace(old, new, 1))
    assert "the body at joint" in phrase


@pytest.mark.parametrize("most", ["6.2832", "12.5", "18.8496", "62.832"])
def test_a_limit_of_a_few_turns_is_used(most: str) -> None:
    text = ARM_URDF.replace('lower="-3" upper="3"', f'lower="-{most}" upper="{most}"', 1)
    assert make_robot(ARM, text).limits.position[0] == (-float(most), float(most))


def test_with_a_coupling_the_urdf_adds_no_limits() -> None:
    coupling = [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
    assert make_robot(ARM | {"coupling": coupling}, ARM_URDF).limits.torque_max is None


def test_a_joint_that_turns_without_end_has_no_limit_unless_assumed(tmp_path: Path) -> None:
    joints = {"joints": ["arm_1_joint", "arm_2_joint"]}
    assert make_robot(MOBILE | joints, mobile_arm()).limits.position is None
    (tmp_path / "mobile.urdf").write_text(mobile_arm())
    robot = load_robot(tmp_path / "mobile.urdf", overrides=["joints=[arm_*]"])
    assert robot.limits.position is not None
    assert robot.limits.position[1] == pytest.approx((-3.14159265, 3.14159265))
    assert any("±180° for arm_2_joint" in one for one in assumptions(robot))


def test_a_urdf_alone_locks_grippers_and_wheels(tmp_path: Path) -> None:
    (tmp_path / "mobile.urdf").write_text(mobile_arm())
    robot = load_robot(tmp_path / "mobile.urdf")
    assert robot.joints == ("lift_joint", "head_joint", "arm_1_joint", "arm_2_joint")
    assert robot.mechanism().joints == robot.joints
    said = assumptions(robot)
    assert "grippers and fingers locked: gripper_joint and second_pad_joint" in said
    assert "wheels locked: wheel_left_joint and wheel_right_joint" in said


def test_joints_and_locked_joints_are_given_by_patterns() -> None:
    patterns = {"joints": ["arm_*"], "locked": ["*pad*", "gripper_*", "lift_joint"]}
    robot = make_robot(MOBILE | patterns, mobile_arm())
    assert robot.joints == ("arm_1_joint", "arm_2_joint")
    # 0 is below the lift's range, and the second pad follows the first one, 0.1 rad ahead
    assert robot.locked == {"second_pad_joint": 0.1, "gripper_joint": 0, "lift_joint": 0.1}
    assert robot.mechanism().joints == robot.joints


def test_a_pattern_with_a_position_gives_way_to_a_name() -> None:
    locked = {"*_joint": 0.2, "wheel_left_joint": 1.0}
    robot = make_robot(MOBILE | {"joints": ["arm_*"], "locked": locked}, mobile_arm())
    assert robot.locked["wheel_left_joint"] == 1.0
    assert robot.locked["lift_joint"] == 0.2
    assert "arm_1_joint" not in robot.locked


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"joints": ["leg_*"]}, r"profile: 'joints' 'leg_\*' matches no movable joint"),
        ({"locked": ["leg"]}, "'locked' 'leg' matches no movable joint"),
        ({"locked": [1]}, "key 'locked': must be a group of keys and values"),
        ({"joints": "arm_*"}, "key 'joints': must be a list"),
    ],
)
def test_a_wrong_pattern_is_refused(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        make_robot(MOBILE | {"joints": ["arm_1_joint"]} | change, mobile_arm())


def test_a_wrong_entry_is_reported_before_a_missing_urdf(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(yaml.safe_dump(ARM | {"jionts": 1}))
    with pytest.raises(ConfigurationError, match="did you mean 'joints'"):
        load_robot(path)
    path.write_text(yaml.safe_dump(ARM | {"urdf": "gone.urdf"}))
    with pytest.raises(ConfigurationError, match=r"gone\.urdf .*there is no such file"):
        load_robot(path)


@pytest.mark.parametrize(
    ("count", "phrase"),
    [
        (0, "in the URDF, what shoulder, elbow and wrist carry has no mass"),
        (1, "in the URDF, what shoulder carries has no mass"),
    ],
)
def test_bodies_without_mass_are_not_said_to_have_an_impossible_inertia(
    count: int, phrase: str
) -> None:
    text = re.sub(r"<inertial>.*?</inertial>", "", ARM_URDF, count=count, flags=re.DOTALL)
    said = assumptions(make_robot(ARM, text))
    assert phrase in said
    assert count or not any("pseudo-inertia" in one for one in said)
