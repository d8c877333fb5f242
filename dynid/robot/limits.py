"""Limits of the robot's joints: the profile's ``limits``."""

from __future__ import annotations

import math

from pydantic import model_validator

from dynid.configuration import PerJointPositive, Settings


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
