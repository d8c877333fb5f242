"""Payloads of moving arms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.carried_body import (
    MODEL,
    PARAMETERS,
    ROBOT,
    SAME_DAY,
    TRUTH,
    arm_with_payload,
    found_on,
    loaded,
)
from support.synthetic import ARM_URDF, arm_robot, recorded, true_parameters

from dynid.errors import EstimationError
from dynid.identification.identify import identify
from dynid.identification.payload.identification import identify_payload
from dynid.recording.model import Recording

PLANAR_URDF = ARM_URDF.replace('rpy="1.5708 0 0"', "").replace('rpy="0 1.5708 0"', "")
NOISE = 0.2  # [N m]


def test_a_payload_is_found_within_its_standard_deviations() -> None:
    body = found_on(arm_with_payload(NOISE)).payload.body
    assert body.identifiable.all()
    assert np.all(np.abs(body.quantities - TRUTH) < 4 * body.deviations)
    assert body.deviations[0] < 0.01 * TRUTH[0]


@pytest.mark.thorough
def test_standard_deviations_are_calibrated() -> None:
    scores = []
    for seed in range(30):
        body = found_on(arm_with_payload(NOISE, seed)).payload.body
        scores.append((body.quantities - TRUTH) / body.deviations)
    # 300 scores, of which about 30 are independent
    assert 0.75 < np.sqrt(np.mean(np.square(scores))) < 1.3


@pytest.mark.thorough
def test_standard_deviations_include_the_uncertainty_of_the_model() -> None:
    scores = []
    for seed in range(12):
        alone = recorded(
            MODEL, MODEL.parameters, samples=2000, rate=100.0, noise=NOISE, seed=seed + 100
        )
        model = identify(ROBOT, alone).model
        found = identify_payload(model, [arm_with_payload(NOISE, seed)])
        body = found.payload.body
        scores.append((body.quantities - TRUTH) / body.deviations)
    assert 0.6 < np.sqrt(np.mean(np.square(scores))) < 1.5


@pytest.mark.thorough
def test_standard_deviations_include_torque_per_effort_of_another_day() -> None:
    share, scores = 0.01, []
    robot = arm_robot(identification=SAME_DAY | {"torque_repeatability": share})
    for seed in range(30):
        recording = arm_with_payload(NOISE, seed)
        scale = 1 + share * np.random.default_rng(seed).standard_normal(3)
        body = found_on(
            replace(recording, effort=recording.effort * scale), MODEL, robot
        ).payload.body
        scores.append((body.quantities[0] - TRUTH[0]) / body.deviations[0])
    # without this share it is 6
    assert 0.7 < np.sqrt(np.mean(np.square(scores))) < 1.4


def test_friction_that_drifts_cancels_between_alternating_recordings() -> None:
    def mass_error(order: str) -> float:
        """Return the relative error where friction falls by 10 % from recording to recording."""
        empty, carrying = [], []
        for number, kind in enumerate(order):
            parameters = loaded(MODEL) if kind == "B" else MODEL.parameters.copy()
            for column, name in enumerate(MODEL.parameter_names):
                if name.startswith(("Fv", "Fc")):
                    parameters[column] *= 1 - 0.1 * number
            recording = recorded(MODEL, parameters, samples=1000, rate=100.0)
            (carrying if kind == "B" else empty).append(recording)
        found = identify_payload(identify(ROBOT, empty).model, carrying)
        return float(abs(found.payload.body.mass / TRUTH[0] - 1))

    assert mass_error("ABBA") < 0.1 * mass_error("AABB")


def test_torque_errors_are_larger_without_the_payload() -> None:
    found = found_on(arm_with_payload(NOISE))
    for before, after, held_out in zip(
        found.without.joints, found.verdict.joints, found.held_out.relative_error, strict=True
    ):
        assert after.rmse_torque == pytest.approx(NOISE, rel=0.1)
        assert after.rmse_torque < 0.5 * before.rmse_torque
        assert held_out == pytest.approx(after.relative_error, rel=0.05)
    assert found.verdict.success


def test_the_model_with_payload_has_the_true_torque() -> None:
    found = found_on(arm_with_payload(0.0))
    q = np.random.default_rng(0).uniform(-1, 1, (3, 50, 3))
    expected = MODEL.torque(*q, loaded(MODEL))
    np.testing.assert_allclose(
        found.mechanism.torque(*q, found.mechanism.parameters), expected, atol=2e-3
    )


def test_height_and_other_moments_have_no_effect_on_a_planar_arm() -> None:
    robot = ROBOT.with_urdf(PLANAR_URDF)
    model = robot.mechanism()
    model = model.with_parameters(true_parameters(model))
    recording = recorded(model, loaded(model), samples=2000, rate=100.0, noise=0.05)
    payload = found_on(recording, model, robot).payload
    assert payload.not_identifiable == dict.fromkeys(
        ("MZ3", "XX3", "XY3", "YY3", "XZ3", "YZ3"), "it has no effect on the torque"
    )
    identified = {row.name for row in payload.rows if row.standard_deviation is not None}
    assert identified == {"mass", "centre x", "centre y", "inertia zz"}
    assert payload.body.centre[2] == pytest.approx(0.0, abs=1e-3)


def test_only_the_inertia_about_its_axis_is_identifiable_on_a_turntable() -> None:
    robot = arm_robot(
        joints=["shoulder"], locked={"elbow": 0.0, "wrist": 0.0}, identification=SAME_DAY
    )
    robot = robot.with_urdf(PLANAR_URDF)
    model = robot.mechanism()
    # errors of differentiation are visible with the inertia of the arm
    recording = recorded(model, loaded(model), samples=8000, rate=800.0, noise=0.01)
    payload = found_on(recording, model, robot).payload
    identified = {row.name: row for row in payload.rows if row.standard_deviation is not None}
    assert set(identified) == {"ZZ1"}
    row = identified["ZZ1"]
    assert row.value == pytest.approx(PARAMETERS[9], abs=4 * (row.standard_deviation or 0))


def test_reports_parameters_that_the_motion_excites_too_little() -> None:
    moving = arm_with_payload(NOISE)
    slow = Recording(
        time=10 * moving.time,
        position=moving.position,
        velocity=None,
        effort=MODEL.torque(
            moving.position, moving.velocity / 10, 0 * moving.position, loaded(MODEL)
        )
        + NOISE * np.random.default_rng(3).standard_normal(moving.position.shape),
        joint_names=moving.joint_names,
        sampling_rate=10.0,
    )
    payload = found_on(slow).payload
    assert payload.body.identifiable.tolist() == 4 * [True] + 6 * [False]
    assert set(payload.not_identifiable.values()) == {"the recordings excite it too little"}


def test_load_dependent_friction_is_not_taken_for_payload() -> None:
    kinds = ("viscous", "coulomb", "offset", "coulomb_load")
    robot = arm_robot(terms=[{"kind": kind} for kind in kinds])
    model = robot.mechanism()
    parameters = true_parameters(model)
    parameters[-3:] = 0.15
    model = model.with_parameters(parameters)
    heavy = model.with_parameters(loaded(model))
    recording = recorded(heavy, heavy.parameters, samples=2000, rate=100.0, noise=NOISE)
    body = found_on(recording, model, robot).payload.body
    assert np.all(np.abs(body.quantities - TRUTH) < 4 * body.deviations)


def test_exchanged_recordings_give_a_warning() -> None:
    empty = recorded(MODEL, MODEL.parameters, samples=2000, rate=100.0, noise=NOISE)
    found = found_on(empty, MODEL.with_parameters(loaded(MODEL)))
    assert "is negative" in found.verdict.warnings[0]


def on_another_body() -> Recording:
    """Return what springs of the wrist change, which only moments of the hand could explain."""
    changed = MODEL.parameters.copy()
    changed[[MODEL.parameter_names.index(name) for name in ("Off2", "Off3")]] += 2.0
    return recorded(MODEL, changed, samples=2000, rate=100.0, noise=0.01)


@pytest.mark.parametrize(
    "recording",
    [
        recorded(MODEL, MODEL.parameters, samples=2000, rate=100.0, noise=NOISE),
        on_another_body(),
        arm_with_payload(500 * NOISE),
    ],
    ids=["missing", "on another body", "hidden by noise"],
)
def test_a_payload_that_is_not_found_fails(recording: Recording) -> None:
    verdict = found_on(recording).verdict
    assert not verdict.success
    (reason,) = (one for one in verdict.reasons if "no payload can be told from none" in one)
    assert "so less than" in reason
    assert "wrist" in reason


def test_refuses_a_robot_at_rest() -> None:
    still = Recording(
        time=np.arange(200) / 100.0,
        position=np.ones((200, 3)),
        velocity=np.zeros((200, 3)),
        effort=np.ones((200, 3)),
        joint_names=MODEL.joints,
        sampling_rate=100.0,
    )
    with pytest.raises(EstimationError, match="a robot at rest: dynid payload"):
        found_on(still)


def test_deviations_are_larger_where_something_besides_the_payload_differs() -> None:
    fitted = identify(ROBOT, recorded(MODEL, MODEL.parameters, samples=2000, rate=100.0)).model
    rubbing = [term.kind in ("viscous", "coulomb") for term in MODEL.terms]
    friction = np.array([False] * MODEL.first_term + rubbing)
    bodies = {}
    for factor in (1.0, 1.5):
        changed = MODEL.with_parameters(np.where(friction, factor, 1.0) * MODEL.parameters)
        recording = recorded(changed, loaded(changed), samples=2000, rate=100.0, noise=NOISE)
        bodies[factor] = identify_payload(fitted, [recording]).payload.body
    error = np.abs(bodies[1.5].quantities - TRUTH)
    assert np.all(error < 3 * bodies[1.5].deviations)
    assert bodies[1.5].deviations[0] > 3 * bodies[1.0].deviations[0]


def test_a_base_model_of_another_robot_gives_a_warning() -> None:
    fitted = identify(ROBOT, recorded(MODEL, MODEL.parameters, samples=2000, rate=100.0)).model
    doubled = np.array(MODEL.parameters)
    doubled[20:23] *= 1.5  # of the third body, which no payload can explain
    doubled[10:20] *= 1.3
    other = MODEL.with_parameters(doubled)
    recording = recorded(other, loaded(other), samples=2000, rate=100.0, noise=NOISE)
    warnings = " ".join(identify_payload(fitted, [recording]).verdict.warnings)
    assert "much larger than that of the base model" in warnings
