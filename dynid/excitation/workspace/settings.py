"""Where a robot may be: the profile's ``workspace``."""

from __future__ import annotations

from pydantic import Field, NonNegativeFloat, PositiveFloat, model_validator

from dynid.arrays import Vector
from dynid.configuration import Settings, TaskSettings


class PlaneSettings(Settings):
    """A plane that the robot stays on one side of, in the frame of the root link."""

    point: Vector = (0.0, 0.0, 0.0)  # [m] on the plane
    normal: Vector = (0.0, 0.0, 1.0)  # towards the robot's side, of any length

    @model_validator(mode="after")
    def _normal_points_somewhere(self) -> PlaneSettings:
        if not any(self.normal):
            raise ValueError("'normal' must not be 0 in all directions")
        return self


class BoxSettings(Settings):
    """A box along the axes of the root link's frame, by two opposite corners."""

    low: Vector  # [m]
    high: Vector  # [m]

    @model_validator(mode="after")
    def _low_is_below_high(self) -> BoxSettings:
        for axis, low, high in zip("xyz", self.low, self.high, strict=True):
            if low >= high:
                raise ValueError(f"along {axis}, low ({low:g}) must be below high ({high:g})")
        return self


class WorkspaceSettings(TaskSettings):
    """What motions must keep clear of, and how the tool may move.

    ``self_collision`` is off by default: it judges by the URDF's shapes, and where these are rough
    or absent it would refuse motions that the robot can do.
    """

    group = "workspace"
    kept_with_model = True

    self_collision: bool = False  # bodies keep clear of one another
    clearance: NonNegativeFloat = 0.0  # [m] that bodies keep from one another, planes and boxes
    planes: dict[str, PlaneSettings] = Field(default_factory=dict)
    boxes: dict[str, BoxSettings] = Field(default_factory=dict)  # the robot keeps out
    tool_box: BoxSettings | None = None  # the tool point stays inside
    tool_speed: PositiveFloat | None = None  # [m/s] of the tool point
    mesh_folder: str | None = None  # where the files of the URDF's <mesh> are
