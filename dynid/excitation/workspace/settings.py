"""Settings of the workspace: the profile's ``workspace``."""

from __future__ import annotations

from typing import Literal

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
    """Constraints on the distances of the robot, and on its tool.

    ``planes: none`` states that there is no floor, table or wall; without any planes this is
    unknown, and is reported with every verdict. Links that may touch are listed in the SRDF's
    ``<disable_collisions>`` and in ``allowed_pairs``.
    """

    group = "workspace"
    kept_with_model = True

    self_collision: bool | None = None  # check it; null: if the bodies have shapes
    allowed_pairs: tuple[tuple[str, str], ...] = ()  # links that may touch
    srdf: str | None = None  # file whose <disable_collisions> name links that may touch
    clearance: NonNegativeFloat = 0.0  # [m] between bodies, planes and boxes
    planes: dict[str, PlaneSettings] | Literal["none"] = Field(default_factory=dict)
    boxes: dict[str, BoxSettings] = Field(default_factory=dict)  # that the robot must not enter
    tool_box: BoxSettings | None = None  # the tool point stays inside
    tool_speed: PositiveFloat | None = None  # [m/s] of the tool point
    mesh_folder: str | None = None  # with the files of the URDF's <mesh>

    @property
    def given_planes(self) -> dict[str, PlaneSettings]:
        """The planes by name; empty if ``planes`` is ``none``."""
        return {} if self.planes == "none" else self.planes
