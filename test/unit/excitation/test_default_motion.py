"""The motion of a robot whose profile has no excitation."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.representatives import representatives
from support.small_robot import URDF

from dynid.errors import ExcitationError
from dynid.excitation import default_motion
from dynid.excitation.default_motion import default_excitation, excitation_of, motion_range
from dynid.excitation.limits import sample_peaks
from dynid.excitation.settings import find_excitation
from dynid.playback.plan import make_plan, second_seed
from dynid.profile import load_robot, make_robot
from dynid.robot.limits import Limits
from dynid.robot.robot import Robot

NO_LIMIT = '<limit velocity="0" effort="0"/>'
ROBOTS = ("puma560", "scara", "ur10e", "yumi_arm", "delta_3", "palletiser", "axis_linear_tilted")


def without_excitation(robot: Robot) -> Robot:
    motion = find_excitation(robot)
    return robot if motion is None else robot.without_settings(type(motion))


def duo(**limits: object) -> Robot:
    """Return a robot of a URDF, with these limits only."""
    content = {"robot": "duo", "urdf": "duo.urdf", "joints": ["shoulder", "elbow"]}
    return make_robot({**content, "limits": limits}, re.sub("<limit .*/>", NO_LIMIT, URDF))


@pytest.mark.parametrize("name", representatives(list(ROBOTS), 4))
def test_a_robot_without_an_excitation_gets_two_motions_that_keep_all_limits(name: str) -> None:
    robot = without_excitation(load_robot(name))
    first = make_plan(robot)
    second = make_plan(robot, seed=second_seed(robot))
    assert not np.allclose(first.trajectory.position[500], second.trajectory.position[500])


def test_an_excitation_of_the_profile_is_kept() -> None:
    robot = load_robot("puma560")
    assert excitation_of(robot) is find_excitation(robot)


def test_the_motion_uses_the_limits_of_a_light_robot() -> None:
    robot = duo(position=[[-1.0, 1.0], [-2.0, 0.5]], velocity=[1.0, 5.0], torque_max=[400, 200])
    settings = default_excitation(robot)
    assert settings.centre == pytest.approx((0.0, -0.75))
    peaks = sample_peaks(make_plan(robot.with_settings(settings)).excitation).motion
    assert np.all(np.abs(peaks.velocity).max(axis=0) <= [0.9, 4.5])
    reached = np.abs(peaks.position - settings.centre).max(axis=0) / settings.span
    # each joint goes as far as its span, or is as fast as 90 % of its limit
    fast = np.abs(peaks.velocity).max(axis=0) / [0.9, 4.5]
    assert np.maximum(reached, fast) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("limits", "ranges", "speed"),
    [
        ({}, [2 * np.pi] * 2, [np.pi / 2] * 2),
        (
            {"position": [[-100.0, 100.0], [6.0, 7.0]], "velocity": [1000.0, 2.0]},
            [2 * np.pi, 1.0],
            [np.pi, 2.0],
        ),
    ],
    ids=["none", "beyond any motion"],
)
def test_without_limits_a_joint_turns_half_a_turn_to_both_sides(limits, ranges, speed) -> None:
    robot = duo(**limits)
    found = motion_range(robot, robot.mechanism())
    assert found.high - found.low == pytest.approx(ranges)
    assert found.speed == pytest.approx(speed)
    assert limits or make_plan(robot).start.shape == (2,)


def test_a_weak_robot_moves_where_it_needs_little_torque() -> None:
    weak = Limits(position=((-2.0, 2.0),) * 2, velocity=(4.0, 5.0), torque_max=(6.0, 2.0))
    robot = duo(position=[[-2.0, 2.0]] * 2, velocity=[4.0, 5.0])
    strong = default_excitation(robot)
    settings = default_excitation(robot.model_copy(update={"limits": weak}))
    assert strong.span is not None
    assert settings.span is not None
    assert settings.span[0] < strong.span[0]


def test_what_prevents_every_motion_is_named_with_the_entry_to_correct() -> None:
    robot = duo(position=[[-0.1, 0.1]] * 2, velocity=[4.0, 5.0], torque_max=[1e-3, 1.0])
    with pytest.raises(ExcitationError, match=r"'shoulder' needs .* correct limits.torque_max"):
        default_excitation(robot)


def test_a_part_of_the_range_in_which_bodies_collide_is_avoided() -> None:
    ball = (
        '<link name="{}"><collision><geometry><sphere radius="{}"/></geometry></collision></link>'
    )
    tip = (
        '<joint name="wrist" type="fixed"><parent link="lower"/><child link="tip"/>'
        '<origin xyz="0.3 0 0"/></joint></robot>'
    )
    urdf = URDF.replace('<link name="base"/>', ball.format("base", 0.25))
    urdf = urdf.replace("</robot>", ball.format("tip", 0.1) + tip)
    content = {"robot": "duo", "urdf": "duo.urdf", "joints": ["shoulder", "elbow"]}
    # in the middle of the range the forearm is folded back to the base, 0.3 m below the shoulder
    limits = {"position": [[-2.5, -0.5], [1.5, 3.0]], "velocity": [1.0, 1.0]}
    robot = make_robot({**content, "limits": limits}, urdf)
    free = default_excitation(make_robot({**content, "limits": limits}, URDF))
    with pytest.raises(ExcitationError, match="base"):
        make_plan(robot.with_settings(free))
    assert make_plan(robot).verdict.startswith("Limits kept")


def test_a_motion_is_found_in_a_small_part_of_the_workspace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(default_motion, "_SIZES", (0.1,))  # the larger ones only take time
    ball = '<link name="tip"><collision><geometry><sphere radius="0.05"/></geometry></collision>'
    tip = (
        '</link><joint name="wrist" type="fixed"><parent link="lower"/><child link="tip"/>'
        '<origin xyz="0.3 0 0"/></joint></robot>'
    )
    content = {
        "robot": "duo",
        "urdf": "duo.urdf",
        "joints": ["shoulder", "elbow"],
        "limits": {"position": [[-3.0, 3.0]] * 2, "velocity": [1.0, 1.0]},
        # neither stretched forward nor upright: about one of a hundred positions
        "workspace": {"tool_box": {"low": [0.34, -1.0, 0.64], "high": [2.0, 1.0, 2.0]}},
    }
    robot = make_robot(content, URDF.replace("</robot>", ball + tip))
    assert make_plan(robot).verdict.startswith("Limits kept")


@pytest.mark.parametrize(
    ("workspace", "sentence"),
    [
        ({"planes": {"wall": {"point": [0, 0, 2]}}}, "plane 'wall' is .* workspace.planes"),
        ({"boxes": {"cell": {"low": [-2] * 3, "high": [2] * 3}}}, "box 'cell' is .*space.boxes"),
        ({"tool_box": {"low": [2] * 3, "high": [3] * 3}}, "tool_box is .* workspace.tool_box"),
        ({"tool_speed": 1e-4}, "tool speed is violated; correct workspace.tool_speed"),
    ],
)
def test_the_key_of_an_obstacle_that_no_motion_avoids_is_named(
    workspace: dict[str, object], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(default_motion, "_SIZES", (0.1,))
    content = {"robot": "duo", "urdf": "duo.urdf", "joints": ["shoulder", "elbow"]}
    with pytest.raises(ExcitationError, match=sentence):
        default_excitation(make_robot({**content, "workspace": workspace}, URDF))
