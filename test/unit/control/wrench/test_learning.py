"""The uncertainty of the external torque, from free motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2
from support.synthetic import arm_robot, recorded, true_parameters

import dynid
from dynid.arrays import Array
from dynid.control.wrench.external_torque import ObservedTorque
from dynid.control.wrench.learning import identified_uncertainty, learned_uncertainty
from dynid.control.wrench.uncertainty import ExternalTorqueUncertainty
from dynid.profile import load_robot
from dynid.report.wrench import false_contacts
from dynid.robot.model import nominal_model

GAIN, RATE = 30.0, 100.0
CONSTANT, PER_SPEED = np.array([0.3, 0.1]), np.array([0.0, 0.5])
MIXED = 0.6


def free_motion(seed: int, *, seconds: float = 600.0, tail: bool = False) -> ObservedTorque:
    """Errors with known standard deviations and correlation, of a robot that always moves."""
    random = np.random.default_rng(seed)
    count = round(seconds * RATE)
    velocity = random.uniform(-2, 2, (count, 2))
    normal = random.multivariate_normal([0, 0], [[1, MIXED], [MIXED, 1]], count)
    if tail:
        normal *= np.where(random.random(count) < 0.1, 4.0, 0.5)[:, np.newaxis]
    torque = normal * np.sqrt(CONSTANT**2 + (PER_SPEED * velocity) ** 2)
    nothing = np.zeros((count, 2))
    time = np.arange(count) / RATE
    return ObservedTorque(time, nothing, velocity, torque, nothing, GAIN, RATE)


def learned(*observed: ObservedTorque, rate: float = 1.0) -> ExternalTorqueUncertainty:
    return learned_uncertainty(load_robot("scara_2r"), observed, false_alarms_per_hour=rate)


def normalised(observed: ObservedTorque, found: ExternalTorqueUncertainty) -> Array:
    covariance = observed.covariance(found)
    return np.asarray(observed.torque / np.sqrt(np.diagonal(covariance, axis1=1, axis2=2)))


def test_known_standard_deviations_and_correlation_are_found() -> None:
    found = learned(free_motion(0))
    # 4000 of the samples are fitted: relative errors of variances of sqrt(2 / 4000) = 2 %
    assert found.constant == pytest.approx(CONSTANT, rel=0.1)
    assert found.per_speed[0] < 0.05
    assert found.per_speed[1] == pytest.approx(PER_SPEED[1], rel=0.05)
    assert found.correlation[0, 1] == pytest.approx(MIXED, abs=0.03)
    assert found.origin == "free motion"
    assert found.observer_gain == GAIN


def test_two_standard_deviations_cover_95_percent_also_with_a_heavy_tail() -> None:
    found = learned(free_motion(0, tail=True))
    inside = np.abs(normalised(free_motion(1, tail=True), found)) < 2
    # of 60 000 samples each: a standard error of 0.1 %, and 0.4 % of the 4000 fitted ones
    assert (inside.mean(axis=0) > 0.94).all()


def test_the_threshold_is_that_of_normal_errors_or_of_the_largest_recorded_one() -> None:
    observed = free_motion(0)
    found = learned(observed)
    assert found.threshold >= observed.distance(found).max()
    normal = chi2.isf(1.0 / (3600 * GAIN / 2), 2)
    assert found.threshold >= normal
    rare = learned(observed, rate=1e-6)
    assert rare.threshold > found.threshold


def test_the_threshold_of_pieces_that_differ_holds_for_the_next_one() -> None:
    random = np.random.default_rng(5)

    def piece(seed: int) -> ObservedTorque:
        motion = free_motion(seed, seconds=5.0)
        return replace(motion, torque=motion.torque * np.exp(0.4 * random.standard_normal()))

    false = 0
    for seed in range(40):
        found = learned(*(piece(4 * seed + k) for k in range(3)))
        false += piece(4 * seed + 3).distance(found).max() > found.threshold
    assert false <= 4


def test_the_statement_says_what_the_duration_can_show() -> None:
    found = learned(free_motion(0, seconds=36.0), rate=0.1)
    assert "unknown" in false_contacts(replace(found, free_seconds=0.0))  # of an older file
    # no event in 0.01 h: at most -ln(0.05) / 0.01 h
    assert "36 s" in false_contacts(found)
    assert "at most 300 an hour" in false_contacts(found)


def test_samples_at_rest_do_not_count_as_errors_in_motion() -> None:
    observed = free_motion(0)
    at_rest = np.arange(len(observed.time)) % 2 == 0
    torque = np.where(at_rest[:, np.newaxis], 20.0, observed.torque)
    friction = np.where(at_rest[:, np.newaxis], 15.0, 0.0) * np.ones(2)
    resting = replace(observed, torque=torque, friction=friction)
    found = learned(resting)
    assert found.constant == pytest.approx(CONSTANT, rel=0.15)
    assert resting.covariance(found)[0, 0, 0] == pytest.approx(15.0**2 + CONSTANT[0] ** 2, rel=0.01)


def test_without_errors_the_joint_is_named() -> None:
    observed = free_motion(0, seconds=10.0)
    observed = replace(observed, torque=0.0 * observed.torque)
    with pytest.raises(dynid.ConfigurationError, match="has no external torque"):
        learned(observed)


def test_without_free_motion_it_is_the_error_of_the_identification() -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.05)
    model = dynid.identify(robot, recording).model
    found = identified_uncertainty(model, observer_gain=GAIN, false_alarms_per_hour=1.0)
    assert model.errors is not None
    rmse = np.array(model.errors.rmse_torque)
    assert (found.constant >= rmse).all()
    assert (found.constant < 1.5 * rmse).all()
    assert found.threshold == pytest.approx(chi2.isf(1.0 / (3600 * GAIN / 2), len(rmse)))
    with pytest.raises(dynid.ConfigurationError, match="was not identified"):
        identified_uncertainty(nominal_model(robot), observer_gain=GAIN, false_alarms_per_hour=1.0)
