"""Samples that were taken at other times than their stamps say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.swung_arm import RATE, findings, limited_arm, swung
from support.synthetic import true_parameters

from dynid.recording.model import Recording


def jittering(recording: Recording, largest: float) -> Recording:
    """Take samples up to so much [s] earlier or later, by the velocity and its derivative."""
    random = np.random.default_rng(7)
    late = random.uniform(-largest, largest, (len(recording.time), 1))

    def at(values: np.ndarray) -> np.ndarray:
        return values + late * np.gradient(values, 1 / RATE, axis=0)

    assert recording.velocity is not None
    return replace(
        recording,
        position=at(recording.position),
        velocity=at(recording.velocity),
        effort=at(recording.effort),
    )


@pytest.mark.parametrize("largest", [0.0001, 0.003])
@pytest.mark.parametrize("with_velocity", [True, False])
def test_the_deviation_of_the_times_is_measured(largest: float, with_velocity: bool) -> None:
    robot = limited_arm(identification={"cutoff_hz": 15.0})
    recording = jittering(swung(robot), largest)
    if not with_velocity:
        recording = replace(recording, velocity=None)
    found = findings(robot, recording)
    (jitter,) = found["sampling_jitter"]
    assert jitter.evidence["standard deviation [s]"] == pytest.approx(largest / 3**0.5, rel=0.07)
    assert jitter.severity == ("warning" if largest > 0.001 else "note")
    assert not {"time_shift", "noise", "unexplained"}.intersection(found)


def test_its_effect_on_torque_is_that_of_filtered_accelerations() -> None:
    robot = limited_arm(identification={"cutoff_hz": 15.0})
    true = swung(robot)
    jittered = jittering(true, 0.003)
    (jitter,) = findings(robot, jittered)["sampling_jitter"]
    spectrum = np.fft.rfft(jittered.position - true.position, axis=0)
    frequency = np.fft.rfftfreq(len(true.time), 1 / RATE)[:, None]
    spectrum = np.where(frequency < 15.0, -((2 * np.pi * frequency) ** 2) * spectrum, 0.0)
    error = np.fft.irfft(spectrum, len(true.time), axis=0)
    mechanism = robot.mechanism()
    mechanism = mechanism.with_parameters(true_parameters(mechanism))
    still = np.zeros_like(error)
    inertial, weight = (mechanism.inverse_dynamics(true.position, still, a) for a in (error, still))
    share = (inertial - weight).std(axis=0) / np.sqrt(np.mean(true.effort**2, axis=0))
    assert jitter.evidence["share of torque"] == pytest.approx(float(share.max()), rel=0.25)


def test_jitter_that_hardly_changes_torque_is_a_note() -> None:
    robot = limited_arm(identification={"cutoff_hz": 15.0})
    slow = swung(robot, frequencies=(0.047, 0.061, 0.083), duration=100.0, noise=0.1)
    (jitter,) = findings(robot, jittering(slow, 0.0005))["sampling_jitter"]
    assert jitter.evidence["standard deviation [s]"] == pytest.approx(0.000289, rel=0.07)
    assert jitter.severity == "note"


def test_noise_and_steps_of_encoders_are_no_jitter() -> None:
    robot = limited_arm()
    true = swung(robot)
    noise = np.random.default_rng(3).normal(0.0, 2e-4, true.position.shape)
    for position in (true.position + noise, np.round(true.position / 1e-3) * 1e-3):
        recording = replace(true, position=position, velocity=None)
        assert "sampling_jitter" not in findings(robot, recording)


def test_one_moving_joint_cannot_tell_jitter_from_noise() -> None:
    robot = limited_arm()
    alone = jittering(swung(robot, amplitudes=(0.0, 1.0, 0.0)), 0.003)
    assert "sampling_jitter" not in findings(robot, alone)
