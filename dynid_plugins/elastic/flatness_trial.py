"""The same motion of a simulated arm with elastic joints, with rigid and elastic feedforward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.control.tracking.motions import LineMotion, Oscillation
from dynid.control.tracking.settings import LineSettings, find_tracking
from dynid.errors import ConfigurationError
from dynid.robot.robot import Robot
from dynid_plugins.elastic.flatness import (
    MotorMotion,
    SmoothReference,
    elastic_feedforward,
    filtered_reference,
    rigid_feedforward,
)
from dynid.robot.elastic import elastic_settings
from dynid_plugins.elastic.simulated_arm import ArmState, ElasticArm, simulate_arm

_CYCLE = 1e-3  # [s]
_REST = 0.3  # [s] after the motion
_DRIVES_HZ = 15.0  # bandwidth of the position loops at the motors
_DAMPED = 0.7
_WRONG = 0.3  # share of the stiffness

RUNS = ("rigid", "elastic", "stiffness 30 % too low", "stiffness 30 % too high")
"""Feedforward of each run, in the order of the simulated robots."""


@dataclass(frozen=True, eq=False)
class FlatnessTrial:
    """Path errors of the simulated arm.

    Attributes:
        robot: name of the profile.
        time: (N,) [s].
        tool_error: distance of the tool from the filtered path (N, runs) [m].
        joint_error: rms of each joint (runs, n) [rad or m].
        delay: of the filtered reference [s].
        limited: share of the samples (runs,) whose torque a limit of the drives bounds.
    """

    robot: str
    time: Array
    tool_error: Array
    joint_error: Array
    delay: float
    limited: Array

    @property
    def rms(self) -> Array:
        """Root mean square of the tool's error (runs,) [m]."""
        return np.asarray(np.sqrt(np.mean(self.tool_error**2, axis=0)))

    @property
    def ratios(self) -> Array:
        """The tool's error of each run as a share of that with rigid feedforward (runs,)."""
        return np.asarray(self.rms / self.rms[0])

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each run."""
        figures = zip(RUNS, self.rms.tolist(), self.ratios.tolist(), self.limited, strict=True)
        return [
            {"feedforward": name, "rms": rms, "ratio": ratio, "limited": float(limited)}
            for name, rms, ratio, limited in figures
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``--json``; lengths in metres, times in seconds."""
        return {"robot": self.robot, "delay": self.delay, "runs": self.rows()}


def elastic_arm(robot: Robot) -> ElasticArm:
    """Return the simulated arm of a profile's ``elastic``, all of whose joints are elastic.

    Raises:
        ConfigurationError: stiffness or rotor inertia of a joint is not known.
    """
    settings, joints = elastic_settings(robot), len(robot.joints)
    rotors = settings.known_rotors(robot)
    if settings.stiffness is None or rotors is None or not np.all(rotors > 0):
        message = (
            f"profile '{robot.name}': feedforward of elastic joints needs elastic.stiffness and "
            "elastic.rotor_inertia of every joint (docs/friction.md#elastic-joints)."
        )
        raise ConfigurationError(message)
    names = ("stiffness", "damping", "backlash")
    stiffness, damping, backlash = (
        per_joint(getattr(settings, name), joints, f"elastic.{name}") for name in names
    )
    none = np.zeros(joints)
    links = robot.mechanism().without_terms()
    return ElasticArm(links, rotors, stiffness, damping, backlash, none, none, none)


def try_flatness(robot: Robot, cutoff_hz: float) -> FlatnessTrial:
    """Simulate the profile's ``tracking`` motion with each feedforward.

    Args:
        robot: with ``elastic`` and ``tracking``.
        cutoff_hz: of each lag of the reference's filter [Hz].

    Raises:
        ConfigurationError: the profile lacks something.
        SimulationError: the drives lose the robot.
    """
    arm = elastic_arm(robot)
    reference = filtered_reference(_commands(robot), cutoff_hz, 1 / _CYCLE)
    feedforwards = [rigid_feedforward(arm.links, arm.rotors, reference)] + [
        elastic_feedforward(arm.links, arm.rotors, factor * arm.stiffness, arm.backlash, reference)
        for factor in (1.0, 1 - _WRONG, 1 + _WRONG)
    ]
    positions, velocities, torques = (
        np.stack(one, axis=1) for one in zip(*feedforwards, strict=True)
    )
    bounds = _largest_torques(robot)
    limited = np.any(np.abs(torques) > bounds, axis=2).mean(axis=0)
    torques = np.clip(torques, -bounds, bounds)
    reached = _follow(arm, reference, MotorMotion(positions, velocities, torques))
    kinematics = robot.kinematics()
    wanted = kinematics.tool_path(reference.position)
    distances = [
        np.linalg.norm(kinematics.tool_path(reached[:, run]) - wanted, axis=1)
        for run in range(len(RUNS))
    ]
    return FlatnessTrial(
        robot=robot.name,
        time=np.asarray(np.arange(len(wanted)) * _CYCLE, dtype=np.float64),
        tool_error=np.stack(distances, axis=1),
        joint_error=np.sqrt(np.mean((reached - reference.position[:, None]) ** 2, axis=0)),
        delay=reference.delay,
        limited=limited,
    )


def _commands(robot: Robot) -> Array:
    settings = find_tracking(robot)
    if settings is None:
        raise ConfigurationError(f"profile '{robot.name}' has no motion under 'tracking'.")
    motion = (
        LineMotion(settings, robot.kinematics())
        if isinstance(settings, LineSettings)
        else Oscillation(settings, robot.joints)
    )
    time = np.arange(round((motion.duration + _REST) / _CYCLE)) * _CYCLE
    return motion.evaluate(time).position


def _follow(arm: ElasticArm, reference: SmoothReference, command: MotorMotion) -> Array:
    """Return the links' positions (N, runs, n) under position loops at the motors."""
    rate = 2 * np.pi * _DRIVES_HZ
    start = reference.position[:1]
    inertia = arm.rotors + np.diag(arm.links.mass_matrix(start[0]))
    rest = arm.at_rest(np.repeat(start, len(RUNS), axis=0))

    def control(number: int, state: ArmState) -> Array:
        error = command.position[number] - state.motor
        rates = command.velocity[number] - state.motor_velocity
        feedback = inertia * rate * (rate * error + 2 * _DAMPED * rates)
        return np.asarray(command.torque[number] + feedback)

    return simulate_arm(arm, rest, control, len(reference.position), _CYCLE).link


def _largest_torques(robot: Robot) -> Array:
    """Return the largest torques of the drives (n,), infinite where the profile has none."""
    ranges = [robot.limits.range_of("torque_max", joint) for joint in range(len(robot.joints))]
    return np.array([np.inf if one is None else one[1] for one in ranges])
