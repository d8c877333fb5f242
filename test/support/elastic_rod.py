"""A rod behind a gear that bends: recordings of the encoders at its motor and at its link."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynid.dynamics.joint_terms import JointTerm
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid_plugins.elastic.deflection import deflection_by, relaxed

RATE = 500.0
"""Samples in a second."""

DELAY, OFFSET = 3e-3, 0.02
"""Of the link's encoder [s], and between the encoders [rad]."""


class Gear(NamedTuple):
    """A gear, and the noise of the encoders [SI units].

    Attributes:
        motor_waves: amplitudes by the periods in a turn of the motor [rad].
        oval: amplitude of the wave of half turns of the joint [rad].
        friction: that the joint has before it slides, and holds at rest, besides 0.5 N*m [N*m].
        friction_share: of all friction, behind the elasticity.
    """

    stiffness: float = 5000.0
    damping: float = 10.0
    backlash: float = 4e-4
    hardening: float = 0.0
    ratio: float = 1.0
    motor_waves: tuple[tuple[float, float], ...] = ()
    oval: float = 0.0
    noise: float = 2e-5
    friction: float = 0.0
    friction_share: float = 0.0

    def robot(self, *more: str) -> Robot:
        """Return the rod with the profile that its identification needs."""
        settings = (
            f"drives.gear_ratio={self.ratio}",
            f"elastic.rotor_inertia={0.5 / self.ratio**2}",
            "identification.cutoff_hz=20",
            "terms=[viscous, {kind: coulomb, smoothing: 0.01}, offset]",
        )
        return load_robot("pendulum", overrides=[*settings, *more])

    def bent(self, torque: np.ndarray) -> np.ndarray:
        """Return the deflection (N, 1) under a torque (N, 1), without waves."""
        lagging = relaxed(torque[:, 0], self.damping / self.stiffness, RATE)
        cubic = self.hardening / self.stiffness**4
        elastic = deflection_by(lagging, 1 / self.stiffness, cubic)
        return np.asarray(elastic[:, None] + self.backlash / 2 * np.sign(torque))

    def waves(self, link: np.ndarray, motor: np.ndarray) -> np.ndarray:
        """Return the waves of the gear (N, 1) at positions of link and motor (N, 1)."""
        found = self.oval * np.cos(2 * link + 0.7)
        for count, amplitude in self.motor_waves:
            found = found + amplitude * np.cos(count * self.ratio * motor + count)
        return np.asarray(found)


def motion(time: np.ndarray, phase: float = 1.0) -> np.ndarray:
    """Return link positions (N, 1): sines from rest, after a second."""
    ramp = np.clip(time / 2, 0, 1)
    waves = np.sin(2 * np.pi * 0.31 * time) + 0.5 * np.sin(2 * np.pi * 0.83 * time + phase)
    swelling = ramp**3 * (10 - 15 * ramp + 6 * ramp**2)
    return np.asarray((swelling * (waves + 0.1 * np.sin(9 * time)))[:, None])


def recording(
    robot: Robot,
    gear: Gear = Gear(),  # noqa: B008  immutable
    *,
    seed: int = 0,
    seconds: float = 10.0,
    centre: float = 0.0,
    size: float = 1.0,
    phase: float = 1.0,
    added: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda q, torque: 0 * q,
) -> tuple[Recording, np.ndarray]:
    """Return the recording of the motor, and positions of the link (N, 1).

    ``added`` is added to the deflection, by position and torque.
    """
    random = np.random.default_rng(seed)
    time = np.arange(round(seconds * RATE)) / RATE
    step = 1e-4
    q, before, after = (centre + size * motion(time + late, phase) for late in (0.0, -step, step))
    dq, ddq = (after - before) / (2 * step), (after - 2 * q + before) / step**2
    torque = robot.mechanism().without_terms().inverse_dynamics(q, dq, ddq)
    bent = gear.bent(torque)
    held = JointTerm("presliding", 0, scale=2e-3)
    friction = gear.friction * held.column(velocity=dq[:, 0], position=q[:, 0])[:, None]
    friction = friction + 0.5 * np.tanh(dq / 0.01) + 0.3 * dq
    bent = bent + gear.friction_share * friction / gear.stiffness
    lead = bent - gear.backlash / 2 * np.sign(torque)
    turned = ddq[:, 0] + np.gradient(np.gradient(lead[:, 0], 1 / RATE), 1 / RATE)
    bent = bent + added(q, torque)
    bent = bent + gear.waves(q, q + bent)
    noise = gear.noise * random.standard_normal((2, *q.shape))
    motor = Recording.from_arrays(
        time,
        q + bent + OFFSET + noise[0],
        torque + 0.5 * turned[:, None] + friction,
        joint_names=robot.joints,
    )
    return motor, centre + size * motion(time - DELAY, phase) + noise[1]
