"""Standard parameters for a controller, from base parameters found while the robot works."""

import numpy as np
import pytest

from dynid.arrays import Array
from dynid.control.model_updates import UpdateLimits, plausible_deviations
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.identification.online.model_update import ModelUpdater
from dynid.identification.payload.fit import payload_columns
from dynid.profile import load_robot

ROBOT = load_robot("puma560")
FRICTION = 5.0
BODY = np.array([1.0, 0.02, -0.03, 0.1, 0.013, 6e-4, 0.0125, -2e-3, 3e-3, 3.5e-3])  # of 1 kg


def accepted() -> Mechanism:
    mechanism = ROBOT.mechanism()
    parameters = np.array(mechanism.urdf_parameters)
    parameters[mechanism.first_term :] = FRICTION
    return mechanism.with_parameters(parameters)


@pytest.fixture(scope="module")
def mechanism() -> Mechanism:
    return accepted()


@pytest.fixture(scope="module")
def deviations(mechanism: Mechanism) -> Array:
    return plausible_deviations(mechanism, UpdateLimits())


def base_of(mechanism: Mechanism, parameters: Array) -> Array:
    return base_parameterization(mechanism).project(parameters)


def test_unchanged_base_parameters_leave_the_model_as_it_is(
    mechanism: Mechanism, deviations: Array
) -> None:
    base = base_of(mechanism, mechanism.parameters)
    update = ModelUpdater(mechanism, deviations)(base, 1e-4 * np.eye(len(base)))
    assert np.allclose(update.parameters, mechanism.parameters, atol=1e-12)


def test_an_exact_estimate_with_a_payload_gives_its_base_parameters(
    mechanism: Mechanism, deviations: Array
) -> None:
    true = np.array(mechanism.parameters)
    true[payload_columns(mechanism)] += BODY
    true[mechanism.first_term :] *= 1.3
    base = base_of(mechanism, true)
    update = ModelUpdater(mechanism, deviations)(base, 1e-12 * np.eye(len(base)))
    assert np.allclose(base_of(mechanism, update.parameters), base, atol=1e-6)
    assert not mechanism.physical_problem(update.parameters)
    # links vary by 1 % only, so the payload's body has to explain the load
    mass = update.parameters[payload_columns(mechanism)][0]
    assert mass == pytest.approx(mechanism.parameters[payload_columns(mechanism)][0] + 1, abs=0.2)


def test_an_estimate_without_information_leaves_the_model_and_its_prior(
    mechanism: Mechanism, deviations: Array
) -> None:
    base = base_of(mechanism, 1.5 * mechanism.parameters)
    update = ModelUpdater(mechanism, deviations)(base, 1e12 * np.eye(len(base)))
    assert np.allclose(update.parameters, mechanism.parameters, atol=1e-6)
    assert np.allclose(np.sqrt(np.diag(update.covariance)), deviations, rtol=1e-6)


def test_a_payload_below_zero_is_made_physically_consistent(
    mechanism: Mechanism, deviations: Array
) -> None:
    true = np.array(mechanism.parameters)
    true[payload_columns(mechanism)] -= BODY
    base = base_of(mechanism, true)
    update = ModelUpdater(mechanism, deviations)(base, 1e-6 * np.eye(len(base)))
    assert mechanism.physical_problem(true)
    assert not mechanism.physical_problem(update.parameters)
