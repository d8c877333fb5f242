"""Recursive least squares joint by joint."""

from __future__ import annotations

import numpy as np
from support.fitted_case import arm
from support.synthetic import problem_of

from dynid_plugins.laboratory.joint_recursion import RecursiveLeastSquaresPerJoint


def test_the_truth_is_within_the_standard_deviations() -> None:
    robot, parameters, recording = arm()
    problem = problem_of(robot, recording)
    found = RecursiveLeastSquaresPerJoint().fit(problem, problem.mechanism.urdf_parameters)
    error = (found.base - problem.base.project(parameters)) / np.sqrt(np.diag(found.covariance))
    assert np.sqrt(np.mean(error**2)) < 2.0
