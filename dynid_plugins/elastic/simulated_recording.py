"""Recordings of simulated arms with elastic joints, as two encoders would make them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid_plugins.elastic.simulated_arm import ArmRun, ArmState, ElasticArm, simulate_arm
from dynid_plugins.elastic.two_encoders import TwoEncoders, two_encoders

_STIFF = 0.3  # bandwidth of the drives, over the frequency of the locked joint
_DAMPED = 0.7


@dataclass(frozen=True)
class Encoders:
    """Errors of a recording.

    Attributes:
        noise: white, of each encoder [rad or m].
        torque_noise: white [N*m or N].
        delay: of the links' encoders [s].
        offset: of the motors' encoders minus that of the links' [rad or m].
        ripple: amplitude of a wave of the motors' encoders [rad or m].
        order: of that wave, periods for each turn of the joint.
    """

    noise: float = 0.0
    torque_noise: float = 0.0
    delay: float = 0.0
    offset: float = 0.0
    ripple: float = 0.0
    order: float = 0.0


def follow(arm: ElasticArm, position: Array, cycle: float) -> ArmRun:
    """Simulate drives with position loops at the motors that follow a motion.

    Args:
        arm: with S robots in rows of the motion.
        position: commanded (N, S, n) [rad or m].
        cycle: of the control [s].
    """
    velocity = np.gradient(position, cycle, axis=0)
    acceleration = np.gradient(velocity, cycle, axis=0)
    rate = _STIFF * np.sqrt(arm.stiffness / arm.rotors)
    start = arm.at_rest(position[0])

    def control(number: int, state: ArmState) -> Array:
        wanted = acceleration[number] + rate * (
            2 * _DAMPED * (velocity[number] - state.motor_velocity)
            + rate * (position[number] - state.motor)
        )
        links = arm.links.inverse_dynamics(state.link, state.link_velocity, wanted)
        return np.asarray(links + arm.rotors * wanted + arm.friction(state.motor_velocity))

    return simulate_arm(arm, start, control, len(position), cycle)


def recorded(
    run: ArmRun, robot: Robot, encoders: Encoders, *, every: int = 1, seed: int = 0
) -> list[TwoEncoders]:
    """Return the recording of each robot of a run.

    Args:
        run: of S robots.
        robot: their profile.
        encoders: errors of what is recorded.
        every: cycles between samples.
        seed: of the noise; each robot has its own.
    """
    kept = slice(None, None, every)
    found = []
    for number in range(run.motor.shape[1]):
        random = np.random.default_rng([seed, number])
        motor, link, torque = (one[:, number] for one in (run.motor, run.link, run.torque))
        late = np.stack(
            [np.interp(run.time - encoders.delay, run.time, column) for column in link.T], axis=1
        )
        waves = encoders.ripple * np.cos(encoders.order * motor)
        measured = motor + encoders.offset + waves
        arrays = [measured[kept], late[kept], torque[kept]]
        sizes = (encoders.noise, encoders.noise, encoders.torque_noise)
        position, other, effort = (
            one + size * random.standard_normal(one.shape)
            for one, size in zip(arrays, sizes, strict=True)
        )
        recording = Recording.from_arrays(
            run.time[kept], position, effort, joint_names=robot.joints
        )
        found.append(two_encoders(recording, other, robot))
    return found
