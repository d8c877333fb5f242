"""Changes of a robot are found where and when they are; an unchanged one gives few alarms."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.drifting import drawn_history
from support.synthetic import arm_robot, recorded, true_parameters

import dynid
from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import EstimationError
from dynid.robot.model import Model, nominal_model
from dynid_plugins.fleet.drift.causes import find_causes, friction_groups
from dynid_plugins.fleet.drift.detection import Drift, detect_drift
from dynid_plugins.fleet.drift.history import DAY, history_of_models
from dynid_plugins.fleet.drift.reference import Span, find_variation
from dynid_plugins.fleet.drift.words import change_sentence

START = 30


@cache
def model(repeatability: float = 0.0) -> Model:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.3, seed=1)
    return dynid.identify(robot, recording, friction_repeatability=repeatability).model


def stepped(kind: str, joint: str, size: float, seed: int = 3) -> Drift:
    history = drawn_history(
        model(), 45, cause=(kind, joint), size=lambda i: size * (i >= START), seed=seed
    )
    return detect_drift(model(), history, simulations=100)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "joint", "size", "words"),
    [
        ("payload", "wrist", 0.05, "Payload or tool changed: mass +"),
        ("dry", "elbow", 0.3, "Dry friction at elbow grew"),
        (
            "viscous",
            "elbow",
            -0.3,
            "Viscous friction at elbow fell: lubrication or temperature",
        ),
        ("friction", "all joints", 0.25, "Friction at all joints grew"),
        ("torque_constant", "shoulder", 0.03, "Torque constant or torque sensor at shoulder"),
        ("encoder", "elbow", 0.01, "Encoder offset at elbow"),
    ],
)
def test_a_step_is_found_with_its_cause(kind: str, joint: str, size: float, words: str) -> None:
    found = stepped(kind, joint, size)
    change = found.changes[0]
    assert (change.best.cause.kind, change.best.cause.joint) == (kind, joint)
    assert abs(change.best.size - size) < 4 * change.best.standard_deviation
    assert change.alarm >= START
    assert change.earliest <= START <= change.latest
    assert change_sentence(found, change).startswith(words)
    assert found.surprise[change.alarm] > found.threshold


@pytest.mark.thorough
def test_growing_friction_is_gradual() -> None:
    history = drawn_history(
        model(), 50, cause=("dry", "elbow"), size=lambda i: 0.06 * max(i - START, 0), seed=1
    )
    found = detect_drift(model(), history, simulations=100)
    assert found.changes[0].gradual is True
    assert "gear wear" in change_sentence(found, found.changes[0])


@pytest.mark.thorough
@pytest.mark.parametrize("memory", [0.0, 0.7])
def test_false_alarms_are_not_more_than_stated(memory: float) -> None:
    years, rate = 0.0, 3.0
    alarms = 0
    for seed in range(15):
        history = drawn_history(model(), 130, variation=0.06, memory=memory, seed=seed)
        found = detect_drift(
            model(), history, false_alarms_per_year=rate, simulations=60, seed=seed
        )
        years += (len(history.times) - found.reference) * DAY / (365.25 * DAY)
        alarms += len(found.changes)
    # 15 expected; the bound has a chance of 1e-4 in a Poisson distribution
    assert 0 < alarms <= 32, (alarms, rate * years)


@pytest.mark.thorough
def test_friction_that_follows_the_recorded_temperature_is_no_change() -> None:
    history = drawn_history(model(), 45, warmth=-0.02, variation=0.02, seed=2)
    assert not detect_drift(model(), history, simulations=100).changes


def test_one_model_in_place_of_many_is_refused() -> None:
    history = drawn_history(model(), 45, seed=3)
    same = replace(history, values=np.tile(history.values[:1], (45, 1)))
    with pytest.raises(EstimationError, match="the first 10 models are the same"):
        detect_drift(model(), same)


def beyond_its_variances(sizes: np.ndarray) -> list[list[float]]:
    return [[sizes[0] ** 2, 1.5 * sizes[0] * sizes[1]], [1.5 * sizes[0] * sizes[1], sizes[1] ** 2]]


@pytest.mark.parametrize(
    ("name", "part", "value", "words"),
    [
        ("values", np.s_[4, 0], 1e180, r"beyond 1e\+100"),
        ("covariances", np.s_[4, 0], 1e180, r"beyond 1e\+100"),
        ("covariances", np.s_[4, 0], 1e-180, "needs a positive variance"),
        ("covariances", np.s_[4, :2, :2], [[1e-90, 1e90], [1e90, 1e-90]], "5 is not positive"),
        ("covariances", np.s_[4, :2, :2], beyond_its_variances, "recording 5 is not positive semi"),
        ("times", np.s_[:], 0.0, "times must rise"),
    ],
)
def test_numbers_that_no_recordings_have_are_refused(
    name: str, part: tuple, value: object, words: str
) -> None:
    history = drawn_history(model(), 12)
    numbers = getattr(history, name).astype(float)
    if value is beyond_its_variances:
        value = beyond_its_variances(np.sqrt(np.diag(numbers[4])))
    numbers[part] = value
    with pytest.raises(EstimationError, match=words):
        replace(history, **{name: numbers})


def test_an_encoder_offset_about_the_axis_of_gravity_is_not_visible() -> None:
    robot = arm_robot(gravity=[0.0, -9.81, 0.0])
    nominal = nominal_model(robot, true_parameters(robot.mechanism()))
    names = base_parameterization(nominal.mechanism).names
    seen = [one.joint for one in find_causes(nominal, names) if one.kind == "encoder"]
    assert seen == ["elbow", "wrist"]


def test_torque_constants_of_all_joints_together_scale_all_parameters() -> None:
    base = base_parameterization(model().mechanism)
    causes = find_causes(model(), base.names)
    total = sum(one.signature[:, 0] for one in causes if one.kind == "torque_constant")
    np.testing.assert_allclose(total, base.project(model().parameters), atol=1e-8)


@pytest.mark.parametrize("spread", [0.0, 1e-9])
def test_a_temperature_that_was_always_the_same_says_nothing_about_days(spread: float) -> None:
    plain = drawn_history(model(), 8)
    groups = friction_groups(model(), plain.names, plain.covariances)
    equal, without = (
        find_variation([Span.of_history(one)], groups)
        for one in (replace(plain, temperatures=21.3 + spread * np.arange(8)), plain)
    )
    np.testing.assert_allclose(equal.persistence.chances, without.persistence.chances)
    np.testing.assert_allclose(
        equal.covariance(plain.covariances), without.covariance(plain.covariances), rtol=1e-9
    )


@pytest.mark.thorough
def test_the_share_of_other_recordings_is_not_counted_within_one() -> None:
    stated, without = (
        history_of_models([model(value), model(value)], [0.0, DAY]) for value in (0.2, 0.0)
    )
    np.testing.assert_allclose(
        np.diag(stated.covariances[0]), np.diag(without.covariances[0]), rtol=1e-6
    )


def test_refuses_a_history_without_recordings_after_the_reference() -> None:
    with pytest.raises(EstimationError, match="at least 11"):
        detect_drift(model(), drawn_history(model(), 10))


def test_refuses_parameters_of_another_robot() -> None:
    with pytest.raises(EstimationError, match="'ZZ99' is not a base parameter"):
        find_causes(model(), ["ZZ99"])
