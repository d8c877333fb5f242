"""Flatness-based feedforward, on a simulated rod with an elastic gear."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid_plugins.elastic.flatness import (
    MotorMotion,
    elastic_feedforward,
    filtered_reference,
    rigid_feedforward,
)
from dynid_plugins.elastic.flatness_trial import elastic_arm
from dynid_plugins.elastic.simulated_arm import ArmState, simulate_arm

CYCLE = 1e-3
SETTINGS = ("elastic.rotor_inertia=0.5", "elastic.stiffness=5000", "elastic.damping=0.5")


def test_each_derivative_of_the_reference_is_that_of_the_one_before() -> None:
    step = np.concatenate([np.zeros((5, 1)), np.ones((600, 1))])
    reference = filtered_reference(step, 10.0, 1000.0)
    for lower, higher in pairwise(reference[:5]):
        numeric = np.gradient(lower[:, 0], CYCLE)
        assert np.abs(numeric - higher[:, 0])[8:-2].max() < 0.02 * np.abs(higher).max()
    assert reference.position[-1, 0] == pytest.approx(1.0, abs=1e-6)


def test_the_filter_delays_slow_motion_by_what_it_states() -> None:
    ramp = np.linspace(0, 2, 2001)[:, None]  # 1 rad/s
    reference = filtered_reference(ramp, 10.0, 1000.0)
    late = ramp[-1, 0] - reference.position[-1, 0]
    assert late == pytest.approx(reference.delay, abs=1.5e-3)


def test_elastic_feedforward_reduces_the_path_error_also_with_wrong_stiffness() -> None:
    arm = elastic_arm(load_robot("pendulum", overrides=SETTINGS))
    time = np.arange(900) * CYCLE
    command = 0.3 * (1 - np.cos(2 * np.pi * 2 * np.clip(time - 0.05, 0, 0.5)))[:, None]
    reference = filtered_reference(command, 20.0, 1 / CYCLE)
    runs = [
        rigid_feedforward(arm.links, arm.rotors, reference),
        *(
            elastic_feedforward(arm.links, arm.rotors, k * arm.stiffness, arm.backlash, reference)
            for k in (1.0, 0.7, 1.3)
        ),
    ]
    wanted = MotorMotion(*(np.stack(one, axis=1) for one in zip(*runs, strict=True)))

    def control(number: int, state: ArmState) -> np.ndarray:
        error = wanted.position[number] - state.motor
        rate = wanted.velocity[number] - state.motor_velocity
        return np.asarray(wanted.torque[number] + 20000 * error + 300 * rate)

    start = arm.at_rest(np.zeros((len(runs), 1)))
    reached = simulate_arm(arm, start, control, len(time), CYCLE).link
    errors = np.sqrt(np.mean((reached - reference.position[:, None]) ** 2, axis=(0, 2)))
    assert errors[1] < 0.2 * errors[0]
    assert errors[2:].max() < errors[0]


def test_feedforward_without_stiffness_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"needs elastic\.stiffness"):
        elastic_arm(load_robot("pendulum"))
