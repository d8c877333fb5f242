"""What a robot bears: the profile's ``limits``."""

from __future__ import annotations

from pydantic import model_validator

from dynid.configuration import PerJointPositive, Settings


class Limits(Settings):
    """What the drives and the mechanics bear, one value per joint or one for all (SI)."""

    position: tuple[tuple[float, float], ...] | None = None
    velocity: PerJointPositive | None = None
    acceleration: PerJointPositive | None = None
    torque_max: PerJointPositive | None = None
    torque_threshold: PerJointPositive | None = None

    @model_validator(mode="after")
    def _positions_are_lower_and_upper(self) -> Limits:
        for low, high in self.position or ():
            if low >= high:
                raise ValueError(f"position [{low:g}, {high:g}] must read [lower, upper]")
        return self
