"""What the estimators that fit a regression have in common: ML, TLS, and RLS joint by joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.fitted_case import arm
from support.synthetic import arm_robot, problem_of, recorded, true_parameters

from dynid.estimation.estimators import make_estimator


@pytest.mark.parametrize("estimator", ["ml", "tls"])
def test_exact_data_give_the_exact_parameters(estimator: str) -> None:
    robot = arm_robot(identification={"cutoff_hz": 20.0, "trim_rest": False})
    mechanism = robot.mechanism()
    problem = problem_of(robot, recorded(mechanism, true_parameters(mechanism), samples=8000))
    found = make_estimator(estimator).fit(problem, mechanism.urdf_parameters)
    truth = problem.base.project(true_parameters(mechanism))
    np.testing.assert_allclose(found.base, truth, atol=1e-2)  # differences at 200 Hz


@pytest.mark.parametrize("estimator", ["ml", "tls"])
def test_a_joint_at_rest_keeps_its_start_values(estimator: str) -> None:
    robot = arm_robot(identification={"cutoff_hz": 20.0, "trim_rest": False})
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.1)
    position = recording.position.copy()
    position[:, 2] = 0.3
    problem = problem_of(robot, replace(recording, position=position, velocity=None))
    found = make_estimator(estimator).fit(problem, mechanism.urdf_parameters)
    viscous = problem.base.names.index("Fv3")
    assert not found.determined[viscous]
    assert found.base[viscous] == 0.0
    assert np.isfinite(found.base).all()
    assert np.isfinite(found.covariance).all()


def test_the_truth_is_within_the_standard_deviations_of_the_recursion() -> None:
    robot, parameters, recording = arm()
    problem = problem_of(robot, recording)
    found = make_estimator("rls_joint").fit(problem, problem.mechanism.urdf_parameters)
    error = (found.base - problem.base.project(parameters)) / np.sqrt(np.diag(found.covariance))
    assert np.sqrt(np.mean(error**2)) < 2.0
