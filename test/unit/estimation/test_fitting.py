"""The fit: cross-validation, load-dependent friction, essential and determined parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.dynamics.base_parameters import base_parameterization
from dynid.estimation.cross_validation import cross_validate
from dynid.estimation.estimate import Estimate
from dynid.estimation.fitting import (
    Fit,
    build_problem,
    essential_parameters,
    fit,
    fitted_at_rest,
)
from dynid.estimation.regression import NormalEquations
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import VelocityThreshold

PLAIN = [{"kind": "viscous"}, {"kind": "coulomb"}, {"kind": "offset"}]


def fitted(robot: Robot, *recordings: Recording) -> Fit:
    mechanism, settings = robot.mechanism(), robot.settings(IdentificationSettings)
    signals = [preprocess(recording, robot) for recording in recordings]
    problem = build_problem(mechanism, base_parameterization(mechanism), signals, settings)
    return fit(problem, settings)


def pendulum(**identification: object) -> tuple[Robot, Recording]:
    """One joint, whose rows need no weights."""
    settings = {
        "cutoff_hz": None,
        "trim_rest": False,
        "folds": 4,
        "velocity_threshold": {"fraction": 0.3},
    }
    robot = arm_robot(joints=["shoulder"], identification=settings | identification)
    mechanism = robot.mechanism()
    return robot, recorded(mechanism, true_parameters(mechanism), samples=600, noise=2.0)


# --- samples at rest ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threshold", "shoulder", "elbow"),
    [
        ({}, False, True),  # only the elbow's friction is smoothed
        ({"fit": "all"}, True, True),
        ({"fit": "moving"}, False, False),
        ({"absolute": 0.05}, False, False),
        ({"upper": 0.5}, False, False),
        ({"upper": 0.5, "fit": "all"}, True, True),
    ],
)
def test_rest_is_fitted_where_friction_is_smooth(
    threshold: dict[str, object], shoulder: bool, elbow: bool
) -> None:
    terms = [
        {"kind": "viscous"},
        {"kind": "coulomb", "joints": ["shoulder"]},
        {"kind": "coulomb", "joints": ["elbow"], "smoothing": 0.01},
    ]
    robot = arm_robot(
        joints=["shoulder", "elbow"], locked={"wrist": 0.0}, terms=terms, identification={}
    )
    found = fitted_at_rest(robot.mechanism(), VelocityThreshold.model_validate(threshold))
    assert found.tolist() == [shoulder, elbow]


def test_rest_of_a_joint_with_smooth_friction_only_is_fitted() -> None:
    recording = recorded(arm_robot().mechanism(), np.ones(39), samples=400)
    robot = arm_robot(
        terms=[{"kind": "viscous"}, {"kind": "coulomb", "joints": ["elbow"]}],
        identification={"velocity_threshold": {"fraction": 0.5}, "cutoff_hz": None},
    )
    (rows,) = fitted(robot, recording).problem.rows
    assert rows.fitted[:, [0, 2]].all()
    assert not rows.fitted[:, 1].all()


# --- cross-validation -------------------------------------------------------------------------


@pytest.mark.parametrize("rows", ["moving", "all"])
def test_held_out_errors_are_those_of_fits_without_the_block(rows: str) -> None:
    threshold = {"fraction": 0.3, "fit": rows}
    robot, recording = pendulum(velocity_threshold=threshold, physical={"enabled": False})
    result = fitted(robot, recording)
    found = cross_validate(result)
    (one,) = result.problem.rows
    motion = one.signals.position, one.signals.velocity, one.signals.acceleration
    columns = result.problem.mechanism.regressor(*motion)[:, 0, result.problem.base.independent]
    torque, counted = one.torque[:, 0], one.fitted[:, 0] > 0
    assert counted.all() == (rows == "all")
    squared = 0.0
    for fold in range(4):
        others, here = counted & (one.fold != fold), one.fold == fold
        base = np.linalg.lstsq(columns[others], torque[others], rcond=None)[0]
        squared += np.sum((columns[here] @ base - torque[here]) ** 2)  # at rest, too
    assert found.folds == 4
    assert found.rmse_torque == pytest.approx([np.sqrt(squared / len(torque))], rel=1e-6)
    assert found.relative_error == pytest.approx([np.sqrt(squared / (torque @ torque))], rel=1e-6)


def test_held_out_errors_are_larger_than_those_of_the_fit() -> None:
    robot, recording = pendulum()
    result = fitted(robot, recording)
    equations = result.problem.normal_equations(at_rest=True)
    error = np.sqrt(equations.squared_error(result.estimate.base) / equations.squared_torque)
    assert cross_validate(result).relative_error[0] > error[0]


def test_the_model_is_assumed_to_differ_equally_without_a_block() -> None:
    """Its difference d from least squares on the whole recording is added in each fold."""
    robot, recording = pendulum(velocity_threshold={"fit": "all"}, physical={"enabled": False})
    plain = fitted(robot, recording)
    (one,) = plain.problem.rows
    motion = one.signals.position, one.signals.velocity, one.signals.acceleration
    columns = plain.problem.mechanism.regressor(*motion)[:, 0, plain.problem.base.independent]
    moved = plain.problem.base.lift(plain.estimate.base + 0.5, plain.standard)
    squared = 0.0
    for fold in range(4):
        others, here = one.fold != fold, one.fold == fold
        base = np.linalg.lstsq(columns[others], one.torque[others, 0], rcond=None)[0] + 0.5
        squared += np.sum((columns[here] @ base - one.torque[here, 0]) ** 2)
    found = cross_validate(replace(plain, standard=moved))
    assert found.rmse_torque[0] == pytest.approx(np.sqrt(squared / 600), rel=1e-6)


def test_relative_error_of_a_joint_without_torque_is_infinite() -> None:
    robot, recording = pendulum()
    result = fitted(robot, replace(recording, effort=np.zeros_like(recording.effort)))
    wrong = result.problem.base.lift(result.estimate.base + 1.0, result.standard)
    assert cross_validate(replace(result, standard=wrong)).relative_error == (np.inf,)


# --- loads ------------------------------------------------------------------------------------


def test_friction_that_grows_with_the_load_is_found_with_the_load_itself() -> None:
    """The URDF's load is half of the true one, so that the fit must iterate."""
    terms = [*PLAIN, {"kind": "coulomb_load"}]
    robot = arm_robot(terms=terms, identification={"cutoff_hz": None, "trim_rest": False})
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    for joint, value in enumerate((0.2, 0.3, 0.1), start=1):
        truth[mechanism.parameter_names.index(f"Fl{joint}")] = value
    truth[: mechanism.first_term] *= 2.0
    result = fitted(robot, recorded(mechanism, truth, samples=4000))
    names = result.problem.base.names
    loads = [names.index(f"Fl{joint}") for joint in (1, 2)]
    np.testing.assert_allclose(result.estimate.base[loads], [0.2, 0.3], atol=0.02)
    found = result.problem.base.project(result.standard)
    np.testing.assert_allclose(found, result.problem.base.project(truth), atol=0.1)


