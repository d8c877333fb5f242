"""Motions to the start and stops are within the robot's limits and do not jump."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fake_cell import HOME, puma, sine_plan

from dynid.errors import PlaybackError
from dynid.excitation.checks import check_reachable
from dynid.excitation.limits import check_limits, check_rest
from dynid.playback.motions import (
    DEFAULT_VELOCITY,
    braking_acceleration,
    ending,
    point_to_point,
)
from dynid.robot.limits import Limits

JOINTS = ("shoulder", "elbow")
LIMITS = Limits(velocity=(1.5, 2.0), acceleration=(6.0, 8.0))
POSITION = st.floats(-3.0, 3.0)


@given(st.tuples(POSITION, POSITION), st.tuples(POSITION, POSITION), st.floats(0.05, 1.0))
def test_a_motion_is_within_its_fraction_of_the_limits_and_at_rest_at_both_ends(
    start, goal, part
) -> None:
    move = point_to_point(np.array(start), np.array(goal), LIMITS, part)
    check_limits(move, LIMITS, JOINTS, margin=part)
    check_rest(move, JOINTS)
    assert np.allclose(move.evaluate([0.0, move.duration]).position, [start, goal])


@pytest.mark.parametrize("distance", [0.6, 3.0])  # acceleration, velocity
def test_a_motion_uses_the_active_limit_fully(distance) -> None:
    move = point_to_point(np.zeros(2), np.array([distance, 0.0]), LIMITS, 0.5)
    motion = move.evaluate(np.linspace(0.0, move.duration, 20001))
    used = (np.abs(motion.velocity).max() / 0.75, np.abs(motion.acceleration).max() / 3.0)
    assert max(used) == pytest.approx(1.0, abs=2e-3)


def test_a_motion_without_limits_is_slow() -> None:
    move = point_to_point(np.zeros(1), np.array([3.0]), Limits(), 1.0)
    assert move.evaluate([move.duration / 2]).velocity[0, 0] == pytest.approx(
        DEFAULT_VELOCITY, rel=1e-3
    )


def test_a_motion_beyond_the_torque_limit_is_refused() -> None:
    robot = puma(torque_max=(97.6, 5.0, 89.4, 24.2, 20.1, 21.3))
    move = point_to_point(np.array(HOME), sine_plan().start, robot.limits, 0.3)
    with pytest.raises(
        PlaybackError, match=r"start cannot be reached.*'joint_2'.*its limit of 5 N m"
    ):
        check_reachable(move, robot.limits, sine_plan().mechanism, sine_plan().workspace)


def ending_of_the_sine(leave: float, limits: Limits | None = None):
    """Return the sine with a stop from an instant on, at the limits of its robot or others."""
    plan = sine_plan()
    allowed = braking_acceleration(plan.trajectory, limits or plan.robot.limits)
    return ending(plan.trajectory, leave, allowed)


@pytest.mark.parametrize("instant", [0.0, 0.2, 0.7, 1.0, 1.3, 1.9, 2.5])
def test_a_stop_is_within_acceleration_limits_and_ends_on_the_path(instant) -> None:
    plan, stop = sine_plan(), ending_of_the_sine(instant)
    motion = stop.evaluate(np.linspace(0.0, stop.duration, 5001))
    assert np.all(np.abs(motion.acceleration) <= 1.001 * np.array(plan.robot.limits.acceleration))
    assert np.allclose(stop.velocity[-1], 0.0)
    assert np.allclose(stop.acceleration[-1], 0.0)
    path = plan.trajectory.evaluate(np.linspace(0.0, 2.0, 20001)).position
    for position in motion.position[::200]:
        assert np.abs(path - position).max(axis=1).min() < 1e-3


@pytest.mark.parametrize("instant", [0.1, 0.7, 0.7012, 1.3])
def test_a_stop_equals_the_motion_until_braking_starts(instant) -> None:
    time = np.linspace(0.0, instant, 3001)
    whole, ended = sine_plan().trajectory.evaluate(time), ending_of_the_sine(instant).evaluate(time)
    for one, other in zip(whole[:2], ended[:2], strict=True):
        assert np.allclose(one, other, rtol=0, atol=1e-10)


def test_a_motion_that_ends_before_a_stop_would_is_unchanged() -> None:
    assert ending_of_the_sine(1.9) is sine_plan().trajectory


def test_a_stop_does_not_jump_even_where_it_is_received_late() -> None:
    stop = ending_of_the_sine(0.73)  # sent at 0.7
    for late, share in ((0.0, 1e-9), (0.03, 1e-9), (0.05, 0.005)):
        before = sine_plan().trajectory.evaluate([0.7 + late])
        after = stop.evaluate([0.7 + late])
        assert np.allclose(before.velocity, after.velocity, rtol=share, atol=1e-6)
        assert np.allclose(before.position, after.position, rtol=0, atol=share * late + 1e-6)


def test_without_acceleration_limits_a_stop_uses_the_acceleration_of_the_motion() -> None:
    plan, stop = sine_plan(), ending_of_the_sine(0.7, Limits())
    motion = plan.trajectory.evaluate(np.linspace(0.0, 2.0, 5001))
    allowed = np.maximum(np.abs(motion.acceleration).max(axis=0), 1.0)
    assert np.all(np.abs(stop.acceleration) <= 1.001 * allowed)


def test_past_points_do_not_affect_the_rest_of_the_motion() -> None:
    whole = sine_plan().trajectory
    recent = whole.since(0.8345)
    assert recent.time[0] == pytest.approx(0.83)
    time = np.linspace(0.8345, 2.1, 500)
    for one, other in zip(whole.evaluate(time), recent.evaluate(time), strict=True):
        assert np.array_equal(one, other)


def test_a_motion_over_no_distance_has_a_duration() -> None:
    assert point_to_point(np.zeros(2), np.zeros(2), LIMITS, 0.3).duration > 0
