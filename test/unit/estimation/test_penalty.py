"""Physically consistent parameters by penalty, held against those of the semidefinite program."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import EstimationError
from dynid.estimation.fitting import Fit, build_problem, fit
from dynid.identification.settings import IdentificationSettings
from dynid.signals.preprocess import preprocess

JOINTS = {"joints": ["shoulder", "elbow"]}  # the wrist is locked: fewer bodies, quicker


@cache
def identified(method: str, noise: float = 5.0, **physical: object) -> Fit:
    """Fit a recording so noisy that plain least squares gives bodies that cannot exist."""
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


def test_bodies_found_by_penalty_can_exist_and_fit_as_well_as_the_cones_allow() -> None:
    penalty, cones = identified("penalty"), identified("semidefinite")
    assert penalty.consistent
    assert misfit(penalty) == pytest.approx(misfit(cones), rel=1e-2)
    least_squares = penalty.problem.base.project(penalty.unconstrained)
    assert not np.allclose(penalty.problem.base.project(penalty.standard), least_squares)


def test_good_data_keep_their_least_squares_model() -> None:
    fitted = identified("penalty", noise=0.05)
    found = fitted.problem.base.project(fitted.standard)
    deviation = np.sqrt(np.diag(fitted.estimate.covariance))
    assert np.all(np.abs(found - fitted.estimate.base) < deviation)


def test_total_mass_keeps_its_range() -> None:
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
