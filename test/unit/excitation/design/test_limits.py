"""Slacks and barrier of an optimised excitation."""

from __future__ import annotations

import numpy as np
import pytest
from support.excitation_designs import small_design

from dynid.excitation.design.interior_point import Barrier
from dynid.excitation.design.series_space import MotionBounds, SeriesSpace
from dynid.robot.limits import JointLimits

LOW, HIGH = np.array([-1.0, -2.0]), np.array([2.0, 0.5])
SPEED, PUSH = np.array([1.5, 4.0]), np.array([6.0, 9.0])
FREE = np.full(2, np.inf)
SPACE = SeriesSpace(np.array([0.2, -0.5]), base_frequency=0.5, harmonics=5)


@pytest.mark.parametrize("seed", range(20))
def test_a_series_without_slack_keeps_its_bounds_between_the_samples(seed: int) -> None:
    bounds = MotionBounds(SPACE, JointLimits(LOW, HIGH, SPEED, PUSH, FREE), per_cycle=4)
    y = np.random.default_rng(seed).standard_normal((2, SPACE.dimension))
    y *= bounds.reach(bounds.slack(np.zeros_like(y)), y)
    assert bounds.slack(y).min() == pytest.approx(0.0, abs=1e-12)
    position, velocity, acceleration = SPACE.motion(SPACE.basis(20_000), y)
    assert np.all((position >= LOW) & (position <= HIGH))
    assert np.all(np.abs(velocity) <= SPEED)
    assert np.all(np.abs(acceleration) <= PUSH)


def test_the_barrier_is_nothing_far_from_limits_and_infinite_beyond_them() -> None:
    barrier = small_barrier()
    y = np.zeros((2, barrier.space.dimension))
    y[:, 0] = 1e-9
    assert barrier.value(y) < 1e-12
    y[:, 3] = 1e3
    assert barrier.smallest_slack(y) < 0
    assert barrier.value(y) == np.inf


def test_its_slope_is_that_of_finite_differences_with_torque_limits_at_work() -> None:
    barrier = small_barrier(torque_max=[35.0, 4.0])
    random = np.random.default_rng(2)
    y = random.standard_normal((2, barrier.space.dimension))
    while barrier.smallest_slack(y) < 0.1:
        y *= 0.8
    slack = barrier.state_limits[0].slack(barrier.space.motion(barrier.basis, y))
    assert np.any(slack < 1)
    way = random.standard_normal(y.shape)
    step = 1e-6
    expected = (barrier.value(y + step * way) - barrier.value(y - step * way)) / (2 * step)
    gradient, curvature = barrier.expansion(y)
    assert float((gradient * way).sum()) == pytest.approx(expected, rel=1e-5)
    assert np.linalg.eigvalsh(curvature).min() > -1e-9 * np.trace(curvature)


def test_its_expansion_is_the_same_in_pieces_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    barrier = small_barrier(torque_max=[35.0, 4.0])
    y = np.random.default_rng(2).standard_normal((2, barrier.space.dimension))
    while barrier.smallest_slack(y) < 0.1:
        y *= 0.8
    whole = barrier.expansion(y)
    monkeypatch.setattr("dynid.arrays._BYTES", 1)  # a piece for each slack
    for one, other in zip(barrier.expansion(y), whole, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12 * np.abs(other).max())


def small_barrier(**limits: list[float]) -> Barrier:
    design = small_design(**limits)
    return design.descent(np.zeros(len(design.bounds[0]))).barrier


def test_a_bound_that_is_not_there_does_not_bind() -> None:
    bounds = MotionBounds(SPACE, JointLimits(LOW, HIGH, FREE, FREE, FREE))
    y = np.zeros((2, SPACE.dimension))
    y[:, 1:] = 1e6 * np.random.default_rng(0).standard_normal((2, SPACE.dimension - 1))
    samples = bounds.slack(y).shape[2] // 3
    assert bounds.slack(y)[..., :samples].min() < 0
    assert np.all(bounds.slack(y)[..., samples:] == 1)
