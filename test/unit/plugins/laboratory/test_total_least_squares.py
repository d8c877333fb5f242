"""Total least squares with noise on measured positions, and so in the regressor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import arm_robot, problem_of, recorded, true_parameters

from dynid.errors import EstimationError
from dynid.estimation.least_squares import WeightedLeastSquares
from dynid.estimation.regression import Problem
from dynid.signals.filters import differentiate
from dynid_plugins.laboratory.total_least_squares import (
    TotalLeastSquares,
    motion_noise,
    total_least_squares,
)


def posed(
    seed: int, *, position_noise: float, torque_noise: float = 0.2, **identification: object
) -> Problem:
    settings = {"cutoff_hz": 20.0, "trim_rest": False} | identification
    robot = arm_robot(identification=settings)
    mechanism = robot.mechanism()
    recording = recorded(
        mechanism, true_parameters(mechanism), noise=torque_noise, samples=8000, seed=seed
    )
    noise = np.random.default_rng(50 + seed).normal(size=recording.position.shape)
    noisy = replace(recording, position=recording.position + position_noise * noise)
    return problem_of(robot, noisy)


def truth(problem: Problem) -> np.ndarray:
    return problem.base.project(true_parameters(problem.mechanism))


def plain(problem: Problem) -> np.ndarray:
    """The same error in every column and the torque, as in textbook TLS."""
    equations = problem.normal_equations()
    base = WeightedLeastSquares().fit(problem, problem.mechanism.urdf_parameters)
    gram = np.einsum("j,jik->ik", 1 / base.joint_variance, equations.joint_gram)
    start = problem.base.project(problem.mechanism.urdf_parameters)
    return total_least_squares(gram, np.eye(len(gram)), start)


def test_removes_the_bias_of_least_squares_with_noisy_positions() -> None:
    errors: dict[str, list[np.ndarray]] = {"wls": [], "tls": [], "plain": []}
    for seed in range(3):
        problem = posed(seed, position_noise=3e-4)
        near, true = problem.mechanism.urdf_parameters, truth(problem)
        size = np.abs(true) + 0.05
        errors["wls"].append((WeightedLeastSquares().fit(problem, near).base - true) / size)
        errors["tls"].append((TotalLeastSquares().fit(problem, near).base - true) / size)
        errors["plain"].append((plain(problem) - true) / size)
    wls, tls, alike = (np.sqrt(np.mean(np.square(found))) for found in errors.values())
    assert tls < 0.5 * wls
    assert alike > 2 * wls  # with wrong covariances TLS is worse than WLS


def test_the_truth_is_within_the_standard_deviations() -> None:
    scores = []
    for seed in range(5):
        problem = posed(10 + seed, position_noise=3e-4)
        estimate = TotalLeastSquares().fit(problem, problem.mechanism.urdf_parameters)
        scores.append((estimate.base - truth(problem)) / np.sqrt(np.diag(estimate.covariance)))
    assert 0.6 < float(np.sqrt(np.mean(np.square(scores)))) < 1.4


def test_agrees_with_weighted_least_squares_for_exact_positions() -> None:
    problem = posed(0, position_noise=0.0)
    near = problem.mechanism.urdf_parameters
    wls = WeightedLeastSquares().fit(problem, near)
    tls = TotalLeastSquares().fit(problem, near)
    standard_deviations = np.sqrt(np.diag(wls.covariance))
    assert np.all(np.abs(tls.base - wls.base) < 0.1 * standard_deviations)


def test_agrees_with_the_singular_value_decomposition() -> None:
    """The solution of Golub and Van Loan, with the same error in all columns."""
    random = np.random.default_rng(0)
    regressor = random.normal(size=(400, 4))
    torque = regressor @ [1.0, -2.0, 0.5, 3.0] + 0.1 * random.normal(size=400)
    stacked = np.column_stack([regressor + 0.1 * random.normal(size=regressor.shape), torque])
    direction = np.linalg.svd(stacked)[2][-1]
    found = total_least_squares(stacked.T @ stacked, np.eye(5), np.zeros(4))
    np.testing.assert_allclose(found, -direction[:-1] / direction[-1], rtol=1e-8)


def test_exact_columns_are_kept_exact() -> None:
    """Compare with least squares on them after TLS of the others (Golub, Hoffman, Stewart)."""
    random = np.random.default_rng(1)
    exact, noisy = np.ones((500, 1)), random.normal(size=(500, 2))
    torque = 2.0 + noisy @ [1.0, -1.0] + 0.2 * random.normal(size=500)
    seen = noisy + 0.2 * random.normal(size=noisy.shape)
    stacked = np.column_stack([exact, seen, torque])
    rest = stacked[:, 1:] - stacked[:, 1:].mean(axis=0)
    direction = np.linalg.svd(rest)[2][-1]
    slopes = -direction[:-1] / direction[-1]
    offset = (torque - seen @ slopes).mean()
    found = total_least_squares(stacked.T @ stacked, np.diag([0.0, 1.0, 1.0, 1.0]), np.zeros(3))
    np.testing.assert_allclose(found, [offset, *slopes], rtol=1e-8)


@pytest.mark.parametrize("smoothing", [{"cutoff_hz": 15.0}, {"derivatives": "kalman"}])
def test_position_noise_is_estimated_from_what_the_filter_removes(
    smoothing: dict[str, object],
) -> None:
    problem = posed(1, position_noise=2e-4, **smoothing)
    noise = motion_noise(problem.rows[0].signals)
    np.testing.assert_allclose(noise.standard_deviation, 2e-4, rtol=0.1)


def test_noise_is_filtered_and_differentiated_as_the_positions_were() -> None:
    problem = posed(1, position_noise=2e-4)
    signals = problem.rows[0].signals
    noise = motion_noise(signals)
    np.testing.assert_allclose(noise.velocity, differentiate(noise.position, 200.0))
    np.testing.assert_allclose(noise.acceleration, differentiate(noise.velocity, 200.0))
    # a low-pass at 20 Hz of 100 Hz passes about a fifth of the power of white noise
    left = noise.position.std(axis=0) / noise.standard_deviation
    np.testing.assert_allclose(left**2, 0.2, rtol=0.25)


def test_directions_with_noise_only_keep_their_start_values() -> None:
    random = np.random.default_rng(2)
    signal = random.standard_normal(2000)
    seen = np.column_stack([signal, np.zeros(2000)]) + 0.1 * random.standard_normal((2000, 2))
    torque = 3.0 * signal + 0.1 * random.standard_normal(2000)
    stacked = np.column_stack([seen, torque])
    gram = stacked.T @ stacked
    noise = 2000 * 0.01 * np.eye(3)
    found = total_least_squares(gram, noise, np.array([0.0, 5.0]))
    assert found[0] == pytest.approx(3.0, rel=0.01)
    assert found[1] == pytest.approx(5.0, abs=1.0)


def test_refuses_data_without_motion() -> None:
    with pytest.raises(EstimationError, match="no motion"):
        total_least_squares(np.zeros((3, 3)), np.eye(3), np.zeros(2))


@pytest.mark.parametrize(
    ("identification", "remedy"),
    [({"cutoff_hz": None}, "set cutoff_hz"), ({"velocity": "measured"}, "set velocity: diff")],
)
def test_refuses_data_that_do_not_show_the_noise(
    identification: dict[str, object], remedy: str
) -> None:
    problem = posed(0, position_noise=1e-4, **identification)
    with pytest.raises(EstimationError, match=remedy):
        TotalLeastSquares().fit(problem, problem.mechanism.urdf_parameters)
