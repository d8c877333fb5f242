"""Limits of the robot's joints: the profile's ``limits``."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import model_validator

from dynid.arrays import Array
from dynid.configuration import PerJointPositive, Settings, per_joint


class JointLimits(NamedTuple):
    """Limits of each of n joints, infinite where there are none.

    Attributes:
        low, high: position (n,) [rad or m].
        velocity: (n,) [rad/s or m/s].
        acceleration: (n,) [rad/s^2 or m/s^2].
        torque: (n,) [N m or N].
    """

    low: Array
    high: Array
    velocity: Array
    acceleration: Array
    torque: Array

    @property
    def half(self) -> Array:
        """Half the range of positions (n,) [rad or m]."""
        return (self.high - self.low) / 2

    @property
    def middle(self) -> Array:
        """Middle of the position limits, 0 where there are none (n,) [rad or m]."""
        with np.errstate(invalid="ignore"):
            return np.where(np.isfinite(self.half), (self.low + self.high) / 2, 0.0)

    def finite(self) -> JointLimits:
        """Return half a turn or pi m, 2 rad/s or m/s, and 5 rad/s^2 or m/s^2 for those of none."""
        usual = (-math.pi, math.pi, 2.0, 5.0, math.inf)
        pairs = zip(self, usual, strict=True)
        return JointLimits(*(np.where(np.isfinite(given), given, one) for given, one in pairs))

    def within(self, margin: float) -> JointLimits:
        """Return a fraction of the limits, of positions about their middle."""
        middle, half = self.middle, margin * self.half
        return JointLimits(middle - half, middle + half, *(margin * size for size in self[2:]))


class Limits(Settings):
    """Limits of the drives and the mechanics, one value per joint or one for all (SI units).

    A limit that is left out is that of the URDF, if every joint has it there; null: none.
    """

    position: tuple[tuple[float, float], ...] | None = None
    """Lower and upper position limit of each joint [rad or m]."""
    velocity: PerJointPositive | None = None
    """Largest velocity [rad/s or m/s]."""
    acceleration: PerJointPositive | None = None
    """Largest acceleration [rad/s^2 or m/s^2]."""
    torque_max: PerJointPositive | None = None
    """Largest torque behind the gear [N m or N]."""
    torque_threshold: PerJointPositive | None = None
    """Measured torque that stops the robot [N m or N]; null: none."""

    def of_joints(self, joints: int) -> JointLimits:
        """Return the limits of each joint.

        Raises:
            ConfigurationError: a limit has neither 1 nor ``joints`` values.
        """
        position = self.position or ((-math.inf, math.inf),)
        low, high = (per_joint(side, joints, "position") for side in zip(*position, strict=True))
        sizes = ("velocity", "acceleration", "torque_max")
        none = (math.inf,)
        return JointLimits(
            low, high, *(per_joint(getattr(self, name) or none, joints, name) for name in sizes)
        )

    def range_of(self, name: str, joint: int) -> tuple[float, float] | None:
        """Return the limits of a joint's position, velocity or acceleration, if there are any."""
        given = getattr(self, name)
        if given is None:
            return None
        value = given[joint if len(given) > 1 else 0]
        return value if isinstance(value, tuple) else (-value, value)

    def reach(
        self, joint: int, recorded: tuple[float, float], *, prismatic: bool
    ) -> tuple[float, float]:
        """Return the positions that a joint may take [rad or m]: recorded, or within its limits.

        Limits wider than half a turn in each direction add no other poses.
        """
        limit = self.range_of("position", joint)
        if limit is None:
            return recorded
        widest = math.inf if prismatic else math.pi
        low, high = recorded
        return min(low, max(limit[0], -widest)), max(high, min(limit[1], widest))

    @model_validator(mode="after")
    def _positions_are_lower_and_upper(self) -> Limits:
        for low, high in self.position or ():
            if low >= high:
                raise ValueError(f"position [{low:g}, {high:g}] must be [lower, upper]")
        return self
