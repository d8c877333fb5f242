"""Joint states are read by name, and what is missing in them is said."""

from __future__ import annotations

import numpy as np

from dynid.playback.robot_state import RestWatch, RobotState, StateReader

JOINTS = ("shoulder", "elbow")


def reader() -> StateReader:
    return StateReader(JOINTS, "/joint_states")


def test_joints_are_found_among_others_in_any_order() -> None:
    names = ["gripper", "elbow", "shoulder"]
    state = reader().read(names, [9.0, 2.0, 1.0], [90.0, 20.0, 10.0], 5, 7.0)
    assert state is not None
    assert (state.stamp_ns, state.arrival) == (5, 7.0)
    assert np.array_equal(state.position, [1.0, 2.0])
    assert np.array_equal(state.effort, [10.0, 20.0])


def test_a_message_without_effort_tells_a_position() -> None:
    state = reader().read(JOINTS, [1.0, 2.0], [], 0, 0.0)
    assert state is not None
    assert state.effort is None


def test_says_why_the_position_is_unknown() -> None:
    waiting = reader()
    assert "no message came on /joint_states" in str(waiting.no_state_error())
    assert waiting.read(["elbow"], [1.0], [], 0, 0.0) is None
    assert "/joint_states tells of elbow, but not of 'shoulder'" in str(waiting.no_state_error())
    assert waiting.read(["shoulder"], [1.0], [], 0, 0.0) is None
    assert "no single message on /joint_states has all of shoulder" in str(waiting.no_state_error())
    assert waiting.read(JOINTS, [], [], 0, 0.0) is None


def watched(positions: list[float]) -> bool:
    watch = RestWatch()
    for k, position in enumerate(positions):
        watch.update(RobotState(k * 10_000_000, 0.0, np.array([0.0, position]), None))
    return watch.at_rest


def test_rest_is_a_tenth_of_a_second_without_moving() -> None:
    assert not watched([0.0] * 10)
    assert watched([0.0] * 11)
    assert watched([0.0, 1e-3] * 6)
    assert not watched([0.001 * k for k in range(50)])
    assert not watched([float("nan")] * 20)


def test_says_why_a_motion_cannot_begin() -> None:
    watch = RestWatch()
    watch.update(RobotState(0, 0.0, np.zeros(2), None))
    assert watch.sentence(JOINTS) == (
        "the robot was watched for less than 0.1 s, and a motion begins from rest only."
    )
    assert watch.moving_names(JOINTS) == ""
    watch.update(RobotState(10**8, 0.0, np.array([0.0, 0.1]), None))
    assert watch.moving_names(JOINTS) == f"joint '{JOINTS[1]}'"
    assert watch.sentence(JOINTS).startswith(f"the robot moves (joint '{JOINTS[1]}'), and a ")


def test_what_was_seen_before_time_ran_back_does_not_count() -> None:
    watch = RestWatch()
    for k in range(20):
        watch.update(RobotState(k * 10_000_000, 0.0, np.zeros(2), None))
    assert watch.at_rest
    watch.update(RobotState(0, 0.0, np.zeros(2), None))
    assert not watch.at_rest
    for k in range(1, 11):
        watch.update(RobotState(k * 10_000_000, 0.0, np.zeros(2), None))
    assert watch.at_rest


def test_rest_that_was_seen_before_a_motion_begins_is_forgotten() -> None:
    watch = RestWatch()
    for k in range(20):
        watch.update(RobotState(k * 10_000_000, 0.0, np.zeros(2), None))
    assert watch.at_rest
    watch.reset()
    assert not watch.at_rest
