"""Relative errors of the parameters before they are made physically consistent."""

from __future__ import annotations

import numpy as np
import pytest
from support.fitted_case import arm, fitted_case

from dynid.evaluation.errors import compare, relative_errors, unconstrained_errors
from dynid.identification.settings import IdentificationSettings


@pytest.mark.parametrize("essential", [False, True])
def test_errors_before_consistency_are_those_of_the_unconstrained_parameters(
    essential: bool,
) -> None:
    robot, _, recording = arm()
    settings = robot.settings(IdentificationSettings).model_copy(update={"essential": essential})
    case = fitted_case(robot.with_settings(settings), recording)
    assert case.fit is not None
    model = case.mechanism.with_parameters(case.fit.unconstrained)
    expected = relative_errors(compare(model, case.signals, settings))
    np.testing.assert_allclose(unconstrained_errors(case.fit, settings), expected, rtol=1e-9)
