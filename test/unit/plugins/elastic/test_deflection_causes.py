"""Causes of a deflection besides the load: friction in the gear, errors of encoders, other ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.elastic_rod import Gear, recording

from dynid.recording.model import Recording
from dynid.robot.model import nominal_model
from dynid_plugins.elastic.deflection import FRICTION_SHARE, POSITION_ERRORS
from dynid_plugins.elastic.identification import deflection_errors, identify_elastic
from dynid_plugins.elastic.result import ElasticIdentification, ElasticJoint
from dynid_plugins.elastic.two_encoders import two_encoders

Added = Callable[[np.ndarray, np.ndarray], np.ndarray]
SEEDS = 40


def step(q: np.ndarray, _: np.ndarray) -> np.ndarray:
    """Error of a ring that is bent at one place."""
    return np.asarray(2e-4 * np.tanh((q + 0.4) / 0.1))


def bump(q: np.ndarray, _: np.ndarray) -> np.ndarray:
    """Error of a ring with a dent."""
    return np.asarray(3e-4 * np.exp(-(((q - 0.3) / 0.25) ** 2)))


def none(q: np.ndarray, _: np.ndarray) -> np.ndarray:
    return 0 * q


def pair(gear: Gear, added: Added = none, *, seed: int = 0, centre: float = 0.0) -> Recording:
    robot = gear.robot()
    made = recording(robot, gear, seed=seed, phase=1.0 + 0.37 * seed, centre=centre, added=added)
    return two_encoders(*made, robot)


def identified(gear: Gear, added: Added = none, *, seed: int = 0) -> ElasticIdentification:
    model = nominal_model(gear.robot())
    return identify_elastic(gear.robot(), [pair(gear, added, seed=seed)], model=model)


def joint_of(gear: Gear, added: Added = none, *, seed: int = 0) -> ElasticJoint:
    (joint,) = identified(gear, added, seed=seed).joints
    return joint


def has_error(joint: ElasticJoint) -> bool:
    return any(name in POSITION_ERRORS for name in joint.fit.columns.extras)


def test_friction_behind_the_elasticity_is_found_with_its_share() -> None:
    gear = Gear(friction=3.0, friction_share=0.4)
    joint = joint_of(gear)
    found = joint.friction_share
    assert found is not None
    assert abs(found.value - 0.4) < 3 * found.deviation < 0.03
    assert abs(joint.stiffness.value - gear.stiffness) < 3 * joint.stiffness.deviation
    assert not has_error(joint)


def test_friction_at_the_motor_alone_bends_nothing() -> None:
    joint = joint_of(Gear(friction=3.0))
    assert joint.fit.columns.extras == ()


@pytest.mark.parametrize("added", [step, bump])
def test_an_encoder_error_of_any_shape_is_no_stiffness(added: Added) -> None:
    gear = Gear()
    joint = joint_of(gear, added)
    assert has_error(joint)
    assert FRICTION_SHARE not in joint.fit.columns.extras
    assert joint.hardening is None
    assert abs(joint.stiffness.value - gear.stiffness) < 3 * joint.stiffness.deviation < 20.0


def test_hardening_is_no_encoder_error() -> None:
    joint = joint_of(Gear(hardening=0.2 * 5000**3 / 30**2))
    assert joint.hardening is not None
    assert not has_error(joint)


def test_an_encoder_error_is_predicted_where_it_was_recorded() -> None:
    found = identified(Gear(), step)
    errors = deflection_errors(found, pair(Gear(), step, seed=1))
    assert errors.rms["joint_1"] < 1.5 * Gear().noise


def test_an_encoder_error_stays_at_its_end_where_nothing_was_recorded() -> None:
    """Of a step within the recorded positions, all beyond them is the same."""
    found = identified(Gear(), step)
    errors = deflection_errors(found, pair(Gear(), step, seed=1, centre=1.5))
    assert errors.rms["joint_1"] < 3 * Gear().noise


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("gear", "added"),
    [
        (Gear(friction=3.0, friction_share=0.4), none),
        (Gear(2000.0, 4.0, friction=2.0, friction_share=0.8, noise=4e-5), none),
        (Gear(8000.0), step),
        (Gear(3000.0, 6.0, noise=4e-5), bump),
        (Gear(friction=3.0, friction_share=0.4), step),
    ],
    ids=["a share", "soft, most of it", "a step", "soft, a bump", "both"],
)
def test_standard_deviations_hold(gear: Gear, added: Added) -> None:
    joints = [joint_of(gear, added, seed=seed) for seed in range(SEEDS)]
    stated = [joint.stiffness for joint in joints]
    errors = np.array([(one.value - gear.stiffness) / one.deviation for one in stated])
    assert np.mean(np.abs(errors) < 2) >= 0.85
    if gear.friction_share:
        shares = [joint.friction_share for joint in joints]
        errors = np.array([(one.value - gear.friction_share) / one.deviation for one in shares])
        assert np.mean(np.abs(errors) < 2) >= 0.85
    if added is not none:
        assert all(has_error(joint) for joint in joints)
