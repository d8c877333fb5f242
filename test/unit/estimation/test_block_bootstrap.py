"""Intervals of base parameters by random weights of blocks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import EstimationError
from dynid.estimation.block_bootstrap import bootstrap, bootstrap_changes
from dynid.estimation.block_jackknife import jackknife_variance
from dynid.estimation.fitting import build_problem, fit
from dynid.identification.identify import identify
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess

GROUPS = 20


def blocks_of(seed: int, *, skewed: bool = False) -> np.ndarray:
    """Normal equations of a constant and a rare column, with errors of unequal size."""
    random = np.random.default_rng(seed)
    rows = np.column_stack([np.ones(2000), random.random(2000) < 0.1])
    errors = random.standard_exponential(2000) - 1 if skewed else random.standard_normal(2000)
    stacked = np.column_stack([rows, errors * np.where(rows[:, 1] > 0, 5.0, 1.0)])
    parts = stacked.reshape(GROUPS, -1, 3)
    return np.einsum("gmi,gmk->gik", parts, parts)


def recording_of(robot: Robot) -> Recording:
    mechanism = robot.mechanism()
    return recorded(mechanism, true_parameters(mechanism), samples=2000, noise=0.05)


def test_replicates_scatter_as_estimates_of_other_recordings_do() -> None:
    estimates, variances = [], []
    for seed in range(200):
        blocks = blocks_of(seed)
        total = blocks.sum(axis=0)
        estimates.append(np.linalg.solve(total[:2, :2], total[:2, 2]))
        variances.append(np.var(bootstrap_changes(blocks, 200), axis=0))
    scatter = np.mean(np.square(estimates), axis=0)
    np.testing.assert_allclose(np.mean(variances, axis=0), scatter, rtol=0.3)


def test_intervals_contain_the_truth_as_often_as_they_state() -> None:
    hits = []
    for seed in range(200):
        blocks = blocks_of(seed, skewed=True)
        total = blocks.sum(axis=0)
        replicates = np.linalg.solve(total[:2, :2], total[:2, 2]) + bootstrap_changes(blocks, 400)
        low, high = np.quantile(replicates, [0.025, 0.975], axis=0)
        hits.append((low <= 0) & (high >= 0))
    assert np.all(np.abs(np.mean(hits, axis=0) - 0.95) < 0.06)


def test_it_agrees_with_the_jackknife_and_is_repeatable() -> None:
    blocks = blocks_of(3)
    changes = bootstrap_changes(blocks, 5000)
    np.testing.assert_allclose(np.var(changes, axis=0), jackknife_variance(blocks), rtol=0.2)
    np.testing.assert_array_equal(bootstrap_changes(blocks, 50), bootstrap_changes(blocks, 50))


def test_what_one_block_determines_alone_has_no_interval() -> None:
    blocks = blocks_of(0)
    blocks[1:, 1, :] = blocks[1:, :, 1] = 0.0
    changes = bootstrap_changes(blocks, 100)
    assert np.isnan(changes[:, 1]).all()
    assert np.isfinite(changes[:, 0]).all()


def test_an_identification_has_intervals_if_asked_for() -> None:
    robot = arm_robot()
    found = identify(robot, recording_of(robot), bootstrap=100)
    determined = [one for one in found.base_parameters if one.determined]
    intervals = [one.interval for one in determined if one.interval is not None]
    assert len(intervals) > len(determined) // 2
    assert all(low < high for low, high in intervals)
    assert any("100 replicates" in note for note in found.notes)
    plain = identify(robot, recording_of(robot))
    assert all(one.interval is None for one in plain.base_parameters)


def test_other_estimators_are_refused_by_name() -> None:
    robot = arm_robot()
    settings = robot.settings(IdentificationSettings)
    mechanism = robot.mechanism()
    problem = build_problem(
        mechanism,
        base_parameterization(mechanism),
        [preprocess(recording_of(robot), robot)],
        settings,
    )
    other = replace(fit(problem, settings).estimate, joint_weight=None)
    with pytest.raises(EstimationError, match="ols, wls and irls"):
        bootstrap(problem, other, 100)
