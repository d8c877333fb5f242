"""Joint states are read by name, and missing ones are reported."""

from __future__ import annotations

import numpy as np

from dynid.playback.robot_state import JointStateSample, RestWatch, StateReader

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


def test_a_message_without_effort_has_a_position() -> None:
    state = reader().read(JOINTS, [1.0, 2.0], [], 0, 0.0)
    assert state is not None
    assert state.effort is None


def test_reports_why_the_position_is_unknown() -> None:
    waiting = reader()
    assert "no message arrived on /joint_states" in str(waiting.no_state_error())
    assert waiting.read(["elbow"], [1.0], [], 0, 0.0) is None
    assert "/joint_states has the joints elbow, but not 'shoulder'" in str(waiting.no_state_error())
    assert waiting.read(["shoulder"], [1.0], [], 0, 0.0) is None
    assert "no single message on /joint_states has all of shoulder" in str(waiting.no_state_error())
    assert waiting.read(JOINTS, [], [], 0, 0.0) is None


def watched(positions: list[float], watch: RestWatch | None = None) -> RestWatch:
    """A watch of states at 100 Hz, the first of them at 0."""
    watch = watch or RestWatch()
    for k, position in enumerate(positions):
        watch.update(JointStateSample(k * 10_000_000, 0.0, np.array([0.0, position]), None))
    return watch


def test_rest_is_a_tenth_of_a_second_without_moving() -> None:
    assert not watched([0.0] * 10).at_rest
    assert watched([0.0] * 11).at_rest
    assert watched([0.0, 1e-3] * 6).at_rest
    assert not watched([0.001 * k for k in range(50)]).at_rest
    assert not watched([float("nan")] * 20).at_rest


def test_reports_why_a_motion_cannot_start() -> None:
    watch = RestWatch()
    watch.update(JointStateSample(0, 0.0, np.zeros(2), None))
    assert watch.sentence(JOINTS) == (
        "the robot was observed for less than 0.1 s, and a motion starts from rest only."
    )
    assert watch.moving_names(JOINTS) == ""
    watch.update(JointStateSample(10**8, 0.0, np.array([0.0, 0.1]), None))
    assert watch.moving_names(JOINTS) == f"joint '{JOINTS[1]}'"
    assert watch.sentence(JOINTS).startswith(f"the robot moves (joint '{JOINTS[1]}'), and a ")


def test_states_before_a_reset_of_the_clock_are_ignored() -> None:
    watch = watched([0.0] * 20)
    assert watch.at_rest
    assert not watched([0.0], watch).at_rest
    assert watched([0.0] * 11, watch).at_rest


def test_rest_before_the_start_of_a_motion_is_cleared() -> None:
    watch = watched([0.0] * 20)
    assert watch.at_rest
    watch.reset()
    assert not watch.at_rest
