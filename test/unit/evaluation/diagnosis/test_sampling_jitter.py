"""Samples that were taken at other times than their stamps say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.swung_arm import RATE, findings, limited_arm, swung

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


@pytest.mark.parametrize("largest", [0.0003, 0.003])
@pytest.mark.parametrize("with_velocity", [True, False])
def test_the_deviation_of_the_times_is_measured(largest: float, with_velocity: bool) -> None:
    robot = limited_arm(identification={"cutoff_hz": 15.0})
    recording = jittering(swung(robot), largest)
    if not with_velocity:
        recording = replace(recording, velocity=None)
    found = findings(robot, recording)
    (jitter,) = found["sampling_jitter"]
    assert jitter.evidence["standard deviation [s]"] == pytest.approx(largest / 3**0.5, rel=0.07)
    harmful = jitter.evidence["share of acceleration"] > 0.1
    assert jitter.severity == ("warning" if harmful else "note")
    assert harmful == (largest > 0.001)
    assert not {"time_shift", "noise", "unexplained"}.intersection(found)


def test_its_effect_on_accelerations_is_that_of_the_filtered_ones() -> None:
    robot = limited_arm(identification={"cutoff_hz": 15.0})
    true = swung(robot)
    (jitter,) = findings(robot, jittering(true, 0.003))["sampling_jitter"]
    cutoff, rate = 15.0, RATE
    spectrum = np.fft.rfft(jittering(true, 0.003).position - true.position, axis=0)
    frequency = np.fft.rfftfreq(len(true.time), 1 / rate)[:, None]
    spectrum = np.where(frequency < cutoff, (2 * np.pi * frequency) ** 2 * spectrum, 0.0)
    error = np.fft.irfft(spectrum, len(true.time), axis=0).std(axis=0)
    acceleration = np.gradient(true.velocity, 1 / rate, axis=0).std(axis=0)
    share = float((error / acceleration).max())
    assert jitter.evidence["share of acceleration"] == pytest.approx(share, rel=0.2)


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
