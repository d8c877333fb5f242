"""Resonances from torque and motor velocity: two masses that are simulated exactly."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from dynid.errors import RecordingError
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid_plugins.elastic.resonance import JointResonance, identify_resonances

ROTOR, LINK, STIFFNESS, DAMPING, VISCOUS = 0.5, 1.5, 5000.0, 8.0, 2.0
RATE = 500.0


def two_masses(highest_hz: float) -> Recording:
    """Noisy recording of a multisine up to a frequency, with a weak spring to its centre."""
    time = np.arange(20000) / RATE
    random = np.random.default_rng(1)
    lines = np.arange(0.5, highest_hz, 0.1)
    phases = random.uniform(0, 2 * np.pi, len(lines))
    torque = np.cos(2 * np.pi * np.outer(time, lines) + phases).sum(axis=1)
    matrix = np.array(
        [
            [0, 0, 1, 0],
            [0, 0, 0, 1],
            [-(STIFFNESS + 1) / ROTOR, STIFFNESS / ROTOR, -(DAMPING + VISCOUS) / ROTOR,
             DAMPING / ROTOR],
            [STIFFNESS / LINK, -STIFFNESS / LINK, DAMPING / LINK, -DAMPING / LINK],
        ]
    )  # fmt: skip
    system = (matrix, np.array([[0], [0], [1 / ROTOR], [0]]), np.eye(4)[:1], np.zeros((1, 1)))
    _, position, _ = scipy.signal.lsim(system, torque, time)
    measured = position + 1e-7 * random.standard_normal(len(time))
    torque = torque + 0.1 * random.standard_normal(len(time))
    return Recording.from_arrays(time, measured, torque, joint_names=["joint_1"])


def resonance(highest_hz: float, *settings: str) -> JointResonance:
    robot = load_robot("pendulum", overrides=settings)
    (joint,) = identify_resonances(robot, two_masses(highest_hz)).joints
    return joint


def test_frequencies_and_stiffness_are_found_where_both_are_excited() -> None:
    joint = resonance(100.0)
    locked = np.sqrt(STIFFNESS / LINK) / (2 * np.pi)
    free = np.sqrt(STIFFNESS / LINK + STIFFNESS / ROTOR) / (2 * np.pi)
    assert joint.separable == "all"
    assert joint.locked.value == pytest.approx(locked, rel=0.03)
    assert joint.free.value == pytest.approx(free, rel=0.02)
    stiffness = joint.quantity("stiffness")
    assert stiffness is not None
    assert stiffness.value == pytest.approx(STIFFNESS, rel=0.04)


def test_a_known_rotor_sets_the_scale() -> None:
    joint = resonance(100.0, f"elastic.rotor_inertia={2 * ROTOR}")
    stiffness = joint.quantity("stiffness")
    assert stiffness is not None
    assert stiffness.value == pytest.approx(2 * STIFFNESS, rel=0.04)


def test_without_excitation_beyond_the_antiresonance_masses_are_not_separated() -> None:
    joint = resonance(12.0)
    assert joint.separable != "all"
    assert joint.quantity("stiffness") is None


def test_motion_that_torque_does_not_cause_is_refused() -> None:
    random = np.random.default_rng(0)
    time = np.arange(5000) / RATE
    noise = Recording.from_arrays(
        time, random.standard_normal(5000), random.standard_normal(5000), joint_names=["joint_1"]
    )
    with pytest.raises(RecordingError, match="follows from its torque coherently"):
        identify_resonances(load_robot("pendulum"), noise)
