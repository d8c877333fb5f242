"""Settings of the workspace: the profile's ``workspace``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, NonNegativeFloat, PositiveFloat, model_validator

from dynid.arrays import Vector
from dynid.configuration import Settings, TaskSettings


class PlaneSettings(Settings):
    """A plane that the robot stays on one side of, in the frame of the root link."""

    point: Vector = (0.0, 0.0, 0.0)
    """A point on the plane [m]."""
    normal: Vector = (0.0, 0.0, 1.0)
    """Vector of any length that points to the robot's side."""

    @model_validator(mode="after")
    def _normal_points_somewhere(self) -> PlaneSettings:
        if not any(self.normal):
            raise ValueError("'normal' must not be 0 in all directions")
        return self


class BoxSettings(Settings):
    """A box along the axes of the root link's frame, by two opposite corners."""

    low: Vector
    """Corner with the lowest coordinates [m]."""
    high: Vector
    """Corner with the highest coordinates [m]."""

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

    self_collision: bool | None = None
    """Whether collisions between bodies are checked; null: where the URDF has shapes."""
    allowed_pairs: tuple[tuple[str, str], ...] = ()
    """Pairs of links that may touch."""
    srdf: str | None = None
    """SRDF file; the links of its ``<disable_collisions>`` may touch."""
    clearance: NonNegativeFloat = 0.0
    """Smallest distance between bodies, and from planes and boxes [m]."""
    planes: dict[str, PlaneSettings] | Literal["none"] = Field(default_factory=dict)
    """Planes by name, each with the robot on one side; ``none``: there are no planes."""
    boxes: dict[str, BoxSettings] = Field(default_factory=dict)
    """Boxes by name, which the robot stays out of."""
    tool_box: BoxSettings | None = None
    """Box that the tool point stays in; null: no limit."""
    tool_speed: PositiveFloat | None = None
    """Largest speed of the tool point [m/s]; null: no limit."""
    mesh_folder: str | None = None
    """Folder of the URDF's ``<mesh>`` files; null: where the URDF names them."""

    @property
    def given_planes(self) -> dict[str, PlaneSettings]:
        """The planes by name; empty if ``planes`` is ``none``."""
        return {} if self.planes == "none" else self.planes
