"""Condition numbers and predicted deviations against algebra done the long way, and by trials."""

from __future__ import annotations

import numpy as np
import pytest
from support.synthetic import arm_robot, swinging, true_parameters

from dynid.dynamics.base_parameters import base_parameterization
from dynid.excitation.motion import Motion
from dynid.excitation.prediction.precision import motion_precision, predicted_parameters

NOISE = np.array([2.0, 0.5, 0.1])
TRIALS = 200


@pytest.fixture(scope="module")
def mechanism():
    found = arm_robot().mechanism()
    return found.with_parameters(true_parameters(found))


@pytest.fixture(scope="module")
def base(mechanism):
    return base_parameterization(mechanism)


@pytest.fixture(scope="module")
def motion():
    return Motion(*swinging(600, 3, 50.0))


@pytest.fixture(scope="module")
def regressor(mechanism, base, motion):
    return mechanism.regressor(*motion)[:, :, base.independent]


def test_condition_numbers_are_those_of_the_stacked_regressor(mechanism, base, motion, regressor):
    precision = motion_precision(mechanism, base, motion, NOISE)
    stacked = regressor.reshape(-1, len(base.names))
    assert precision.condition_number == pytest.approx(np.linalg.cond(stacked), rel=1e-6)
    weighted = (regressor / NOISE[:, None]).reshape(stacked.shape)
    scaled = weighted / np.linalg.norm(weighted, axis=0)
    assert precision.scaled_condition_number == pytest.approx(np.linalg.cond(scaled), rel=1e-6)


def test_condition_numbers_without_joint_terms_are_those_of_the_bodies(mechanism, base, motion):
    precision = motion_precision(mechanism, base, motion, NOISE)
    bodies = arm_robot(terms=[]).mechanism()
    rigid = base_parameterization(bodies)
    regressor = bodies.regressor(*motion)[:, :, rigid.independent]
    stacked = regressor.reshape(-1, len(rigid.names))
    assert precision.rigid_condition_number == pytest.approx(np.linalg.cond(stacked), rel=1e-6)
    weighted = (regressor / NOISE[:, None]).reshape(stacked.shape)
    found = np.linalg.cond(weighted / np.linalg.norm(weighted, axis=0))
    assert precision.rigid_scaled_condition_number == pytest.approx(found, rel=1e-6)


def test_the_determinant_is_that_of_the_weighted_normal_matrix(mechanism, base, motion, regressor):
    precision = motion_precision(mechanism, base, motion, NOISE)
    weighted = (regressor / NOISE[:, None]).reshape(-1, len(base.names))
    _, natural = np.linalg.slogdet(weighted.T @ weighted)
    assert precision.log10_det == pytest.approx(natural / np.log(10), rel=1e-9)


@pytest.mark.parametrize("noise", [np.full(3, 0.3), NOISE], ids=["ordinary", "weighted"])
def test_deviations_are_the_scatter_of_least_squares_on_noise(
    mechanism, base, motion, regressor, noise
):
    precision = motion_precision(mechanism, base, motion, noise)
    errors = np.random.default_rng(1).standard_normal((regressor.shape[0] * 3, TRIALS))
    weighted = (regressor / noise[:, None]).reshape(-1, len(base.names))
    fitted = np.linalg.lstsq(weighted, errors, rcond=None)[0]
    ratio = fitted.std(axis=1) / np.sqrt(np.diag(precision.covariance))
    # a deviation from 200 trials is itself known to 1 / √400
    assert np.abs(ratio - 1).max() < 5 / np.sqrt(2 * TRIALS)


def test_parameters_of_a_joint_that_rests_are_not_determined(mechanism, base, motion):
    still = Motion(*(part * [1.0, 1.0, 0.0] for part in motion))
    precision = motion_precision(mechanism, base, still, NOISE)
    names = np.array(base.names)
    lost = set(names[~precision.determined])
    assert {"Fv3", "Fc3", "ZZ3"} <= lost
    assert {"Fv1", "Fc1", "Fv2", "Fc2"} <= set(names[precision.determined])
    assert precision.scaled_condition_number == np.inf
    assert precision.log10_det == -np.inf


def test_a_parameter_of_size_zero_has_a_deviation_but_no_relative_one(mechanism, base, motion):
    precision = motion_precision(mechanism, base, motion, NOISE)
    urdf = mechanism.urdf_parameters
    found = {one.name: one for one in predicted_parameters(base, precision, urdf, NOISE)}
    assert np.isnan(found["Fv1"].relative)
    assert found["Fv1"].standard_deviation > 0
    assert not found["Fv1"].poor
    true = {
        one.name: one for one in predicted_parameters(base, precision, mechanism.parameters, NOISE)
    }
    assert true["Fv1"].relative == pytest.approx(true["Fv1"].standard_deviation / 3.0)


def test_signal_is_the_torque_of_a_parameter_over_noise(mechanism, base, motion, regressor):
    precision = motion_precision(mechanism, base, motion, NOISE)
    found = predicted_parameters(base, precision, mechanism.parameters, NOISE)
    for number, one in enumerate(found):
        torque = regressor[:, :, number] * one.value
        assert one.signal == pytest.approx((np.sqrt(np.mean(torque**2, axis=0)) / NOISE).max())
