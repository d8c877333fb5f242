"""The follower computes the reference of a joint_trajectory_controller."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.errors import PlaybackError
from dynid.excitation.ramp import Ramp
from dynid.excitation.sine import SineExcitation
from dynid.playback.follower import TrajectoryFollower
from dynid.playback.trajectory import Trajectory, sample

JOINTS = ("shoulder", "elbow")
HOME = (0.1, -0.2)
SINE = SineExcitation(
    start=np.array(HOME),
    target=np.array([-0.5, 0.9]),
    frequency=np.array([0.5, 0.8]),
    ramp=Ramp(0.5, 3.0),
)
NOW = 1_760_000_000_123_456_789  # [ns]
SECOND = 1_000_000_000  # [ns]


def follower() -> TrajectoryFollower:
    return TrajectoryFollower(JOINTS, HOME)


def to(goal: tuple[float, float], time: float = 1.0) -> Trajectory:
    rest = np.zeros((1, 2))
    return Trajectory(JOINTS, np.array([time]), np.array([goal]), rest, rest)


def test_is_at_rest_at_home_before_the_first_trajectory() -> None:
    assert np.array_equal(follower().reference(NOW), HOME)


def test_follows_from_the_stamp_on() -> None:
    robot = follower()
    robot.accept(sample(SINE, JOINTS, 100.0), NOW + SECOND, NOW)
    for t in (-1.0, -0.5, 0.0, 0.7, 2.9, 3.0, 5.0):
        expected = SINE.evaluate([t]).position[0]
        reference = robot.reference(NOW + SECOND + round(t * SECOND))
        assert np.allclose(reference, expected, rtol=0, atol=1e-6)
    assert robot.end_ns == NOW + 4 * SECOND


@pytest.mark.parametrize(("start", "at"), [(0, NOW + SECOND), (NOW - SECOND, NOW)])
def test_a_trajectory_starts_now_or_at_a_stamp_in_the_past(start: int, at: int) -> None:
    robot = follower()
    robot.accept(sample(SINE, JOINTS, 100.0), start, NOW)
    expected = SINE.evaluate([1.0]).position[0]
    assert np.allclose(robot.reference(at), expected, rtol=0, atol=1e-6)


def test_moves_to_the_first_point_without_a_jump() -> None:
    robot = follower()
    robot.accept(sample(SINE, JOINTS, 100.0), NOW, NOW)
    later = NOW + round(1.2 * SECOND)
    before = robot.motion([later])
    robot.accept(to((0.4, 0.4)), 0, later)
    tiny = 10
    after = robot.motion([later + tiny, later + SECOND - tiny])
    for old, new in zip(before, after, strict=True):
        assert np.allclose(new[0], old[0], rtol=0, atol=1e-5)
    assert np.allclose(after.position[1], 0.4, rtol=0, atol=1e-6)
    assert np.allclose(after.velocity[1], 0.0, rtol=0, atol=1e-6)
    assert np.array_equal(robot.reference(later + SECOND), [0.4, 0.4])


def test_accepts_joints_in_any_order() -> None:
    robot = follower()
    turned = Trajectory(JOINTS[::-1], np.array([1.0]), np.array([[7.0, 8.0]]))
    robot.accept(turned, 0, NOW)
    assert np.array_equal(robot.reference(NOW + SECOND), [8.0, 7.0])


def test_references_are_smooth_to_the_nanosecond() -> None:
    robot = follower()
    robot.accept(sample(SINE, JOINTS, 100.0), NOW, NOW)
    instants = [NOW + SECOND + k * 1_000_000 for k in range(200)]
    position = np.array([robot.reference(instant) for instant in instants])
    acceleration = np.diff(position, 2, axis=0) / 1e-6
    truth = SINE.evaluate([(i - NOW) / SECOND for i in instants[1:-1]]).acceleration
    # seconds since 1970 as float64 would be wrong by 2.4e-7 s, and these by some rad/s^2
    assert np.allclose(acceleration, truth, rtol=0, atol=0.01)


@pytest.mark.parametrize(
    ("trajectory", "start", "sentence"),
    [
        (
            Trajectory(("shoulder", "wrist"), np.array([1.0]), np.zeros((1, 2))),
            0,
            "names joint 'wrist', which this robot does not have; expected shoulder, elbow",
        ),
        (
            Trajectory(("shoulder",), np.array([1.0]), np.zeros((1, 1))),
            0,
            "lacks joint 'elbow'",
        ),
        (
            Trajectory(("elbow", "elbow"), np.array([1.0]), np.zeros((1, 2))),
            0,
            "names joint 'elbow' twice",
        ),
        (to((0.0, 0.0)), NOW - 3 * SECOND, r"ended 2\.000 s ago"),
        (
            Trajectory(JOINTS, np.array([1.0]), np.zeros((1, 2)), np.array([[0.0, 0.1]])),
            0,
            "joint 'elbow': the trajectory ends with velocity 0.1",
        ),
    ],
)
def test_refuses_with_a_sentence_and_follows_the_previous_trajectory(
    trajectory, start, sentence
) -> None:
    robot = follower()
    robot.accept(to((1.0, 1.0), 2.0), 0, NOW)
    with pytest.raises(PlaybackError, match=sentence):
        robot.accept(trajectory, start, NOW)
    assert np.array_equal(robot.reference(NOW + 2 * SECOND), [1.0, 1.0])
