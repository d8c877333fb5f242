"""Normal equations against the stacked regressor: folds, samples at rest, filters."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.dynamics.base_parameters import base_parameterization
from dynid.estimation.fitted_samples import fitted_samples
from dynid.estimation.fitting import build_problem
from dynid.estimation.regression import Problem, make_rows, model_torque
from dynid.estimation.row_memory import RowMemory
from dynid.identification.settings import IdentificationSettings
from dynid.signals.filters import ParallelFilter
from dynid.signals.preprocess import preprocess

PASSES = ParallelFilter(None, 4, 1, 200.0)
FILTERS = {"cutoff_hz": 10.0, "decimation": 4}


def posed(*samples: int, parallel: dict[str, float] | None = None, folds: int = 4) -> Problem:
    robot = arm_robot(
        identification={
            "cutoff_hz": None,
            "trim_rest": False,
            "velocity_threshold": {"fraction": 0.2},
            "parallel_filter": parallel,
            "folds": folds,
        }
    )
    mechanism = robot.mechanism()
    signals = [
        preprocess(
            recorded(mechanism, true_parameters(mechanism), samples=count, noise=0.3, seed=seed),
            robot,
        )
        for seed, count in enumerate(samples)
    ]
    return build_problem(
        mechanism, base_parameterization(mechanism), signals, robot.settings(IdentificationSettings)
    )


def stacked_rows(problem: Problem, number: int) -> np.ndarray:
    """[W_j, tau_j] (m, n, k + 1) of a whole recording, filtered in one piece."""
    rows = problem.rows[number]
    signals, parallel = rows.signals, rows.parallel_filter
    motion = signals.motion
    regressor = problem.mechanism.regressor(*motion)[:, :, problem.base.independent]
    stacked = np.concatenate([regressor, signals.torque[:, :, None]], axis=2)
    return parallel.decimate(parallel.smooth(stacked))


@pytest.mark.parametrize("parallel", [None, FILTERS])
@pytest.mark.parametrize("at_rest", [False, True])
def test_equations_of_a_fold_are_those_of_its_rows(
    parallel: dict[str, float] | None, at_rest: bool
) -> None:
    problem = posed(1203, 801, parallel=parallel)
    random = np.random.default_rng(0)
    weights = [random.uniform(0.0, 2.0, rows.fitted.shape) for rows in problem.rows]
    found = problem.normal_equations(weights, at_rest=at_rest)
    for fold in range(4):
        gram, count = 0.0, 0.0
        for number, (rows, weight) in enumerate(zip(problem.rows, weights, strict=True)):
            here = rows.fold == fold
            kept = (weight if at_rest else weight * rows.fitted)[here]
            stacked = stacked_rows(problem, number)[here]
            gram = gram + np.einsum("mj,mji,mjk->jik", kept, stacked, stacked)
            count = count + kept.sum(axis=0)
        scale = np.abs(gram).max()
        np.testing.assert_allclose(found.only(fold).joint_gram, gram, atol=1e-6 * scale)
        np.testing.assert_allclose(found.only(fold).joint_rows, count)


def test_one_fold_and_all_others_add_up_to_the_whole() -> None:
    equations = posed(900).normal_equations()
    for fold in range(4):
        one, others = equations.only(fold), equations.without(fold)
        np.testing.assert_allclose(one.joint_gram + others.joint_gram, equations.joint_gram)
        np.testing.assert_allclose(one.joint_rows + others.joint_rows, equations.joint_rows)
        assert len(others.gram) == 3
    torque = posed(900).rows[0].torque * posed(900).rows[0].fitted
    np.testing.assert_allclose(equations.squared_torque, np.sum(torque**2, axis=0))


@pytest.mark.parametrize(("samples", "folds"), [(100, 4), (103, 4), (12, 5)])
def test_folds_are_consecutive_and_of_one_length(samples: int, folds: int) -> None:
    fold = posed(samples, folds=folds).rows[0].fold
    assert np.all(np.diff(fold) >= 0)
    lengths = np.bincount(fold, minlength=folds)
    assert len(lengths) == folds
    assert np.ptp(lengths) <= 1


def test_moving_rows_are_fitted_at_the_decimated_rate() -> None:
    signals = posed(1000).rows[0].signals
    parallel = ParallelFilter(10.0, 4, 4, 200.0)
    fold = np.arange(1000) // 250
    rows = make_rows(signals, parallel, fold=fold, fit_all=False)
    chosen = fitted_samples(signals, parallel, fit_all=False)
    np.testing.assert_array_equal(rows.fitted, chosen[::4])
    assert rows.torque.shape == (250, 3)
    np.testing.assert_array_equal(rows.fold, fold[::4])
    everything = make_rows(signals, PASSES, fold=fold, fit_all=True)
    np.testing.assert_array_equal(everything.fitted, 1.0)
    np.testing.assert_array_equal(everything.torque, signals.torque)


@pytest.mark.parametrize("parallel", [None, FILTERS])
def test_residuals_are_model_minus_measured_torque(parallel: dict[str, float] | None) -> None:
    problem = posed(1003, parallel=parallel)
    base = problem.base.project(true_parameters(problem.mechanism))
    (found,) = problem.residuals(base)
    stacked = stacked_rows(problem, 0)
    np.testing.assert_allclose(found, stacked[:, :, :-1] @ base - stacked[:, :, -1], atol=1e-5)


def test_blocks_have_the_span_of_their_rows() -> None:
    problem = posed(1003, parallel=FILTERS)
    whole, seen = stacked_rows(problem, 0), 0
    for block in problem.blocks(0):
        assert block.span.start == seen
        np.testing.assert_array_equal(problem.rows[0].fold[block.span], block.fold)
        expected = whole[block.span].transpose(1, 0, 2)
        np.testing.assert_allclose(block.stacked, expected, atol=1e-5)
        seen = block.span.stop
    assert seen == len(problem.rows[0].torque)


def test_regressors_are_cached_for_iterations_if_they_fit_in_memory() -> None:
    problem = posed(1003, parallel=FILTERS)
    numbers = problem.rows[0].torque.size * len(problem.base.independent)
    forgetful = replace(problem, memory=RowMemory(numbers - 1))
    assert forgetful.blocks(0) is not forgetful.blocks(0)
    remembering = replace(problem, memory=RowMemory(numbers))
    assert remembering.blocks(0) is remembering.blocks(0)


def test_model_torque_is_filtered() -> None:
    problem = posed(900)
    signals, truth = problem.rows[0].signals, true_parameters(problem.mechanism)
    motion = signals.motion
    torque, parallel = problem.mechanism.torque(*motion, truth), ParallelFilter(9.0, 4, 1, 200.0)
    found = model_torque(problem.mechanism, signals, parallel, truth)
    np.testing.assert_allclose(found, parallel.smooth(torque))


@pytest.mark.parametrize(
    ("parallel", "block"), [(None, 8192), (FILTERS, 8192), ({"cutoff_hz": 60.0}, 64)]
)
def test_friction_with_memory_continues_from_the_rows_before(
    monkeypatch: pytest.MonkeyPatch, parallel: dict[str, float] | None, block: int
) -> None:
    """Equations of the end of a recording use the state at the end of its beginning."""
    monkeypatch.setattr("dynid.estimation.regression._BLOCK", block)
    robot = arm_robot(
        terms=[{"kind": "viscous"}, {"kind": "presliding", "scale": 0.5}],
        identification={"cutoff_hz": None, "trim_rest": False, "parallel_filter": parallel},
    )
    mechanism, settings = robot.mechanism(), robot.settings(IdentificationSettings)
    whole = preprocess(recorded(mechanism, true_parameters(mechanism), samples=1200), robot)
    end = {
        name: getattr(whole, name)[600:]
        for name in ("time", "position", "velocity", "acceleration", "torque", "moving")
    }
    later = replace(
        whole, **end, earlier_position=whole.position[:600], earlier_velocity=whole.velocity[:600]
    )
    base = base_parameterization(mechanism)
    problem = build_problem(mechanism, base, [later], settings)
    found = problem.normal_equations().joint_gram
    motion = whole.position, whole.velocity, whole.acceleration
    regressor = mechanism.regressor(*motion, past=mechanism.new_past())[600:, :, base.independent]
    filters = problem.rows[0].parallel_filter
    stacked = np.concatenate([regressor, later.torque[:, :, None]], axis=2)
    stacked = filters.decimate(filters.smooth(stacked))
    fitted = problem.rows[0].fitted
    expected = np.einsum("mj,mji,mjk->jik", fitted, stacked, stacked)
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("parallel", [None, FILTERS])
@pytest.mark.parametrize("weighted", [False, True])
def test_equations_of_blocks_are_those_of_their_rows(
    parallel: dict[str, float] | None, weighted: bool
) -> None:
    problem = posed(1003, 807, parallel=parallel)
    weights = None
    if weighted:
        random = np.random.default_rng(0)
        weights = [random.random(rows.torque.shape) for rows in problem.rows]
    for number, rows in enumerate(problem.rows):
        chosen = None if weights is None else weights[number]
        found = problem.block_grams(number, chosen)
        stacked = stacked_rows(problem, number)
        root = np.sqrt(rows.fitted if chosen is None else rows.fitted * chosen)[:, :, None]
        bounds = np.arange(21) * len(stacked) // 20
        for block, (begin, end) in enumerate(pairwise(bounds)):
            part = (stacked * root)[begin:end]
            expected = np.einsum("mji,mjk->jik", part, part)
            np.testing.assert_allclose(found[block], expected, atol=1e-6 * np.abs(expected).max())


def test_residuals_are_kept_for_the_last_parameters_only() -> None:
    problem = posed(400)
    first = problem.base.project(problem.mechanism.urdf_parameters)
    (residual,) = problem.residuals(first)
    assert next(problem.residuals(first.copy())) is residual
    second = np.zeros_like(first)
    (other,) = problem.residuals(second)
    np.testing.assert_allclose(other, -problem.rows[0].torque, atol=1e-12)
    (again,) = problem.residuals(first)
    np.testing.assert_array_equal(again, residual)
    assert again is not residual


def test_folds_that_are_not_consecutive_sum_up_to_the_same_equations() -> None:
    problem = posed(900)
    rows = problem.rows[0]
    repeated = replace(problem, rows=(replace(rows, fold=np.arange(900) // 50 % 4),))
    found, known = repeated.normal_equations(), problem.normal_equations()
    np.testing.assert_allclose(found.joint_gram, known.joint_gram, rtol=1e-9, atol=1e-9)
    for fold in range(4):
        weight = rows.fitted * (repeated.rows[0].fold == fold)[:, None]
        (own,) = problem.span_grams(0, np.array([0, 900]), weight)
        np.testing.assert_allclose(found.gram[fold], own, rtol=1e-9, atol=1e-9)
