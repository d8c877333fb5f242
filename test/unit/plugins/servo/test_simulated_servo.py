"""Simulated servos: what they do at rest and in motion, and that identification finds them."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.identification.identify import identify
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.simulation.true_parameters import standardised_errors
from dynid_plugins.servo.servo_torque import law_of, with_servo_torque
from dynid_plugins.servo.simulated_servo import SimulatedServos, record_servos

STEP = 2 * np.pi / 4096


def test_a_servo_at_rest_sags_until_its_error_carries_the_load() -> None:
    robot = load_robot("so101")
    servos = SimulatedServos(robot)
    command = np.array([0.0, 0.5, 0.3, 0.0, 0.0, 0.0])
    servos.reset(command)
    for _ in range(2000):
        servos.step(command)
    law, mechanism = law_of(robot), robot.mechanism()
    torque = law.torque(law.output(command, servos.encoders(), np.zeros(6)), np.zeros(6))
    friction = 0.05239
    load = mechanism.gravity_torque(np.array(servos.truth.position)[None])[0]
    assert np.all(np.abs(torque - load) <= friction + 1e-6)
    assert np.abs(load).max() > friction


def test_encoders_count_in_whole_steps_of_twelve_bits() -> None:
    robot = load_robot("so101")
    recording = record_servos(robot, make_plan(robot).excitation)
    counts = recording.position / STEP
    assert counts == pytest.approx(np.round(counts), abs=1e-6)
    assert np.ptp(counts, axis=0).min() > 100


def test_backlash_leaves_the_encoder_within_half_of_its_play() -> None:
    play = 0.02
    robot = load_robot("so101", overrides=[f"simulation.backlash={play}"])
    servos = SimulatedServos(robot)
    apart = []
    for cycle in range(3000):
        servos.step(np.full(6, 0.3 * np.sin(2 * np.pi * cycle / 1500)))
        apart.append(servos.encoders() - np.array(servos.truth.position))
    assert np.abs(apart).max() <= play / 2 + STEP / 2 + 1e-12
    assert np.ptp(apart, axis=0).min() > play * 0.9


def test_identifies_friction_and_armature_from_commands_and_encoders_alone() -> None:
    robot = load_robot("so101", overrides=["identification.friction_repeatability=0"])
    commands = record_servos(robot, make_plan(robot, seed=3).excitation)
    result = identify(robot, with_servo_torque(commands, robot))
    errors = standardised_errors(result)
    found = {one.name: one.value for one in result.base_parameters}
    # 5 standard deviations: one in a million for each of 52 parameters
    assert max(map(abs, errors.values())) < 5
    for joint in range(1, 7):
        assert found[f"Fc{joint}"] == pytest.approx(0.05239, rel=0.1)
    for joint in range(3, 7):
        assert found[f"Ia{joint}"] == pytest.approx(0.0284, rel=0.05)


@pytest.mark.thorough
def test_friction_at_a_low_rate_is_not_taken_for_a_delay() -> None:
    # the arm of the tutorial for makers, whose recordings have no fault
    robot = load_robot("so101")
    recordings = [
        with_servo_torque(
            record_servos(robot, make_plan(robot, seed=seed).excitation, seed=seed), robot
        )
        for seed in (1, 2)
    ]
    findings = identify(robot, recordings).findings
    assert [finding.sentence for finding in findings if finding.severity != "note"] == []
