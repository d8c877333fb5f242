"""Trajectories are interpolated as by joint_trajectory_controller."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.errors import PlaybackError
from dynid.excitation.ramp import Ramp
from dynid.excitation.sine import SineExcitation
from dynid.playback.trajectory import Trajectory, sample

JOINTS = ("shoulder", "elbow")
SINE = SineExcitation(
    start=np.array([0.3, -0.2]),
    target=np.array([-0.5, 0.9]),
    frequency=np.array([0.5, 0.8]),
    ramp=Ramp(0.5, 3.0),
)


def polynomial(degree: int) -> list[np.polynomial.Polynomial]:
    random = np.random.default_rng(degree)
    return [np.polynomial.Polynomial(random.standard_normal(degree + 1)) for _ in JOINTS]


def sampled(curves: list[np.polynomial.Polynomial], time: np.ndarray, order: int) -> np.ndarray:
    return np.stack([(c.deriv(order) if order else c)(time) for c in curves], axis=1)


@pytest.mark.parametrize(("degree", "orders"), [(1, 1), (3, 2), (5, 3)])
def test_a_polynomial_of_the_interpolations_degree_is_exact(degree, orders) -> None:
    curves = polynomial(degree)
    knots = np.array([0.0, 0.4, 0.5, 1.3])
    trajectory = Trajectory(JOINTS, knots, *(sampled(curves, knots, i) for i in range(orders)))
    time = np.linspace(0.001, 1.299, 50)
    for order, values in enumerate(trajectory.evaluate(time)):
        assert np.allclose(values, sampled(curves, time, order), atol=1e-9)


def test_one_instant_is_the_same_as_many() -> None:
    trajectory = sample(SINE, JOINTS, 20.0)
    time = np.linspace(-0.5, 3.5, 201)
    positions = [trajectory.curve.position(t) for t in time]
    states = [trajectory.curve.state(t) for t in time]
    assert np.allclose(positions, trajectory.evaluate(time).position, rtol=0, atol=1e-12)
    for order, many in enumerate(trajectory.evaluate(time)):
        assert np.allclose([state[order] for state in states], many, rtol=0, atol=1e-11)


def test_points_at_100_hz_describe_an_excitation_to_a_micrometre() -> None:
    trajectory = sample(SINE, JOINTS, 100.0)
    time = np.linspace(0.0, 3.0, 7001)
    # quintic interpolation errs by h^6 / 46080 times the sixth derivative
    assert np.allclose(
        trajectory.evaluate(time).position, SINE.evaluate(time).position, rtol=0, atol=1e-6
    )


def test_points_have_at_least_the_requested_rate_and_end_at_rest() -> None:
    trajectory = sample(SINE, JOINTS, 33.0)
    assert np.diff(trajectory.time).max() <= 1 / 33 + 1e-12
    assert trajectory.duration == SINE.duration
    assert trajectory.velocity is not None
    assert trajectory.acceleration is not None
    assert not trajectory.velocity[-1].any()
    assert not trajectory.acceleration[-1].any()


def test_is_at_rest_before_the_first_and_after_the_last_point() -> None:
    trajectory = Trajectory(JOINTS, np.array([0.5, 1.0]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    motion = trajectory.evaluate([0.0, 0.4, 1.0, 9.0])
    assert np.array_equal(motion.position, [[1, 2], [1, 2], [3, 4], [3, 4]])
    assert not motion.velocity.any()
    assert not motion.acceleration.any()


ONE = np.zeros((2, 2))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (((), np.array([0.0]), np.zeros((1, 0))), "the trajectory has no joint names"),
        ((JOINTS, np.array([]), np.zeros((0, 2))), "the trajectory has no points"),
        ((JOINTS, np.array([0.0, 1.0]), np.zeros((2, 3))), r"shape \(2, 3\), expected \(2, 2\)"),
        ((JOINTS, np.array([0.0, 1.0]), ONE, None, ONE), "accelerations but no velocities"),
        ((JOINTS, np.array([-0.1, 1.0]), ONE), "first point is at -0.1 s"),
        ((JOINTS, np.array([1.0, 1.0]), ONE), "point 2 is at 1 s, not after point 1 at 1 s"),
        (
            (JOINTS, np.array([0.0, 1.0]), np.array([[0, 0], [0, np.nan]])),
            "joint 'elbow': the trajectory's position at 1 s is nan",
        ),
        (
            (JOINTS, np.array([0.0, 1.0]), ONE, np.array([[np.inf, 0], [0, 0]])),
            "joint 'shoulder': the trajectory's velocity at 0 s is inf",
        ),
    ],
)
def test_refuses_invalid_trajectories(arguments, sentence) -> None:
    with pytest.raises(PlaybackError, match=sentence):
        Trajectory(*arguments)
