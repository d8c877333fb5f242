"""A recording of a simulated robot, as a real one would have made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.configuration import per_joint
from dynid.recording import Recording
from dynid.simulation.plant import SimulatedMotion, integrate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.excitation import Array, Excitation
    from dynid.mechanism import Mechanism
    from dynid.simulation.settings import SimulationSettings


def simulate(
    mechanism: Mechanism,
    excitation: Excitation,
    settings: SimulationSettings,
    *,
    sampling_rate: float = 1000.0,
    seed: int = 0,
) -> Recording:
    """Record the position-controlled robot while it follows an excitation.

    The same arguments give the same recording. Effort is motor torque at the joint side, in the
    order of the mechanism's joints, whatever the real drives report.

    Raises:
        SimulationError: The position loop lost the robot.
        ConfigurationError: Settings and mechanism do not fit.
    """
    motion = integrate(mechanism, excitation, settings, sampling_rate)
    return measure(motion, settings, mechanism.joints, sampling_rate=sampling_rate, seed=seed)


def measure(
    motion: SimulatedMotion,
    settings: SimulationSettings,
    joints: Sequence[str],
    *,
    sampling_rate: float,
    seed: int = 0,
) -> Recording:
    """Read a simulated motion with encoders and torque sensors that quantise and are noisy."""
    count = len(joints)
    noise = per_joint(settings.torque_noise, count, "torque_noise")
    noisy = motion.torque + noise * np.random.default_rng(seed).standard_normal(motion.torque.shape)
    position_step = per_joint(settings.position_resolution, count, "position_resolution")
    torque_step = per_joint(settings.torque_resolution, count, "torque_resolution")
    return Recording(
        time=np.arange(len(motion.time)) / sampling_rate,
        position=_quantised(motion.position, position_step),
        velocity=motion.velocity,
        effort=_quantised(noisy, torque_step),
        joint_names=tuple(joints),
        sampling_rate=sampling_rate,
    )


def _quantised(values: Array, step: Array) -> Array:
    """Round to multiples of a step (n,); 0 leaves a column as it is."""
    safe = np.where(step > 0, step, 1.0)
    return np.where(step > 0, np.round(values / safe) * safe, values)
