"""The step between recorded positions."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.recording.position_step import position_steps

STEP = 2 * np.pi / 2**19


@pytest.fixture(name="motion")
def made_motion() -> np.ndarray:
    time = np.arange(5000) / 100
    return np.sin(time) + 0.3 * np.sin(2.3 * time)


def step_of(position: np.ndarray) -> float:
    return float(position_steps(position[:, None])[0])


@pytest.mark.parametrize("step", [1e-6, STEP, 1e-3, 0.02])
def test_finds_the_count_of_an_encoder(motion: np.ndarray, step: float) -> None:
    assert step_of(step * np.round(motion / step)) == pytest.approx(step, rel=1e-3)


def test_finds_the_count_and_not_the_digits_of_a_file(motion: np.ndarray) -> None:
    counts = np.round(motion / STEP + 0.7 * np.random.default_rng(1).normal(size=len(motion)))
    assert step_of(np.round(counts * STEP, 6)) == pytest.approx(STEP, rel=0.01)


def test_finds_the_count_at_rest_of_a_robot_that_interpolates_in_motion(motion: np.ndarray) -> None:
    rest = STEP * np.round(0.9 * np.random.default_rng(1).normal(size=800))
    assert step_of(np.concatenate([rest, motion])) == pytest.approx(STEP, rel=1e-3)


def test_finds_the_step_of_a_joint_at_rest_that_moves_once() -> None:
    position = np.full(900, 0.3412)
    position[600:603] += 1e-4
    assert step_of(position) == pytest.approx(1e-4, rel=1e-6)


@pytest.mark.parametrize("noise", [0.0, 1e-6, 1e-3])
def test_a_position_without_steps_has_none(motion: np.ndarray, noise: float) -> None:
    assert step_of(motion + noise * np.random.default_rng(1).normal(size=len(motion))) == 0.0


@pytest.mark.parametrize("position", [np.zeros(0), np.zeros(3), np.full(500, 1.2), np.arange(4.0)])
def test_a_position_that_does_not_move_or_has_few_samples_has_no_step(position: np.ndarray) -> None:
    assert step_of(position) == 0.0
