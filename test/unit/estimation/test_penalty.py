"""Physically consistent parameters by penalty, compared with the semidefinite program."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from support.synthetic import ARM_URDF, arm_robot, recorded, true_parameters

from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import EstimationError
from dynid.estimation.fitting import Fit, build_problem, fit
from dynid.estimation.penalty import _task
from dynid.estimation.settings import PhysicalSettings
from dynid.identification.settings import IdentificationSettings
from dynid.signals.preprocess import preprocess
from dynid_plugins.laboratory.retrieval import Retrieval, retrieve

TWISTED = ARM_URDF.replace(
    'ixx="0.003" iyy="0.003" izz="0.002" ixy="0.0001" ixz="0" iyz="0"',
    'ixx="0.03" iyy="0.04" izz="0.03" ixy="-0.008" ixz="0.006" iyz="-0.007"',
)
EMPTY_HAND = re.sub(
    r'<link name="hand">.*?</link>', '<link name="hand"/>', ARM_URDF, flags=re.DOTALL
)
JOINTS = {"joints": ["shoulder", "elbow"]}  # the wrist is locked: fewer bodies, quicker


@cache
def identified(method: str, noise: float = 5.0, **physical: object) -> Fit:
    """Fit a recording so noisy that least squares gives physically inconsistent bodies."""
    content = {"cutoff_hz": None, "trim_rest": False, "velocity": "measured"}
    bounds = {name: value for name, value in physical.items() if value is not None}
    robot = arm_robot(**JOINTS, identification=content | {"physical": {"method": method} | bounds})
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), samples=400, noise=noise)
    problem = build_problem(
        mechanism,
        base_parameterization(mechanism),
        [preprocess(recording, robot)],
        robot.settings(IdentificationSettings),
    )
    return fit(problem, robot.settings(IdentificationSettings))


def misfit(fitted: Fit) -> float:
    """Return the weighted squared torque error of the parameters that run."""
    base = fitted.problem.base.project(fitted.standard)
    estimate = fitted.estimate
    return float(np.sum(estimate.equations.squared_error(base) / estimate.joint_variance))


def test_bodies_found_by_penalty_are_consistent_and_as_accurate_as_by_cones() -> None:
    penalty, cones = identified("penalty"), identified("semidefinite")
    assert penalty.consistent
    assert misfit(penalty) == pytest.approx(misfit(cones), rel=1e-2)
    least_squares = penalty.problem.base.project(penalty.unconstrained)
    assert not np.allclose(penalty.problem.base.project(penalty.standard), least_squares)


def test_good_data_keep_their_least_squares_model() -> None:
    fitted = identified("penalty", noise=0.05)
    found = fitted.problem.base.project(fitted.standard)
    standard_deviation = np.sqrt(np.diag(fitted.estimate.covariance))
    assert np.all(np.abs(found - fitted.estimate.base) < standard_deviation)


def retrieval(urdf: str) -> Retrieval:
    """Retrieve the arm, whose hand has large products of inertia, starting from a URDF."""
    true = arm_robot().with_urdf(TWISTED).mechanism()
    robot = arm_robot(identification={"physical": {"method": "penalty"}}).with_urdf(urdf)
    mechanism = robot.mechanism()
    base = base_parameterization(mechanism)
    values = base.project(true_parameters(true))
    given = dict(zip(base.names, values.tolist(), strict=True))
    settings = robot.settings(IdentificationSettings).physical
    return retrieve(mechanism, base, given, robot.limits, settings)


@pytest.mark.thorough
@pytest.mark.parametrize("urdf", [TWISTED, EMPTY_HAND], ids=["true", "empty"])
def test_a_consistent_robot_is_found_from_any_urdf(urdf: str) -> None:
    found = retrieval(urdf)
    assert found.consistent
    assert found.feasible
    np.testing.assert_allclose(found.found, found.given, atol=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_derivatives_of_the_cost_function_agree_with_differences(seed: int) -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    base = base_parameterization(mechanism)
    signals = [preprocess(recorded(mechanism, true_parameters(mechanism), samples=300), robot)]
    settings = robot.settings(IdentificationSettings)
    problem = build_problem(mechanism, base, signals, settings)
    physical = PhysicalSettings(total_mass=(20.0, 30.0), bounds={"Fv1": (5.0, 6.0)})
    task = _task(mechanism, base, fit(problem, settings).estimate, physical)
    random = np.random.default_rng(seed)
    point = task.random_point(random)
    assert np.count_nonzero(task.violation(point)) > 2
    for value, derivative in (
        (task.standard, task.by_point(point)),
        (task.violation, task.violation_by_point(point)),
    ):
        way = random.standard_normal(len(point)) * task.scale
        step = 1e-6
        differences = (value(point + step * way) - value(point - step * way)) / (2 * step)
        scale = np.abs(differences).max()
        np.testing.assert_allclose(derivative @ way, differences, atol=1e-5 * scale)


def test_total_mass_stays_in_its_range() -> None:
    fitted = identified("penalty", total_mass=(8.0, 9.0))
    mass = fitted.standard[: fitted.problem.mechanism.first_term : 10].sum()
    assert 8.0 - 1e-3 < mass < 9.0 + 1e-3


def test_contradicting_bounds_are_refused() -> None:
    robot = arm_robot(
        joints=["shoulder"],
        identification={
            "cutoff_hz": None,
            "trim_rest": False,
            "physical": {"method": "penalty", "total_mass": (1.0, 2.0), "bounds": {"M1": (5, 6)}},
        },
    )
    mechanism = robot.mechanism()
    signals = [preprocess(recorded(mechanism, true_parameters(mechanism), samples=200), robot)]
    problem = build_problem(
        mechanism, base_parameterization(mechanism), signals, robot.settings(IdentificationSettings)
    )
    with pytest.raises(EstimationError, match="contradict"):
        fit(problem, robot.settings(IdentificationSettings))
