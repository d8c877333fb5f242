"""Recursive least squares joint by joint."""

from __future__ import annotations

import numpy as np
from support.fitted_case import arm

from dynid.dynamics.base_parameters import base_parameterization
from dynid.estimation.fitting import build_problem
from dynid.identification.settings import IdentificationSettings
from dynid.signals.preprocess import preprocess
from dynid_plugins.laboratory.joint_recursion import RecursiveLeastSquaresPerJoint


def test_the_truth_is_within_the_standard_deviations() -> None:
    robot, parameters, recording = arm()
    mechanism = robot.mechanism()
    base = base_parameterization(mechanism)
    settings = robot.settings(IdentificationSettings)
    problem = build_problem(mechanism, base, [preprocess(recording, robot)], settings)
    found = RecursiveLeastSquaresPerJoint().fit(problem, mechanism.urdf_parameters)
    error = (found.base - base.project(parameters)) / np.sqrt(np.diag(found.covariance))
    assert np.sqrt(np.mean(error**2)) < 2.0
