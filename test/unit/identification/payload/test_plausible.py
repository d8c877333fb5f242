"""Payloads that no robot can carry fail; heavy ones of small servos do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.carried_body import MASS, MODEL, PARAMETERS, ROBOT, arm_with_payload, base, loaded

from dynid.dynamics.mechanism import Mechanism
from dynid.identification.payload.identification import identify_payload
from dynid.identification.payload.payload import impossible_mass
from dynid.identification.payload.static import StaticPayload, payload_at_rest
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.model import nominal_model

POSES = np.random.default_rng(4).uniform(-1.2, 1.2, (8, 3))
OWN = float(MODEL.urdf_parameters[:30:10].sum())  # [kg]


def frictionless() -> Mechanism:
    parameters = MODEL.parameters.copy()
    parameters[-9:] = 0.0
    return MODEL.with_parameters(parameters)


def at_rest(body: np.ndarray, factor: float = 1.0) -> StaticPayload:
    """The payload found in poses at rest, with all torque times a factor."""
    model = frictionless()
    torque = model.with_parameters(loaded(model, body)).gravity_torque(POSES)
    recordings = [
        Recording(
            time=np.arange(100) / 100.0,
            position=np.tile(pose, (100, 1)),
            velocity=None,
            effort=np.tile(factor * held, (100, 1)),
            joint_names=MODEL.joints,
            sampling_rate=100.0,
        )
        for pose, held in zip(POSES, torque, strict=True)
    ]
    return payload_at_rest(base(model), recordings)


def test_a_payload_from_torque_in_millinewtonmetres_is_impossible() -> None:
    assert at_rest(PARAMETERS).success
    found = at_rest(PARAMETERS, factor=1000.0)
    assert found.payload.body.identifiable[0]
    assert not found.success
    assert "is wrong: no payload of" in found.outcome
    assert "check the units of position" in found.outcome


def test_a_negative_mass_is_impossible() -> None:
    found = at_rest(-PARAMETERS)
    assert found.mass == pytest.approx(-MASS, rel=0.05)
    assert not found.success
    assert "is negative; check whether the model was identified with the payload" in found.outcome


def test_identification_from_torque_in_millinewtonmetres_fails() -> None:
    recording = arm_with_payload(noise=0.05)
    assert identify_payload(base(), recording).verdict.success
    wrong = replace(recording, effort=1000 * recording.effort)
    verdict = identify_payload(base(), wrong).verdict
    assert not verdict.success
    assert verdict.reasons[0].startswith("no payload of")


def limited(torque_max: float) -> str:
    limits = ROBOT.limits.model_copy(update={"torque_max": (torque_max,)})
    robot = ROBOT.model_copy(update={"limits": limits})
    return impossible_mass(base(robot=robot), 50 * OWN)


def test_a_mass_within_what_the_drives_hold_is_possible() -> None:
    assert limited(1.0)
    assert limited(1000 * OWN) == ""


def test_without_torque_limits_only_a_hundred_times_the_own_mass_is_impossible() -> None:
    free = ROBOT.model_copy(update={"limits": ROBOT.limits.model_copy(update={"torque_max": None})})
    assert impossible_mass(base(robot=free), 50 * OWN) == ""
    assert impossible_mass(base(robot=free), 200 * OWN)


def test_a_servo_may_carry_many_times_the_mass_of_its_rod() -> None:
    rig = nominal_model(load_robot("servo_rig"))
    assert impossible_mass(rig, 1.0) == ""
    assert impossible_mass(rig, 1000.0)


@pytest.mark.parametrize("name", ["ur10e", "panda", "puma560", "scara", "delta_3", "so101"])
def test_robots_may_carry_their_own_mass(name: str) -> None:
    model = nominal_model(load_robot(name))
    own = float(model.parameters[: model.mechanism.first_term : 10].sum())
    assert impossible_mass(model, own) == ""
    assert impossible_mass(model, 3132.0)
