"""Flipped signs of torque or position: joint and signal are named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.fitted_case import RATE, TURNTABLE_URDF, arm, fitted_case, with_terms
from support.synthetic import arm_robot, recorded

from dynid.evaluation.diagnosis.case import friction_power
from dynid.evaluation.diagnosis.sign import flipped_sign
from dynid.recording.model import Recording
from dynid.robot.robot import Robot


def flipped(recording: Recording, joint: int, what: str) -> Recording:
    sign = np.where(np.arange(3) == joint, -1.0, 1.0)
    if what == "torque":
        return replace(recording, effort=recording.effort * sign)
    velocity = recording.velocity
    assert velocity is not None
    return replace(recording, position=recording.position * sign, velocity=velocity * sign)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_right_signs_give_no_finding(noise: float, seed: int) -> None:
    robot, _, recording = arm(noise, seed)
    assert list(flipped_sign(fitted_case(robot, recording))) == []


@pytest.mark.parametrize("joint", [0, 1, 2])
@pytest.mark.parametrize("what", ["torque", "position"])
def test_flipped_sign_is_found_at_its_joint_only(joint: int, what: str) -> None:
    robot, _, recording = arm()
    (found,) = flipped_sign(fitted_case(robot, flipped(recording, joint, what)))
    assert found.sentence.startswith(f"{robot.joints[joint]}: ")
    assert what in found.sentence.split("the sign of its ")[1]


def test_flipped_torque_of_a_joint_dominated_by_friction_is_found() -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, with_terms(mechanism, Fv2=20.0, Fc2=30.0), noise=0.05)
    (found,) = flipped_sign(fitted_case(robot, flipped(recording, 1, "torque")))
    assert found.sentence.startswith("elbow: its friction adds energy")


@pytest.mark.parametrize(("sixths", "named"), [(4, False), (5, True), (6, True)])
def test_a_flipped_sign_must_hold_in_nearly_all_of_the_motion(sixths: int, named: bool) -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, with_terms(mechanism, Fv2=20.0, Fc2=30.0), noise=0.05)
    effort = recording.effort.copy()
    effort[: len(effort) * sixths // 6 + 10, 1] *= -1
    found = list(flipped_sign(fitted_case(robot, replace(recording, effort=effort))))
    assert [one.sentence.split(":")[0] for one in found] == ["elbow"] * named


def test_flipped_torques_of_all_joints_are_found_joint_by_joint() -> None:
    robot, _, recording = arm()
    found = list(flipped_sign(fitted_case(robot, replace(recording, effort=-recording.effort))))
    assert [one.sentence.split(":")[0] for one in found] == ["shoulder", "elbow", "wrist"]


def with_torque_sensors(seed: int) -> tuple[Robot, Recording]:
    """The arm without friction, whose wrist has so much noise that its sign is not seen."""
    robot = arm_robot(terms=[{"kind": "viscous"}, {"kind": "coulomb"}, {"kind": "offset"}])
    mechanism = robot.mechanism()
    recording = recorded(mechanism, mechanism.urdf_parameters, noise=0.05, seed=seed)
    noise = 0.2 * np.random.default_rng(seed + 50).standard_normal(len(recording.time))
    return robot, replace(recording, effort=recording.effort + np.outer(noise, [0, 0, 1]))


@pytest.mark.parametrize("seed", [0, 1])
def test_flipped_torques_of_all_joints_are_found_although_one_cannot_be_seen(seed: int) -> None:
    robot, recording = with_torque_sensors(seed)
    (found,) = flipped_sign(fitted_case(robot, replace(recording, effort=-recording.effort)))
    assert found.sentence.startswith("shoulder and elbow: ")
    assert "of all joints is probably flipped" in found.sentence
    assert "of all joints" in found.remedy


@pytest.mark.parametrize("joint", [0, 1])
def test_one_flipped_torque_is_no_reason_to_flip_that_of_a_noisy_joint(joint: int) -> None:
    robot, recording = with_torque_sensors(0)
    (found,) = flipped_sign(fitted_case(robot, flipped(recording, joint, "torque")))
    assert found.sentence.startswith(f"{robot.joints[joint]}: ")


def test_friction_that_the_motion_does_not_determine_has_no_power() -> None:
    # one cycle of a sine: bodies explain viscous friction too, and torque drifts
    robot = arm_robot()
    mechanism, random = robot.mechanism(), np.random.default_rng(0)
    time, omega = np.arange(3000)[:, None] / RATE, 2 * np.pi * 0.1
    phase = omega * time + random.uniform(0, 6, 3)
    motion = np.sin(phase), omega * np.cos(phase), -(omega**2) * np.sin(phase)
    drift = 0.01 * np.cumsum(random.standard_normal(phase.shape), axis=0)
    torque = mechanism.torque(*motion, mechanism.urdf_parameters) + drift
    one = Recording(time[:, 0], motion[0], motion[1], torque, mechanism.joints, RATE)
    case = fitted_case(robot, one)
    regressor = case.mechanism.regressor(*case.decimated.motion)
    bodies = case.base.independent[case.base.independent < mechanism.first_term]
    for joint in range(3):
        columns = regressor[:, joint, bodies]
        columns = columns[:, columns.any(axis=0)]
        power = friction_power(case.decimated.torque[:, joint], case.decimated, joint, columns)
        assert abs(power) < 0.5


def test_flipped_turntable_without_weight_and_friction_is_found() -> None:
    robot = arm_robot(joints=["turn"], terms=[{"kind": "offset"}]).with_urdf(TURNTABLE_URDF)
    mechanism = robot.mechanism()
    recording = recorded(mechanism, mechanism.urdf_parameters)
    turned = replace(recording, effort=-recording.effort)
    (found,) = flipped_sign(fitted_case(robot, turned))
    assert "opposite to that of the URDF's masses" in found.sentence


def test_torque_recorded_without_sign_is_found() -> None:
    robot, _, recording = arm()
    unsigned = replace(recording, effort=np.abs(recording.effort))
    (found,) = flipped_sign(fitted_case(robot, unsigned))
    assert "without its sign" in found.sentence
    assert "--unsigned-torque" in found.remedy


def test_torque_that_is_positive_because_of_weight_gives_no_finding() -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, with_terms(mechanism, Off1=200.0, Off2=100.0, Off3=50.0))
    assert recording.effort.min() > 0
    assert list(flipped_sign(fitted_case(robot, recording))) == []