# --- essential and determined parameters ---------------------------------------------------------


def estimate_of(values: list[float], standard_deviations: list[float]) -> Estimate:
    """Parameters of orthogonal columns with these standard deviations."""
    k = len(values)
    extended = np.zeros((k + 1, k + 1))
    information = 1 / np.square(standard_deviations)
    extended[range(k), range(k)] = information
    extended[:k, k] = extended[k, :k] = information * values
    # 10 000 rows of unexplained error with variance 1
    extended[k, k] = np.sum(information * np.square(values)) + 1e4
    equations = NormalEquations(extended[None, None], np.full((1, 1), 1e4))
    return Estimate(
        base=np.array(values),
        covariance=np.diag(np.square(standard_deviations)),
        determined=np.ones(k, dtype=bool),
        joint_variance=np.ones(1),
        correlation=np.ones(1),
        equations=equations,
        plain_equations=equations,
        condition_number=1.0,
    )


def test_parameters_with_more_than_thirty_percent_standard_deviation_are_eliminated() -> None:
    essential, values = essential_parameters(estimate_of([1.0, -2.0, 0.1], [0.2, 0.5, 0.05]))
    assert essential.tolist() == [True, True, False]
    np.testing.assert_allclose(values, [1.0, -2.0, 0.0])


def test_correlated_errors_increase_the_standard_deviations() -> None:
    white = estimate_of([1.0, -2.0, 0.1], [0.2, 0.5, 0.02])
    assert essential_parameters(white)[0].tolist() == [True, True, True]
    persistent = replace(white, correlation=np.array([4.0]))
    # twice the standard deviations: 40 %, 50 % and 40 % of the parameters
    assert essential_parameters(persistent)[0].sum() == 1


