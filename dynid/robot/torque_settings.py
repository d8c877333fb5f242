"""Torque that is added, and torque errors that are too much: ``feedforward`` and ``collision``.

They lie with the robot because supervision of a motion, diagnosis and control all use them.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, NonNegativeFloat, PositiveFloat

from dynid.configuration import (
    PerJointNotNegative,
    PerJointPositive,
    PerJointSwitch,
    TaskSettings,
    per_joint,
)


def _below_one(values: tuple[float, ...]) -> tuple[float, ...]:
    for value in values:
        if value >= 1:
            message = f"must be below 1, got {value:g}"
            raise ValueError(message)
    return values


PerJointFilter = Annotated[PerJointNotNegative, AfterValidator(_below_one)]
Cycles = Annotated[int, Field(ge=0, le=1000)]


class FeedforwardSettings(TaskSettings):
    """The additive torque: inverse dynamics of the commanded motion; per joint, or one for all."""

    group = "feedforward"

    additive_torque_delay: Cycles = 3
    """Control cycles after its command that a torque is sent (softMC: AdditiveTorqueDelay)."""
    torque_error_delay: Cycles | None = None
    """Control cycles until a command shows in measured torque; None: as the additive torque's."""
    ramp_time: NonNegativeFloat = 0.5
    """In which the additive torque comes and goes [s]."""
    gain: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Share of the model's torque that is added."""
    mode: Literal["full", "semi_static"] = "full"
    """``semi_static``: gravity and friction only."""
    friction_smoothing: PerJointNotNegative | None = None
    """Velocity over which the sign of dry friction is rounded off [rad/s or m/s]; None: a
    hundredth of the velocity limit, or 0.02."""
    position_jump: PerJointPositive | None = None
    """Change of a command in one cycle that no motion has [rad or m]; None: three cycles at the
    velocity limit, or unlimited."""
    acceleration_jump: PerJointPositive | None = None
    """Commanded acceleration that no motion has [rad/s^2 or m/s^2]; None: five times the
    acceleration limit, or unlimited."""
    reference_tolerance: PerJointPositive | None = (0.1,)
    """How far a reference may be from the command for the robot to go there [rad or m];
    None: it follows, however far, as the limits allow."""
    max_age: Annotated[float, Field(gt=0, le=10)] = 0.1
    """For which measured positions, velocities and torques may be missing or stand still [s]."""


class CollisionSettings(TaskSettings):
    """What counts as a collision; one value per joint or one for all.

    A joint's threshold is ``torque_error_max + velocity_factor |v| + acceleration_factor |a|``,
    and ``reversal_boost`` more while |v| is not above ``low_speed``, and for ``boost_time`` after:
    there dry friction may be anything between its values in either direction.
    """

    group = "collision"

    method: Literal["torque_error", "momentum"] = "torque_error"
    """Inverse dynamics of commands, or an observer of the generalised momentum."""
    observer_gain: PositiveFloat = 30.0
    """Of that observer [1/s]: it follows a force within 1 / observer_gain."""
    torque_error_enable: PerJointSwitch = (True,)
    torque_error_filter: PerJointFilter = (0.9,)
    """f in e_f <- f e_f + (1 - f) e each control cycle."""
    torque_error_max: PerJointPositive | None = None
    """[N m or N]; None: torque errors are not watched."""
    velocity_factor: PerJointNotNegative = (0.0,)
    """[N m s/rad or N s/m]"""
    acceleration_factor: PerJointNotNegative = (0.0,)
    """[N m s^2/rad or N s^2/m]"""
    reversal_boost: PerJointNotNegative = (0.0,)
    """[N m or N]"""
    low_speed: PerJointNotNegative = (0.05,)
    """[rad/s or m/s]"""
    boost_time: NonNegativeFloat = 0.1
    """[s]"""
    warn_fraction: Annotated[float, Field(gt=0, le=1)] = 0.7
    """Of a threshold, from which on it warns."""
    debounce: Annotated[int, Field(ge=1, le=1000)] = 3
    """Control cycles in a row beyond the threshold that make a collision."""
    reaction: Literal["hold", "decelerate"] = "decelerate"
    """``hold``: commands stop at once; ``decelerate``: they come to rest along their path."""
    deceleration: PerJointPositive | None = None
    """Of that [rad/s^2 or m/s^2]; None: the acceleration limit, or 10."""

    def threshold_at_rest(self, joints: int) -> NDArray[np.float64] | None:
        """What no torque error of free motion is beyond (n,), or None where nothing is watched.

        Raises:
            ConfigurationError: there is not one value for each joint.
        """
        if self.torque_error_max is None:
            return None
        moving = per_joint(self.torque_error_max, joints, "torque_error_max")
        return moving + per_joint(self.reversal_boost, joints, "reversal_boost")
