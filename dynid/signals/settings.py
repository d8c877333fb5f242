"""How a recording becomes signals: a part of the profile's ``identification``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt, model_validator

from dynid.configuration import Settings, TaskSettings


class MedianSettings(Settings):
    """Outlier removal: a sample far from its running median is replaced by it."""

    order: Annotated[int, Field(ge=3)] = 5
    threshold: PositiveFloat = 6.0  # in robust standard deviations of the difference

    @model_validator(mode="after")
    def _order_is_odd(self) -> MedianSettings:
        if self.order % 2 == 0:
            raise ValueError(f"the median's order must be odd, got {self.order}")
        return self


class ParallelFilterSettings(Settings):
    """The same zero-phase filter on every regressor column and on torque, then decimation."""

    cutoff_hz: PositiveFloat | None = None
    order: PositiveInt = 4
    decimation: PositiveInt = 1


class VelocityThreshold(Settings):
    """Which samples of a joint count as moving, and whether only these are fitted (``fit``)."""

    fraction: Annotated[float, Field(ge=0, lt=1)] = 0.03  # of the joint's peak velocity
    absolute: NonNegativeFloat | tuple[NonNegativeFloat, ...] | None = None  # [rad/s or m/s]
    upper: PositiveFloat | tuple[PositiveFloat, ...] | None = None  # [rad/s or m/s]
    fit: Literal["moving", "all"] = "moving"


class SignalSettings(TaskSettings):
    """Every step from recording to signals; ``null`` leaves an optional step out."""

    group = "identification"
    kept_with_model = True

    trim_rest: bool = True
    period: PositiveFloat | None = None  # [s] of a periodic excitation: average over its periods
    border: NonNegativeFloat = 0.0  # [s] left out at either end after filtering
    median: MedianSettings | None = None
    cutoff_hz: PositiveFloat | None = 10.0
    filter_order: PositiveInt = 4
    excitation_hz: PositiveFloat | None = None  # highest frequency of the excitation
    filter_torque: bool = False
    derivatives: Literal["differences", "kalman"] = "differences"  # kalman: cutoff_hz does nothing
    velocity: Literal["differentiated", "measured"] = "differentiated"
    parallel_filter: ParallelFilterSettings | None = None
    velocity_threshold: VelocityThreshold = VelocityThreshold()

    @property
    def motion_cutoff_hz(self) -> float | None:
        """Cut-off of the low-pass on positions; None where there is none."""
        return None if self.derivatives == "kalman" else self.cutoff_hz
