"""Recursive least squares over a recording."""

from __future__ import annotations

import numpy as np
import pytest
from support.fitted_case import arm

from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import EstimationError
from dynid.estimation.fitting import build_problem
from dynid.estimation.least_squares import WeightedLeastSquares
from dynid.estimation.recursive import RecursiveLeastSquares
from dynid.estimation.regression import Problem
from dynid.estimation.square_root import Forgetting
from dynid.identification.settings import IdentificationSettings
from dynid.signals.preprocess import preprocess


def posed(still: bool = False) -> tuple[Problem, np.ndarray, np.ndarray]:
    """A problem of the simulated arm, its start, and its true base parameters."""
    robot, parameters, recording = arm()
    mechanism = robot.mechanism()
    signals = preprocess(recording, robot)
    if still:
        signals.moving[:] = False
    base = base_parameterization(mechanism)
    problem = build_problem(mechanism, base, [signals], robot.settings(IdentificationSettings))
    return problem, mechanism.urdf_parameters, base.project(parameters)


def test_the_vector_form_agrees_with_weighted_least_squares() -> None:
    problem, start, _ = posed()
    expected = WeightedLeastSquares().fit(problem, start)
    found = RecursiveLeastSquares().fit(problem, start)
    standard_deviations = np.sqrt(np.diag(expected.covariance))
    np.testing.assert_allclose(
        found.base / standard_deviations, expected.base / standard_deviations, atol=1e-4, rtol=1e-9
    )
    np.testing.assert_allclose(found.covariance, expected.covariance, rtol=1e-3)


def test_the_truth_is_within_the_standard_deviations_with_forgetting() -> None:
    problem, start, truth = posed()
    found = RecursiveLeastSquares(Forgetting(0.9, 0.05)).fit(problem, start)
    error = np.abs(found.base - truth) / np.sqrt(np.diag(found.covariance))
    assert np.sqrt(np.mean(error**2)) < 2.0


def test_refuses_a_recording_without_motion() -> None:
    problem, start, _ = posed(still=True)
    with pytest.raises(EstimationError, match="no motion"):
        RecursiveLeastSquares().fit(problem, start)
