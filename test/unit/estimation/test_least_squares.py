"""Least squares on normal equations: solution, undetermined directions, and robust weights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fitted_case import TURNTABLE_URDF
from support.synthetic import arm_robot, recorded, swinging, true_parameters

from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import EstimationError
from dynid.estimation.fitting import build_problem
from dynid.estimation.least_squares import (
    IterativelyReweightedLeastSquares,
    WeightedLeastSquares,
    estimate_at,
    solve,
)
from dynid.estimation.regression import NormalEquations, Problem
from dynid.identification.settings import IdentificationSettings
from dynid.signals.preprocess import preprocess

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 6))
def test_agrees_with_numpy_for_columns_of_any_unit(seed: int, size: int) -> None:
    random = np.random.default_rng(seed)
    units = 10.0 ** random.uniform(-4, 4, size)
    columns = random.standard_normal((40, size)) * units
    torque, start = random.standard_normal(40), random.standard_normal(size)
    gram = columns.T @ columns
    found = solve(gram, gram, columns.T @ torque, start)
    expected = np.linalg.lstsq(columns / units, torque, rcond=None)[0] / units
    np.testing.assert_allclose(found.base * units, expected * units, atol=1e-6)
    np.testing.assert_allclose(found.inverse @ gram, np.eye(size), atol=1e-4 * units.max())
    assert found.determined.all()
    scaled = np.linalg.cond(columns / np.linalg.norm(columns, axis=0))
    assert found.condition_number == pytest.approx(scaled, rel=1e-6)


def test_directions_without_information_keep_the_start_value() -> None:
    """Only the sum is identifiable: the difference stays."""
    columns = np.random.default_rng(0).standard_normal((50, 1)) @ [[1.0, 1.0, 0.0]]
    gram = columns.T @ columns
    found = solve(gram, gram, columns.T @ columns @ [5.0, 5.0, 0.0], np.array([1.0, 3.0, 7.0]))
    np.testing.assert_allclose(found.base, [4.0, 6.0, 7.0])
    assert found.determined.tolist() == [False, False, False]
    np.testing.assert_allclose(found.inverse[2], 0.0)


def test_instruments_remove_the_bias_of_least_squares() -> None:
    """Zᵀ W β = Zᵀ τ, with instruments whose noise is independent."""
    random = np.random.default_rng(1)
    exact = random.standard_normal((100_000, 2)) * [1.0, 0.5]
    torque = exact @ [3.0, -2.0]
    seen, instrument = (exact + 0.5 * random.standard_normal(exact.shape) for _ in range(2))
    found = solve(
        instrument.T @ instrument, instrument.T @ seen, instrument.T @ torque, np.zeros(2)
    )
    np.testing.assert_allclose(found.base, [3.0, -2.0], atol=0.05)
    plain = solve(seen.T @ seen, seen.T @ seen, seen.T @ torque, np.zeros(2))
    np.testing.assert_allclose(plain.base, [2.4, -1.0], atol=0.05)  # biased towards 0 by the noise


def test_refuses_data_without_motion_and_uncorrelated_instruments() -> None:
    with pytest.raises(EstimationError, match="no motion"):
        solve(np.zeros((2, 2)), np.zeros((2, 2)), np.zeros(2), np.zeros(2))
    with pytest.raises(EstimationError, match="is not correlated"):
        solve(np.eye(2), np.zeros((2, 2)), np.zeros(2), np.zeros(2))


def posed(**changes: object) -> Problem:
    robot = arm_robot(
        joints=["shoulder"], identification={"cutoff_hz": None, "trim_rest": False} | changes
    )
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), samples=1500, noise=1.0)
    effort = recording.effort.copy()
    effort[::25] += 20.0
    signals = [preprocess(replace(recording, effort=effort), robot)]
    return build_problem(
        mechanism, base_parameterization(mechanism), signals, robot.settings(IdentificationSettings)
    )


def test_the_robust_estimate_solves_hubers_equations() -> None:
    """Errors clipped at 1.345 standard deviations are orthogonal to the regressor."""
    problem = posed()
    start = problem.mechanism.urdf_parameters
    robust = IterativelyReweightedLeastSquares().fit(problem, start)
    plain = WeightedLeastSquares().fit(problem, start)
    assert hubers_slope(problem, robust.base) < 0.02 * hubers_slope(problem, plain.base)


def test_robust_iterations_begin_where_the_last_ones_ended() -> None:
    problem = posed()
    start = problem.mechanism.urdf_parameters
    first = IterativelyReweightedLeastSquares().fit(problem, start)
    solutions = []

    class Counted(Problem):
        def normal_equations(self, *arguments: Any, **named: Any) -> NormalEquations:
            solutions.append(arguments)
            return super().normal_equations(*arguments, **named)

    def rounds(state: object) -> int:
        solutions.clear()
        counted = Counted(problem.mechanism, problem.base, problem.rows, problem.folds, state=state)
        again = IterativelyReweightedLeastSquares().fit(counted, start)
        deviation = np.sqrt(np.diag(first.covariance))
        assert np.all(np.abs(again.base - first.base) < 0.01 * deviation)
        return len(solutions)

    assert rounds(first.state) < rounds(None)


def turned(effort: np.ndarray, wild: np.ndarray) -> Problem:
    """Return a turntable with viscous friction whose slow rows are not fitted."""
    robot = arm_robot(
        joints=["turn"],
        terms=[{"kind": "viscous"}],
        identification={
            "cutoff_hz": None,
            "trim_rest": False,
            "velocity": "measured",
            "velocity_threshold": {"fraction": 0.5, "fit": "moving"},
        },
    ).with_urdf(TURNTABLE_URDF)
    mechanism = robot.mechanism()
    truth = np.append(mechanism.urdf_parameters[:-1], 0.5)
    recording = recorded(mechanism, truth, samples=1500, noise=0.05)
    problem_signals = preprocess(
        replace(recording, effort=recording.effort + effort * wild[:, None]), robot
    )
    return build_problem(
        mechanism,
        base_parameterization(mechanism),
        [problem_signals],
        robot.settings(IdentificationSettings),
    )


def hubers_slope(problem: Problem, base: np.ndarray) -> float:
    """Return the norm of the residual of Huber's equations at some parameters."""
    (rows,) = problem.rows
    counted = rows.fitted[:, 0] > 0
    motion = rows.signals.position, rows.signals.velocity, rows.signals.acceleration
    columns = problem.mechanism.regressor(*motion)[counted, 0][:, problem.base.independent]
    errors = columns @ base - rows.torque[counted, 0]
    bound = 1.345 * 1.4826 * np.median(np.abs(errors))
    return float(np.linalg.norm(columns.T @ np.clip(errors, -bound, bound)))


