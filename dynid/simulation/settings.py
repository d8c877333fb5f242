"""Settings of the simulated robot: the profile's ``simulation``."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field, NonNegativeFloat

from dynid.arrays import Array
from dynid.configuration import (
    Delay,
    PerJoint,
    PerJointNotNegative,
    PerJointPositive,
    TaskSettings,
    per_joint,
)
from dynid.dynamics.mechanism import Mechanism
from dynid.robot.robot import Robot


class SimulationSettings(TaskSettings):
    """The true robot, its drives and their sensors; one value per joint (drive) or one for all."""

    group = "simulation"

    parameters: dict[str, float] = Field(default_factory=dict)
    """True parameters by name (``Fv1``, ``M2``); default: the URDF's bodies, 0 for terms."""

    stribeck_torque: PerJointNotNegative = (0.0,)
    """Excess of static friction over Coulomb friction [N*m or N]; not part of any model term."""
    stribeck_velocity: PerJointPositive = (0.05,)
    """Velocity of its exponential decay [rad/s or m/s]."""

    bandwidth_hz: PerJointPositive = (10.0,)
    """Natural frequency of position and velocity loop [Hz]."""
    damping_ratio: PerJointPositive = (1.0,)
    """Damping ratio ζ: velocity gain 2 ζ ω, position gain ω / (2 ζ), at the mean motor inertia."""
    integral_time: PerJointPositive | None = (0.05,)
    """Integral time of the velocity loop [s]; None: it has no integrator."""
    command_delay: Delay = 0.001
    """Delay of targets [s]."""
    feedback_delay: Delay = 0.002
    """Delay of measurements [s]."""
    following_error: PerJointPositive = (0.5,)
    """Position error that causes a drive fault [rad or m]."""

    position_resolution: PerJointNotNegative = (0.0,)
    """Resolution of the measured position [rad or m]; 0: exact."""
    backlash: PerJointNotNegative = (0.0,)
    """Play between the joint and the encoder of its ``servo`` [rad or m]."""
    rated_torque: PerJointNotNegative | None = None
    """Torque is measured in whole thousandths of it [N*m or N, behind the gear]; 0: exactly.
    None: from the profile's ``drives`` if given there, else 0."""
    torque_noise: PerJointNotNegative = (0.0,)
    """Standard deviation of white noise on the measured torque [N*m or N]."""

    home: PerJoint | None = None
    """Initial position of the joints [rad or m]; None: 0, or just inside a limit."""
    operational_after: PerJointNotNegative = (0.0,)
    """Time until the drives are on their bus under ros2_control [s]; several for real drives."""
    rest: NonNegativeFloat = 0.5
    """Time at rest before and after the motion [s]."""
    integration_rate: Annotated[float, Field(ge=1.0, le=1e6)] = 1000.0
    """Least number of integration steps per second [Hz]; a multiple of the control rate is used."""


def stated_torque_noise(robot: Robot, mechanism: Mechanism) -> Array:
    """Return the standard deviation of the stated torque noise (n,), 0 if unknown.

    Noise of ``simulation.torque_noise`` and of the quantisation steps q of the feedback, which has
    the variance q² / 12, add up. At the joints [N m or N].
    """
    joints = len(mechanism.joints)
    simulation = robot.find(SimulationSettings) or SimulationSettings()
    step = np.zeros(joints)
    if simulation.rated_torque is not None:
        step = per_joint(simulation.rated_torque, joints, "rated_torque") / 1000
    elif robot.drives.effort in {"rated_current_permille", "rated_torque_permille"}:
        step = robot.drives.torque_factor(joints)
    variance = per_joint(simulation.torque_noise, joints, "torque_noise") ** 2 + step**2 / 12
    # errors of coupled motors act on several joints
    if robot.at_motors:
        variance = np.linalg.inv(mechanism.coupling).T ** 2 @ variance
    return np.asarray(np.sqrt(variance))
