"""The small arm with given motions, and the findings of a diagnosis of their recordings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.evaluation.diagnosis.finding import Finding
from dynid.identification.identify import identify
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from support.synthetic import arm_robot, true_parameters

RATE = 200.0
FREQUENCIES = (0.47, 0.61, 0.83)  # [Hz]
AMPLITUDES = (1.0, 1.0, 1.2)  # [rad]
LIMITS = {"position": [[-2.0, 2.0]] * 3, "velocity": 8.0}


def limited_arm(**changes: object) -> Robot:
    """Return the arm with limits that the motions of :func:`swung` keep to."""
    return arm_robot(**({"limits": LIMITS} | changes))


def swung(
    robot: Robot,
    *,
    frequencies: Sequence[float] = FREQUENCIES,
    amplitudes: Sequence[float] = AMPLITUDES,
    overtone: float = 0.4,
    duration: float = 20.0,
    noise: float = 0.02,
) -> Recording:
    """Return a recording of sines by ideal sensors with white torque noise [N m].

    To each a sine of 2.7 times its frequency is added, ``overtone`` times as large.
    """
    time = np.arange(round(duration * RATE)) / RATE
    position, velocity, acceleration = (np.zeros((len(time), 3)) for _ in range(3))
    for factor, share in ((1.0, 1.0), (2.7, overtone)):
        omega = 2 * np.pi * factor * np.asarray(frequencies)
        size = share * np.asarray(amplitudes)
        phase = np.outer(time, omega) + np.arange(3)
        position += size * np.sin(phase)
        velocity += size * omega * np.cos(phase)
        acceleration -= size * omega**2 * np.sin(phase)
    mechanism = robot.mechanism()
    parameters = true_parameters(mechanism)
    torque = mechanism.with_parameters(parameters).torque(
        position, velocity, acceleration, parameters
    )
    torque += noise * np.random.default_rng(1).standard_normal(torque.shape)
    return Recording(
        time=time,
        position=position,
        velocity=velocity,
        effort=torque,
        joint_names=robot.joints,
        sampling_rate=RATE,
    )


def findings(robot: Robot, recording: Recording) -> dict[str, list[Finding]]:
    """Return what an identification finds, by cause."""
    found: dict[str, list[Finding]] = {}
    for finding in identify(robot, [recording]).findings:
        found.setdefault(finding.cause, []).append(finding)
    return found
