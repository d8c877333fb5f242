"""Intervals of 95 %: quantiles of held-out errors, and their coverage on another motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid import load_model
from dynid.errors import ConfigurationError
from dynid.evaluation.torque_intervals import torque_intervals
from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid.robot.model import nominal_model

FRICTION = ("viscous", "coulomb")


def test_intervals_contain_95_percent_of_new_errors_in_motion_and_at_rest() -> None:
    random = np.random.default_rng(0)
    moving = random.random(4000) < 0.5
    scale = np.where(moving, 3.0, 0.2)  # of heavy-tailed errors
    widths = torque_intervals(scale * random.standard_t(3, 4000), moving, 0.1)
    new = np.abs(scale * random.standard_t(3, 4000))
    for chosen, width in zip((moving, ~moving), widths, strict=True):
        assert np.mean(new[chosen] <= width) == pytest.approx(0.95, abs=0.02)


def test_the_interval_at_rest_contains_static_friction() -> None:
    error = 0.1 * np.random.default_rng(0).standard_normal(500)
    moving = np.arange(500) < 250
    assert torque_intervals(error, moving, 2.0)[1] == 2.0
    assert torque_intervals(error, moving, 0.0)[1] < 0.3


def test_a_joint_that_hardly_rests_has_the_interval_of_static_friction() -> None:
    error = 0.1 * np.random.default_rng(0).standard_normal(500)
    moving = np.ones(500, dtype=bool)
    assert torque_intervals(error, moving, 2.0)[1] == 2.0
    in_motion, at_rest = torque_intervals(error, moving, np.nan)
    assert at_rest == in_motion


def test_validation_states_the_share_of_the_samples_inside(tmp_path) -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    parameters = true_parameters(mechanism)
    model = identify(robot, recorded(mechanism, parameters, noise=0.3)).model
    model.save(tmp_path / "model.yaml")
    stored = load_model(tmp_path / "model.yaml")
    other = recorded(mechanism, parameters, noise=0.3, seed=5)
    verdict = validate(stored, other).verdict
    assert all(joint.coverage > 0.93 for joint in verdict.joints)
    widths = stored.torque_interval(other.velocity)
    assert widths.shape == other.position.shape
    with pytest.raises(ConfigurationError, match="no intervals of torque"):
        nominal_model(robot).torque_interval(other.velocity)


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_friction_of_another_day_is_within_the_interval(factor: float) -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    parameters = true_parameters(mechanism)
    model = identify(robot, recorded(mechanism, parameters, noise=0.05)).model
    assert model.base.friction_repeatability_origin == "default"
    kinds = [term.kind for term in mechanism.terms]
    rubs = np.array([False] * mechanism.first_term + [kind in FRICTION for kind in kinds])
    changed = np.where(rubs, factor * parameters, parameters)
    verdict = validate(model, recorded(mechanism, changed, noise=0.05, seed=5)).verdict
    assert all(joint.coverage > 0.93 for joint in verdict.joints)
    known = replace(model.base, friction_repeatability=0.0)
    verdict = validate(replace(model, base=known), recorded(mechanism, changed, seed=5)).verdict
    assert any(joint.coverage < 0.8 for joint in verdict.joints)
