"""How a robot is simulated: the profile's ``simulation``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, NonNegativeFloat, PositiveFloat

from dynid.configuration import (
    PerJoint,
    PerJointNotNegative,
    PerJointPositive,
    TaskSettings,
)

Cycles = Annotated[int, Field(ge=0, le=1000)]


class SimulationSettings(TaskSettings):
    """The true robot, its drives and their sensors; one value per joint (drive) or one for all."""

    group = "simulation"

    parameters: dict[str, float] = Field(default_factory=dict)
    """True parameters by name (``Fv1``, ``M2``); bodies keep the URDF's, terms 0 otherwise."""

    stribeck_torque: PerJointNotNegative = (0.0,)
    """What friction at rest exceeds Coulomb friction by [N*m or N]; no model term describes it."""
    stribeck_velocity: PerJointPositive = (0.05,)
    """Velocity over which that falls off [rad/s or m/s]."""

    bandwidth_hz: PerJointPositive = (10.0,)
    """Natural frequency of position and velocity loop."""
    damping_ratio: PerJointPositive = (1.0,)
    """Of these loops: velocity gain 2 ζ ω, position gain ω / (2 ζ), at the motor's mean inertia."""
    integral_time: PerJointPositive | None = (0.05,)
    """Of the velocity loop [s]; None: it has no integrator."""
    command_delay: Cycles = 1
    """Control cycles until a target acts."""
    feedback_delay: Cycles = 2
    """Control cycles until a measurement is told."""
    following_error: PerJointPositive = (0.5,)
    """Distance between reference and position that trips the drives [rad or m]."""

    position_resolution: PerJointNotNegative = (0.0,)
    """Step of the measured position [rad or m]; 0 measures exactly."""
    rated_torque: PerJointNotNegative | None = None
    """Torque is measured in whole thousandths of it [N*m or N, behind the gear]; 0: exactly.
    None: of the profile's ``drives`` where they say, 0 otherwise."""
    torque_noise: PerJointNotNegative = (0.0,)
    """Standard deviation of white noise on the measured torque [N*m or N]."""

    home: PerJoint | None = None
    """Position of the joints to begin at [rad or m]; None: 0, or just inside a limit."""
    operational_after: PerJointNotNegative = (0.0,)
    """When the drives come on their bus under ros2_control [s]: real ones take seconds."""
    rest: NonNegativeFloat = 0.5
    """Time at rest before and after the motion [s]."""
    integration_rate: PositiveFloat = 1000.0
    """Fewest integration steps per second; raised to a multiple of the control rate [Hz]."""