def test_robust_iteration_converges_with_outliers_of_one_sign() -> None:
    """The outliers make both parameters too large, so that every step decreases them."""
    _, velocity, acceleration = swinging(1500, 1, 200.0)
    both = (velocity[:, 0] > 0) & (acceleration[:, 0] > 0)
    problem = turned(np.array([2.0]), both & (np.arange(1500) % 3 == 0))
    start = problem.mechanism.urdf_parameters
    plain = WeightedLeastSquares().fit(problem, start).base
    robust = IterativelyReweightedLeastSquares().fit(problem, start).base
    assert np.all(robust < plain)
    assert hubers_slope(problem, robust) < 0.02 * hubers_slope(problem, plain)


def test_errors_at_rest_do_not_raise_the_threshold_of_outliers() -> None:
    _, velocity, _ = swinging(1500, 1, 200.0)
    slow = np.abs(velocity[:, 0]) < 0.45 * np.abs(velocity).max()
    assert slow.mean() > 0.5
    few = ~slow & (np.arange(1500) % 20 == 0)
    problem = turned(np.array([2.0]), slow | few)
    start = problem.mechanism.urdf_parameters
    plain = WeightedLeastSquares().fit(problem, start).base
    robust = IterativelyReweightedLeastSquares().fit(problem, start).base
    assert hubers_slope(problem, robust) < 0.02 * hubers_slope(problem, plain)


def test_plain_equations_of_a_robust_estimate_weight_all_rows_equally() -> None:
    problem = posed()
    start = problem.mechanism.urdf_parameters
    robust, plain = (
        one().fit(problem, start)
        for one in (IterativelyReweightedLeastSquares, WeightedLeastSquares)
    )
    np.testing.assert_array_equal(robust.plain_equations.gram, plain.equations.gram)
    assert robust.equations.joint_rows[0] < plain.equations.joint_rows[0]


def test_a_joint_without_fitted_rows_keeps_its_start_under_robust_weights() -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.1)
    still = recording.position * [1.0, 1.0, 0.0]
    signals = [preprocess(replace(recording, position=still, velocity=None), robot)]
    problem = build_problem(
        mechanism, base_parameterization(mechanism), signals, robot.settings(IdentificationSettings)
    )
    estimate = IterativelyReweightedLeastSquares().fit(problem, mechanism.urdf_parameters)
    viscous = problem.base.names.index("Fv3")
    assert not estimate.determined[viscous]
    assert np.isfinite(estimate.base).all()


def test_estimate_at_the_least_squares_solution_equals_least_squares() -> None:
    problem = posed()
    found = WeightedLeastSquares().fit(problem, problem.mechanism.urdf_parameters)
    at_solution = estimate_at(problem, found.base)
    np.testing.assert_array_equal(at_solution.base, found.base)
    np.testing.assert_allclose(at_solution.covariance, found.covariance, rtol=1e-9)
    np.testing.assert_allclose(at_solution.joint_variance, found.joint_variance)
    given = np.diag(np.arange(1.0, len(found.base) + 1))
    np.testing.assert_array_equal(estimate_at(problem, found.base, given).covariance, given)
    off = estimate_at(problem, found.base + 1.0)
    assert off.joint_variance[0] > 2 * found.joint_variance[0]
