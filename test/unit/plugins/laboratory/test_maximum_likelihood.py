"""Maximum likelihood with torque errors correlated in time and between joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import signal
from support.synthetic import arm_robot, problem_of, recorded, true_parameters

from dynid.errors import EstimationError
from dynid.estimation.least_squares import WeightedLeastSquares
from dynid.estimation.regression import Problem
from dynid_plugins.laboratory.maximum_likelihood import MaximumLikelihood, TorqueNoiseModel

SHARED = np.array([[1.0, 0.0, 0.0], [0.9, 0.4, 0.0], [0.0, 0.1, 0.2]])
POLES = (0.9, 0.0, 0.6)


def coloured(samples: int, seed: int) -> np.ndarray:
    """Noise (samples, 3): the first joint's is coloured, the second's correlated with it."""
    white = np.random.default_rng(seed).normal(size=(samples, 3)) @ SHARED.T
    columns = [
        signal.lfilter([1.0], [1.0, -pole], column)
        for pole, column in zip(POLES, white.T, strict=True)
    ]
    return np.stack(columns, axis=1)


def posed(seed: int, *, samples: int = 2000, **identification: object) -> Problem:
    settings = {"cutoff_hz": None, "trim_rest": False, "velocity": "measured"} | identification
    robot = arm_robot(identification=settings)
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), samples=samples, seed=seed)
    noisy = replace(recording, effort=recording.effort + coloured(samples, 100 + seed))
    return problem_of(robot, noisy)


@pytest.mark.thorough
def test_is_more_accurate_than_weighted_least_squares_and_calibrated() -> None:
    errors: dict[type, list[np.ndarray]] = {WeightedLeastSquares: [], MaximumLikelihood: []}
    scores = []
    for seed in range(10):
        problem = posed(seed)
        truth = problem.base.project(true_parameters(problem.mechanism))
        for estimator, found in errors.items():
            estimate = estimator().fit(problem, problem.mechanism.urdf_parameters)
            found.append(estimate.base - truth)
        scores.append((estimate.base - truth) / np.sqrt(np.diag(estimate.covariance)))
    wls, ml = (np.sqrt(np.mean(np.square(found), axis=0)) for found in errors.values())
    assert np.exp(np.mean(np.log(ml / wls))) < 0.6
    assert 0.8 < float(np.sqrt(np.mean(np.square(scores)))) < 1.25


def test_identifies_correlation_in_time_and_between_joints() -> None:
    errors = [coloured(6000, 1), coloured(4000, 2)]
    fitted = [np.ones_like(one) for one in errors]
    model = TorqueNoiseModel.fitted_to(errors, fitted, np.full(3, 1e-9))
    assert [len(one) - 1 for one in model.coefficients] == [1, 0, 1]
    found = [-one[1] if len(one) > 1 else 0.0 for one in model.coefficients]
    np.testing.assert_allclose(found, POLES, atol=0.03)
    np.testing.assert_allclose(model.covariance, SHARED @ SHARED.T, atol=0.05)


def test_a_pair_of_poles_is_identified_from_recordings_with_pauses() -> None:
    white = np.random.default_rng(4).standard_normal((20_000, 1))
    errors = signal.lfilter([1.0], [1.0, -1.2, 0.6], white, axis=0)
    counted = np.ones_like(errors)
    counted[4000:4400] = counted[9000:9100] = 0.0
    wild = errors + 1e3 * (1 - counted)  # ignored rows have no influence
    model = TorqueNoiseModel.fitted_to([wild], [counted], np.full(1, 1e-9))
    np.testing.assert_allclose(model.coefficients[0], [1.0, -1.2, 0.6], atol=0.05)
    assert model.memory == 2
    np.testing.assert_allclose(model.covariance, [[1.0]], rtol=0.05)
    np.testing.assert_allclose(model.innovations(errors)[2:], white[2:], atol=0.3)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_correlation_does_not_depend_on_the_unit_of_torque(unit: float) -> None:
    errors = coloured(3000, 7)
    plain, scaled = (
        TorqueNoiseModel.fitted_to([u * errors], [np.ones_like(errors)], np.full(3, 1e-9 * u**2))
        for u in (1.0, unit)
    )
    for one, other in zip(plain.coefficients, scaled.coefficients, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-6)
    np.testing.assert_allclose(scaled.covariance, unit**2 * plain.covariance, rtol=1e-6)


def test_noise_of_joints_that_never_move_together_is_uncorrelated() -> None:
    errors = coloured(2000, 5)
    counted = np.zeros_like(errors)
    counted[:1000, 0] = counted[1000:, 1:] = 1.0
    model = TorqueNoiseModel.fitted_to([errors], [counted], np.full(3, 0.25))
    covariance = SHARED @ SHARED.T
    np.testing.assert_allclose(np.diag(model.covariance), np.diag(covariance) + 0.25, rtol=0.2)
    assert np.count_nonzero(model.covariance - np.diag(np.diag(model.covariance))) == 0


def test_few_rows_give_a_white_noise_model() -> None:
    errors = np.ones((49, 1)) + 0.01 * coloured(49, 6)[:, :1]
    model = TorqueNoiseModel.fitted_to([errors], [np.ones_like(errors)], np.ones(1))
    assert model.coefficients[0].tolist() == [1.0]
    assert model.memory == 0


def test_blocks_and_pauses_give_the_equations_of_the_stacked_rows() -> None:
    """Compare with a dense covariance of all remaining errors, small enough to be inverted."""
    random = np.random.default_rng(3)
    model = TorqueNoiseModel(
        (np.array([1.0, -0.5]), np.array([1.0])), np.array([[1.0, 0.6], [0.6, 0.8]])
    )
    stacked = random.normal(size=(2, 12, 3))
    counted = np.ones((12, 2), dtype=bool)
    counted[5, 0] = False
    usable = model.usable(counted)
    assert usable[:, 0].tolist() == [False, *[True] * 4, False, False, *[True] * 5]
    whitened = model.whitened(stacked)
    expected = np.zeros((3, 3))
    for row in range(12):
        joints = np.flatnonzero(usable[row])
        inverse = np.linalg.inv(model.covariance[np.ix_(joints, joints)])
        expected += whitened[joints, row].T @ inverse @ whitened[joints, row]
    np.testing.assert_allclose(model.gram(whitened, usable), expected, rtol=1e-10)


@pytest.mark.parametrize("parallel", [None, {"cutoff_hz": 20.0, "decimation": 4}])
def test_processes_a_long_recording_in_blocks(
    monkeypatch: pytest.MonkeyPatch, parallel: dict[str, float] | None
) -> None:
    def estimate() -> np.ndarray:
        problem = posed(0, samples=5000, parallel_filter=parallel)
        return MaximumLikelihood().fit(problem, problem.mechanism.urdf_parameters).base

    whole = estimate()
    monkeypatch.setattr("dynid.estimation.regression._BLOCK", 512)
    monkeypatch.setattr("dynid.estimation.row_memory._KEPT_NUMBERS", 0)
    np.testing.assert_allclose(estimate(), whole, rtol=1e-4, atol=1e-5)


@pytest.mark.thorough
def test_blocks_may_be_shorter_than_the_autoregression(monkeypatch: pytest.MonkeyPatch) -> None:
    def estimate() -> np.ndarray:
        problem = posed(0, samples=900, velocity_threshold={"fit": "all"})
        return MaximumLikelihood().fit(problem, problem.mechanism.urdf_parameters).base

    whole = estimate()
    monkeypatch.setattr("dynid.estimation.regression._BLOCK", 1)
    np.testing.assert_allclose(estimate(), whole, rtol=1e-6, atol=1e-8)


def test_refuses_a_recording_of_a_few_samples() -> None:
    problem = posed(0, samples=12)
    rows = replace(problem.rows[0], fitted=np.zeros_like(problem.rows[0].fitted))
    rows.fitted[3] = 1.0
    with pytest.raises(EstimationError, match="record a longer motion"):
        MaximumLikelihood().fit(replace(problem, rows=(rows,)), problem.mechanism.urdf_parameters)
