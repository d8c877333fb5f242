"""Payloads of arms that move."""

from __future__ import annotations

import numpy as np
import pytest
from support.carried_body import (
    MODEL,
    PARAMETERS,
    ROBOT,
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


def test_a_payload_is_found_within_its_deviations() -> None:
    body = found_on(arm_with_payload(NOISE)).payload.body
    assert body.identifiable.all()
    assert np.all(np.abs(body.quantities - TRUTH) < 4 * body.deviations)
    assert body.deviations[0] < 0.01 * TRUTH[0]


def test_deviations_cover_the_truth_as_often_as_they_say() -> None:
    scores = []
    for seed in range(30):
        body = found_on(arm_with_payload(NOISE, seed)).payload.body
        scores.append((body.quantities - TRUTH) / body.deviations)
    # 300 scores, of some 30 that are independent
    assert 0.75 < np.sqrt(np.mean(np.square(scores))) < 1.3


def test_deviations_count_that_the_model_is_uncertain_too() -> None:
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


def test_torque_errors_without_the_payload_are_what_it_explains() -> None:
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


def test_a_planar_arm_feels_neither_height_nor_moments_about_other_axes() -> None:
    robot = ROBOT.with_urdf(PLANAR_URDF)
    model = robot.mechanism()
    model = model.with_parameters(true_parameters(model))
    recording = recorded(model, loaded(model), samples=2000, rate=100.0, noise=0.05)
    payload = found_on(recording, model, robot).payload
    assert payload.not_told == dict.fromkeys(
        ("MZ3", "XX3", "XY3", "YY3", "XZ3", "YZ3"), "no joint feels it"
    )
    told = {row.name for row in payload.rows if row.deviation is not None}
    assert told == {"mass", "centre x", "centre y", "inertia zz"}
    assert payload.body.centre[2] == pytest.approx(0.0, abs=1e-3)


def test_a_turntable_tells_inertia_about_its_axis_and_names_it() -> None:
    robot = arm_robot(joints=["shoulder"], locked={"elbow": 0.0, "wrist": 0.0})
    robot = robot.with_urdf(PLANAR_URDF)
    model = robot.mechanism()
    # differences in time are not quite derivatives, which shows beside the arm's own inertia
    recording = recorded(model, loaded(model), samples=8000, rate=800.0, noise=0.01)
    payload = found_on(recording, model, robot).payload
    told = {row.name: row for row in payload.rows if row.deviation is not None}
    assert set(told) == {"ZZ1"}
    row = told["ZZ1"]
    assert row.value == pytest.approx(PARAMETERS[9], abs=4 * (row.deviation or 0))


def test_what_a_motion_shows_too_little_is_said() -> None:
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
    assert set(payload.not_told.values()) == {"what was recorded shows it too little"}


def test_friction_that_grows_with_load_does_not_pass_for_payload() -> None:
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


def test_recordings_in_the_wrong_order_are_noticed() -> None:
    empty = recorded(MODEL, MODEL.parameters, samples=2000, rate=100.0, noise=NOISE)
    found = found_on(empty, MODEL.with_parameters(loaded(MODEL)))
    assert "which no payload has" in found.verdict.warnings[0]


def test_no_payload_is_told_as_none() -> None:
    empty = recorded(MODEL, MODEL.parameters, samples=2000, rate=100.0, noise=NOISE)
    assert "cannot be told from none" in found_on(empty).verdict.warnings[0]


def test_refuses_a_robot_at_rest() -> None:
    still = Recording(
        time=np.arange(200) / 100.0,
        position=np.ones((200, 3)),
        velocity=np.zeros((200, 3)),
        effort=np.ones((200, 3)),
        joint_names=MODEL.joints,
        sampling_rate=100.0,
    )
    with pytest.raises(EstimationError, match="dynid payload-mass"):
        found_on(still)


def test_a_base_model_of_another_robot_is_doubted() -> None:
    fitted = identify(ROBOT, recorded(MODEL, MODEL.parameters, samples=2000, rate=100.0)).model
    doubled = np.array(MODEL.parameters)
    doubled[20:23] *= 1.5  # of the third body: no payload changes mass alone in such a way
    doubled[10:20] *= 1.3
    other = MODEL.with_parameters(doubled)
    recording = recorded(other, loaded(other), samples=2000, rate=100.0, noise=NOISE)
    warnings = " ".join(identify_payload(fitted, [recording]).verdict.warnings)
    assert "still far above the base model's own" in warnings
