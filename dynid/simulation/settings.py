"""How a robot is simulated: the profile's ``simulation``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, NonNegativeFloat, PositiveFloat

from dynid.configuration import PerJoint, PerJointPositive, Settings


def _not_negative(values: tuple[float, ...]) -> tuple[float, ...]:
    for value in values:
        if value < 0:
            message = f"must not be negative, got {value:g}"
            raise ValueError(message)
    return values


PerJointNotNegative = Annotated[PerJoint, AfterValidator(_not_negative)]


class SimulationSettings(Settings):
    """The true robot, its position loop, and its sensors; one value per joint or one for all."""

    parameters: dict[str, float] = Field(default_factory=dict)
    """True parameters by name (``Fv1``, ``M2``); bodies keep the URDF's, terms 0 otherwise."""

    stribeck_torque: PerJointNotNegative = (0.0,)
    """What friction at rest exceeds Coulomb friction by [N*m or N]; no model term describes it."""
    stribeck_velocity: PerJointPositive = (0.05,)
    """Velocity over which that falls off [rad/s or m/s]."""

    bandwidth_hz: PerJointPositive = (8.0,)
    """Natural frequency of the position loop."""
    damping_ratio: PerJointPositive = (0.8,)
    """Of the position loop."""
    feedforward: Literal["none", "gravity", "inverse_dynamics"] = "gravity"
    """Torque that the drives add for the reference motion, from the URDF's bodies."""

    position_resolution: PerJointNotNegative = (0.0,)
    """Step of the recorded position [rad or m]; 0 records it exactly."""
    torque_resolution: PerJointNotNegative = (0.0,)
    """Step of the recorded torque [N*m or N]."""
    torque_noise: PerJointNotNegative = (0.0,)
    """Standard deviation of white noise on the recorded torque [N*m or N]."""

    rest: NonNegativeFloat = 0.5
    """Time at rest before and after the motion [s]."""
    integration_rate: PositiveFloat = 1000.0
    """Fewest integration steps per second; raised to a multiple of the sampling rate [Hz]."""