def test_an_uncertain_parameter_that_explains_more_than_a_percent_stays() -> None:
    # each explains (value / standard deviation)^2, the unexplained error is 10 000
    certain = estimate_of([30.0, 2.0], [1.0, 1.0])
    assert essential_parameters(certain)[0].tolist() == [True, False]
    poor = replace(certain, correlation=np.array([1e4]))
    # leaving out the first would cost 900 of 10 000; the second 4
    assert essential_parameters(poor)[0].tolist() == [True, False]
    costly = replace(estimate_of([11.0, 12.0], [1.0, 1.0]), correlation=np.array([1e4]))
    assert essential_parameters(costly)[0].tolist() == [True, True]


def test_all_eliminations_together_may_cost_one_percent() -> None:
    several = replace(estimate_of([9.0, 8.0, 7.0, 6.0], [1.0] * 4), correlation=np.array([1e4]))
    # 36 and 49 make 85 of 100 that are allowed; 64 more would be too many
    assert essential_parameters(several)[0].tolist() == [True, True, False, False]


def test_the_last_parameter_stays() -> None:
    assert essential_parameters(estimate_of([0.1], [1.0]))[0].tolist() == [True]


def test_undetermined_parameters_are_not_essential() -> None:
    estimate = replace(estimate_of([1.0, 2.0], [0.1, 0.1]), determined=np.array([False, True]))
    essential, values = essential_parameters(estimate)
    assert essential.tolist() == [False, True]
    assert values[0] == 0.0


@pytest.mark.parametrize("essential", [False, True])
def test_the_model_has_only_essential_parameters_if_set(essential: bool) -> None:
    terms = [*PLAIN, {"kind": "viscous_cubic"}]
    settings = {"cutoff_hz": None, "trim_rest": False, "physical": {"enabled": False}}
    robot = arm_robot(terms=terms, identification=settings | {"essential": essential})
    mechanism = robot.mechanism()
    result = fitted(robot, recorded(mechanism, true_parameters(mechanism), noise=1.0))
    assert not result.essential.all()
    base = result.problem.base.project(result.standard)
    left_out = ~result.essential
    if essential:
        np.testing.assert_allclose(base[left_out], 0.0, atol=1e-9)
    else:
        np.testing.assert_allclose(base, result.estimate.base, atol=1e-9)
    np.testing.assert_array_equal(result.standard, result.unconstrained)


def test_without_physical_bounds_only_base_parameters_are_determined() -> None:
    robot, recording = pendulum(physical={"enabled": False})
    result = fitted(robot, recording)
    expected = np.zeros(len(result.standard), dtype=bool)
    expected[result.problem.base.independent] = result.estimate.determined
    np.testing.assert_array_equal(result.determined, expected)
    assert expected.any()
    assert not expected.all()
