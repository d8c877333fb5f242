"""Limits of the robot's joints: the profile's ``limits``."""

from __future__ import annotations

from pydantic import model_validator

from dynid.configuration import PerJointPositive, Settings


class Limits(Settings):
    """Limits of the drives and the mechanics, one value per joint or one for all (SI units)."""

    position: tuple[tuple[float, float], ...] | None = None
    velocity: PerJointPositive | None = None
    acceleration: PerJointPositive | None = None
    torque_max: PerJointPositive | None = None
    torque_threshold: PerJointPositive | None = None

    def range_of(self, name: str, joint: int) -> tuple[float, float] | None:
        """Return the limits of a joint's position, velocity or acceleration, if there are any."""
        given = getattr(self, name)
        if given is None:
            return None
        value = given[joint if len(given) > 1 else 0]
        return value if isinstance(value, tuple) else (-value, value)

    @model_validator(mode="after")
    def _positions_are_lower_and_upper(self) -> Limits:
        for low, high in self.position or ():
            if low >= high:
                raise ValueError(f"position [{low:g}, {high:g}] must be [lower, upper]")
        return self
