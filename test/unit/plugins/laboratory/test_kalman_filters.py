"""Kalman filters of motion and parameters: convergence and calibrated uncertainties."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.representatives import representatives
from support.synthetic import arm_robot, problem_of, recorded, true_parameters

from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.estimation.estimate import Estimator
from dynid.estimation.regression import Problem
from dynid_plugins.laboratory.kalman.discrete_model import DiscreteModel
from dynid_plugins.laboratory.kalman.ekf import ExtendedKalmanFilter, LinearisedFilter
from dynid_plugins.laboratory.kalman.srukf import SquareRootUnscentedKalmanFilter, UnscentedFilter
from dynid_plugins.laboratory.kalman.state_filter import MakeFilter, Prior, filtered, first_fold

FILTERS = [LinearisedFilter, UnscentedFilter]
ESTIMATORS = [ExtendedKalmanFilter, SquareRootUnscentedKalmanFilter]
ROTORS = (0.5, 0.3, 0.1)  # [kg m^2] behind the gears
TORQUE_NOISE = np.array([0.3, 0.1, 0.01])  # [N m]


def standard(mechanism: Mechanism) -> np.ndarray:
    parameters = true_parameters(mechanism)
    for joint, value in enumerate(ROTORS, start=1):
        parameters[mechanism.parameter_names.index(f"Ia{joint}")] = value
    return parameters


def posed(seed: int = 0, *, samples: int = 7000, joint_at_rest: bool = False) -> Problem:
    robot = arm_robot(
        identification={"cutoff_hz": 15.0, "trim_rest": False, "parallel_filter": None},
        terms=[{"kind": kind} for kind in ("viscous", "coulomb", "offset", "rotor_inertia")],
    )
    mechanism = robot.mechanism()
    recording = recorded(mechanism, standard(mechanism), samples=samples, rate=500.0, seed=seed)
    random = np.random.default_rng(seed + 9)
    effort = recording.effort + TORQUE_NOISE * random.normal(size=recording.effort.shape)
    position = recording.position + 1e-4 * random.normal(size=recording.position.shape)
    if joint_at_rest:
        position[:, 2] = 0.3
    noisy = replace(recording, position=position, effort=effort, velocity=None)
    return problem_of(robot, noisy)


def truth(problem: Problem) -> np.ndarray:
    return problem.base.project(standard(problem.mechanism))


def begun_off(problem: Problem, share: float) -> Prior:
    """Every parameter off by this share of its size, up or down."""
    true = truth(problem)
    size = share * (np.abs(true) + 0.01)
    sign = np.random.default_rng(1).choice([-1.0, 1.0], len(true))
    rate = problem.rows[0].signals.sampling_rate
    return Prior(true + sign * size, np.diag(size**2), TORQUE_NOISE**2 / rate)


def torque_error(problem: Problem, base: np.ndarray) -> float:
    """Relative error of the noiseless torque."""
    gram = problem.normal_equations().joint_gram[:, :-1, :-1].sum(axis=0)
    true = truth(problem)
    return float(np.sqrt((base - true) @ gram @ (base - true) / (true @ gram @ true)))


@pytest.mark.parametrize("make", FILTERS)
@pytest.mark.parametrize("share", representatives([0.5, 0.2], 1))
def test_converges_to_the_truth_from_a_distant_start(make: MakeFilter, share: float) -> None:
    problem = posed()
    prior = begun_off(problem, share)
    assert torque_error(problem, prior.mean) > 0.5 * share
    run = filtered(problem, prior, make)
    assert torque_error(problem, run.parameters) < 0.01


@pytest.mark.thorough
def test_both_filters_agree() -> None:
    """Only one of them uses derivatives of the model, so a wrong derivative would show."""
    problem = posed()
    runs = [filtered(problem, begun_off(problem, 0.05), make) for make in FILTERS]
    standard_deviations = np.sqrt(np.diag(runs[0].covariance))
    assert np.all(np.abs(runs[0].parameters - runs[1].parameters) < 0.5 * standard_deviations)
    np.testing.assert_allclose(np.sqrt(np.diag(runs[1].covariance)), standard_deviations, rtol=0.1)


@pytest.mark.thorough
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_truth_is_within_the_standard_deviations(estimator: type[Estimator]) -> None:
    scores = []
    for seed in range(3):
        problem = posed(seed, samples=4000)
        estimate = estimator().fit(problem, problem.mechanism.urdf_parameters)
        scores.append((estimate.base - truth(problem)) / np.sqrt(np.diag(estimate.covariance)))
    assert 0.4 < float(np.sqrt(np.mean(np.square(scores)))) < 1.5


def test_data_after_the_first_fold_reduce_the_torque_error() -> None:
    problem = posed()
    prior = first_fold(problem, problem.mechanism.urdf_parameters)
    run = filtered(problem, prior, LinearisedFilter)
    assert torque_error(problem, run.parameters) < 0.7 * torque_error(problem, prior.mean)
    assert 0.3 < run.innovation_ratio < 3.0


def test_the_model_moves_as_the_mechanism_does() -> None:
    problem = posed()
    model, true = DiscreteModel.of(problem), truth(problem)
    q, dq, tau = np.array([0.3, -0.4, 0.8]), np.array([0.5, -1.0, 0.7]), np.array([20.0, 9.0, 1.0])
    parts = model.dynamics(q[None], dq[None])[0] @ true[model.inertial]
    whole = problem.mechanism.with_parameters(standard(problem.mechanism))
    regressor = whole.regressor(q, dq, np.zeros(3))[:, problem.base.independent]
    friction = regressor[:, model.recorded] @ true[model.recorded]
    ddq = np.linalg.solve(parts[1:].T, tau - parts[0] - friction)
    np.testing.assert_allclose(ddq, whole.forward_dynamics(q, dq, tau), rtol=1e-9)


def test_derivatives_of_the_model_are_those_of_its_torque() -> None:
    problem = posed(samples=1000)
    model, true = DiscreteModel.of(problem), truth(problem)
    state = np.array([0.3, -0.4, 0.8, 0.5, -1.0, 0.7])
    ddq = np.array([2.0, -3.0, 5.0])

    def torque(at: np.ndarray) -> np.ndarray:
        parts = model.dynamics(at[None, :3], at[None, 3:])[0] @ true[model.inertial]
        return parts[0] + ddq @ parts[1:]

    way = 1e-3 * np.eye(6)
    expected = [(torque(state + one) - torque(state - one)) / 2e-3 for one in way]
    found = np.hstack(model.slopes(state[:3], state[3:], ddq, true))
    np.testing.assert_allclose(found, np.transpose(expected), atol=1e-4)


def test_inputs_are_means_over_steps_after_the_first_fold() -> None:
    problem = posed(samples=4000)
    (rows,) = problem.rows
    inputs = DiscreteModel.of(problem).inputs(rows)
    signals, first = rows.signals, int(np.argmax(rows.fold > 0))
    assert inputs.step == pytest.approx(0.01)  # 5 samples at 500 Hz
    np.testing.assert_array_equal(inputs.measured, signals.raw_position[first::5])
    np.testing.assert_array_equal(inputs.velocity, signals.velocity[first])
    for step in (0, 7, len(inputs.torque) - 1):
        here = signals.raw_torque[first + 5 * step : first + 5 * step + 6]
        np.testing.assert_allclose(inputs.torque[step], ((here[:-1] + here[1:]) / 2).mean(axis=0))
    # static friction of joints at rest is unknown
    at_rest = np.array(
        [
            rows.fitted[first + 5 * s : first + 5 * s + 6].min(axis=0) < 1
            for s in range(len(inputs.torque))
        ]
    )
    np.testing.assert_array_equal(inputs.unknown > 0, at_rest)
    assert at_rest.any()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_parameters_that_a_joint_at_rest_does_not_excite_keep_their_values(
    estimator: type[Estimator],
) -> None:
    problem = posed(samples=4000, joint_at_rest=True)
    estimate = estimator().fit(problem, problem.mechanism.urdf_parameters)
    viscous = problem.base.names.index("Fv3")
    assert not estimate.determined[viscous]
    assert estimate.base[viscous] == pytest.approx(0.0, abs=1e-9)
    assert np.isfinite(estimate.covariance).all()


@pytest.mark.parametrize("make", FILTERS)
def test_reports_a_diverging_filter_and_the_filter_of_torque_in_the_profile(
    make: MakeFilter,
) -> None:
    problem = posed(samples=3000)
    prior = begun_off(problem, 0.01)
    wrong = prior._replace(mean=-prior.mean)
    with pytest.raises(EstimationError, match=r"diverged by step (?!.*parallel_filter)"):
        filtered(problem, wrong, make)
    slow = replace(problem.rows[0].parallel_filter, cutoff_hz=2.0)
    rows = tuple(replace(one, parallel_filter=slow) for one in problem.rows)
    with pytest.raises(EstimationError, match=r"parallel_filter \(cutoff_hz: 2\)"):
        filtered(replace(problem, rows=rows), wrong, make)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_refuses_a_short_recording(estimator: type[Estimator]) -> None:
    problem = posed(samples=200)
    with pytest.raises(EstimationError, match="at least 50 steps"):
        estimator().fit(problem, problem.mechanism.urdf_parameters)
