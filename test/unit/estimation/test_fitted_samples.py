"""Samples that are fitted: none that filters mix with a joint at rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.estimation.fitted_samples import fitted_samples, near_rest
from dynid.signals.filters import ParallelFilter
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals

RATE = 200.0
PARALLEL = ParallelFilter(10.0, 4, 1, RATE)  # 1/f is 20 samples
DIRECT = ParallelFilter(None, 4, 1, RATE)


def signals_of(speeds: np.ndarray, threshold: float = 0.1) -> Signals:
    """Signals whose three joints move with these speeds (N,)."""
    robot = arm_robot(
        identification={"cutoff_hz": None, "trim_rest": False, "velocity": "measured"}
    )
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), samples=len(speeds))
    velocity = np.repeat(speeds[:, None], 3, axis=1)
    return replace(
        preprocess(recording, robot),
        velocity=velocity,
        moving=np.abs(velocity) > threshold,
        velocity_threshold=np.full(3, threshold),
        sampling_rate=RATE,
    )


def triangle(samples: int, reversals: int) -> np.ndarray:
    phase = np.arange(samples) / samples * reversals
    return 1 - 2 * np.abs(phase % 2 - 1)


def test_samples_beside_a_reversal_are_left_out_as_far_as_the_filter_reaches() -> None:
    signals = signals_of(triangle(1000, 2))  # reverses at samples 250 and 750, slow for 50 samples
    chosen = fitted_samples(signals, PARALLEL, fit_all=False)[:, 0]
    slow = np.flatnonzero(~signals.moving[:, 0])
    expected = np.array([np.abs(slow - sample).min() > 20 for sample in range(1000)])
    np.testing.assert_array_equal(chosen, expected)


def test_without_filters_only_samples_at_rest_are_left_out() -> None:
    signals = signals_of(triangle(1000, 2))
    np.testing.assert_array_equal(fitted_samples(signals, DIRECT, fit_all=False), signals.moving)


def test_joints_fitted_at_rest_keep_all_samples() -> None:
    signals = signals_of(triangle(1000, 2))
    chosen = fitted_samples(signals, PARALLEL, fit_all=np.array([True, False, True]))
    assert chosen[:, [0, 2]].all()
    assert not chosen[:, 1].all()


def test_a_joint_that_reverses_often_keeps_half_of_its_samples_in_motion() -> None:
    signals = signals_of(triangle(1000, 24))  # every 42 samples
    chosen = fitted_samples(signals, PARALLEL, fit_all=False)
    assert 0.5 * signals.moving.sum() <= chosen.sum() < signals.moving.sum()


@pytest.mark.parametrize(("slowest", "near"), [(0.05, False), (-0.05, True)])
def test_slow_motion_in_one_direction_is_no_reversal(slowest: float, near: bool) -> None:
    speeds = np.concatenate([np.linspace(1, slowest, 300), np.linspace(slowest, 1, 300)])
    assert near_rest(signals_of(speeds), 0, 20)[300] == near


def test_a_reversal_between_two_fast_samples_counts() -> None:
    speeds = np.repeat([0.8, -0.8], 300)
    near = np.flatnonzero(near_rest(signals_of(speeds), 0, 20))
    np.testing.assert_array_equal(near, np.arange(279, 321))


def test_a_joint_that_turns_on_in_one_direction_is_never_near_rest() -> None:
    assert not near_rest(signals_of(np.full(600, 0.7)), 0, 20).any()


def test_interpolated_samples_are_not_fitted() -> None:
    missing = np.arange(1000) % 7 == 0
    signals = replace(signals_of(triangle(1000, 2)), missing=missing)
    for fit_all in (True, False):
        chosen = fitted_samples(signals, DIRECT, fit_all=fit_all)
        assert not chosen[missing].any()
        assert chosen[~missing].any()
