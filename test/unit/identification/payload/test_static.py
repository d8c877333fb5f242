"""Payloads of arms at rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.carried_body import (
    CENTRE,
    MASS,
    MODEL,
    PARAMETERS,
    ROBOT,
    arm_with_payload,
    base,
    loaded,
)
from support.synthetic import arm_robot

from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.identification.payload.static import StaticPayload, find_dwells, payload_at_rest
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.signals.preprocess import preprocess

RATE = 100.0
COULOMB = np.array([4.0, 2.0, 0.5])  # [N m] of the arm's true parameters
OFFSET = np.array([0.3, -0.2, 0.1])
RESTING = ROBOT.with_settings(
    ROBOT.settings(IdentificationSettings).model_copy(
        update={"trim_rest": False, "cutoff_hz": None}
    )
)
POSES = np.random.default_rng(4).uniform(-1.2, 1.2, (8, 3))


def visiting(poses: np.ndarray, holding: np.ndarray, first: int = 100) -> Recording:
    """Rest for a second in each pose, with a torque held there (poses, 3), and move on.

    ``first``: samples in the first pose.
    """
    share = (1 - np.cos(np.linspace(0, np.pi, 100)))[:, None] / 2
    position, held = [], []
    for number, (pose, torque) in enumerate(zip(poses, holding, strict=True)):
        if number:
            position.append(poses[number - 1] + share * (pose - poses[number - 1]))
            held.append(np.broadcast_to(torque, (100, 3)))
        rest = 100 if number else first
        position.append(np.broadcast_to(pose, (rest, 3)))
        held.append(np.broadcast_to(torque, (rest, 3)))
    motion = np.concatenate(position)
    return Recording(
        time=np.arange(len(motion)) / RATE,
        position=motion,
        velocity=None,
        effort=np.concatenate(held),
        joint_names=MODEL.joints,
        sampling_rate=RATE,
    )


def gravity(poses: np.ndarray, body: np.ndarray = PARAMETERS) -> np.ndarray:
    """Torque that holds the arm with a payload without friction (poses, 3)."""
    return MODEL.with_parameters(loaded(MODEL, body)).gravity_torque(poses) + OFFSET


def came_from(poses: np.ndarray) -> np.ndarray:
    return np.sign(np.diff(poses, axis=0, prepend=poses[:1]))


def weighed(*recordings: Recording, model: Mechanism = MODEL) -> StaticPayload:
    return payload_at_rest(base(model), recordings)


def test_dwells_are_times_at_which_all_joints_rest() -> None:
    poses = POSES[:3]
    dwells = find_dwells(preprocess(visiting(poses, gravity(poses)), RESTING))
    np.testing.assert_allclose([dwell.position for dwell in dwells], poses, atol=1e-12)
    np.testing.assert_allclose([dwell.torque for dwell in dwells], gravity(poses), atol=1e-9)
    np.testing.assert_array_equal([dwell.approach for dwell in dwells], came_from(poses))


def test_rest_shorter_than_half_a_second_is_not_a_dwell() -> None:
    recording = visiting(POSES[:2], gravity(POSES[:2])).cut(0.6, 2.4)
    assert find_dwells(preprocess(recording, RESTING)) == []


def test_mass_and_centre_are_found_without_friction() -> None:
    smooth = MODEL.parameters.copy()
    smooth[-9:-3] = 0.0
    found = weighed(visiting(POSES, gravity(POSES)), model=MODEL.with_parameters(smooth))
    assert found.success
    assert abs(found.mass - MASS) < 0.02 * MASS
    body = found.payload.body
    assert body.identifiable[:4].all()
    np.testing.assert_allclose(body.centre, CENTRE, atol=0.01)
    assert not body.determined[4:].any()


def test_static_friction_is_that_of_slow_motion() -> None:
    found = weighed(visiting(POSES, gravity(POSES)))
    # and viscous friction at the speed below which a joint counts as at rest
    assert np.all(found.friction >= COULOMB)
    assert np.all(found.friction < 1.2 * COULOMB)


@pytest.mark.parametrize("share", [-1.0, -0.5, 0.0, 0.5, 1.0])
def test_the_mass_is_within_its_standard_deviations_for_any_static_friction(share: float) -> None:
    found = weighed(visiting(POSES, gravity(POSES) + share * COULOMB * came_from(POSES)))
    assert abs(found.mass - MASS) < 3 * found.mass_standard_deviation


@pytest.mark.thorough
def test_standard_deviations_cover_random_static_friction() -> None:
    random = np.random.default_rng(0)
    scores = []
    for _ in range(20):
        shares = random.uniform(-1, 1, 3) * came_from(POSES) + random.uniform(-1, 1, POSES.shape)
        found = weighed(visiting(POSES, gravity(POSES) + COULOMB * np.clip(shares, -1, 1)))
        scores.append((found.mass - MASS) / found.mass_standard_deviation)
    assert 0.5 < np.sqrt(np.mean(np.square(scores))) < 1.3


def test_approach_from_both_directions_reduces_the_uncertainty() -> None:
    target = np.array([0.2, 0.4, -0.3])
    from_below, from_above = (
        visiting(poses, gravity(poses), first=30)
        for poses in (np.array([target + way, target]) for way in (-0.5, 0.5))
    )
    one_side, both_sides = weighed(from_below, from_below), weighed(from_below, from_above)
    assert len(one_side.dwells) == len(both_sides.dwells) == 2
    # half of the variance of friction depends on the direction, and two dwells share it
    assert both_sides.mass_standard_deviation < 0.9 * one_side.mass_standard_deviation
    assert one_side.from_both_sides == (False, False, False)
    assert both_sides.from_both_sides == (True, True, True)


def test_a_whole_recording_at_rest_is_one_dwell() -> None:
    parts = [visiting(pose[None], gravity(pose[None])) for pose in POSES]
    found = weighed(*parts)
    assert len(found.dwells) == len(POSES)
    assert abs(found.mass - MASS) < 3 * found.mass_standard_deviation
    assert found.from_both_sides == (False, False, False)


def test_reports_that_the_mass_is_not_identifiable_with_an_upright_arm() -> None:
    upright = np.array([[np.pi / 2, 0.0, 0.0]])
    found = weighed(visiting(upright, gravity(upright)))
    assert not found.success
    assert "The mass is not identifiable from 1 dwell" in found.outcome


def test_a_robot_that_never_rests_is_refused() -> None:
    moving = replace(arm_with_payload(0.0), effort=np.zeros((2000, 3)))
    with pytest.raises(EstimationError, match="never at rest for half a second"):
        weighed(moving)


def test_reports_that_the_mass_has_no_effect_on_a_robot() -> None:
    robot = arm_robot(joints=["shoulder"], locked={"elbow": 0.0, "wrist": 0.0})
    crank = robot.mechanism()
    recording = Recording(
        time=np.arange(100) / RATE,
        position=np.full((100, 1), 0.3),
        velocity=None,
        effort=np.full((100, 1), 5.0),
        joint_names=crank.joints,
        sampling_rate=RATE,
    )
    found = payload_at_rest(base(crank, robot), [recording])
    assert not found.success
    assert found.outcome == (
        "The mass is not identifiable in any pose of this robot: it has no effect on the torque."
    )
