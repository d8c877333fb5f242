"""Settings of preprocessing: a part of the profile's ``identification``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt, model_validator

from dynid.configuration import Settings, TaskSettings


class MedianSettings(Settings):
    """Outlier removal: a sample far from its running median is replaced by it."""

    order: Annotated[int, Field(ge=3)] = 5
    """Length of the running median in samples; odd."""
    threshold: PositiveFloat = 6.0
    """Largest distance from the median, in robust standard deviations of the differences."""

    @model_validator(mode="after")
    def _order_is_odd(self) -> MedianSettings:
        if self.order % 2 == 0:
            raise ValueError(f"the median's order must be odd, got {self.order}")
        return self


class ParallelFilterSettings(Settings):
    """The same zero-phase filter on every regressor column and on torque, then decimation."""

    cutoff_hz: PositiveFloat | None = None
    """Cut-off frequency [Hz]; null: decimation alone."""
    order: PositiveInt = 4
    """Order of the low-pass."""
    decimation: PositiveInt = 1
    """Keep every k-th sample."""


class VelocityThreshold(Settings):
    """Which samples of a joint count as moving, and whether only these are fitted (``fit``)."""

    fraction: Annotated[float, Field(ge=0, lt=1)] = 0.03
    """Fraction of the joint's peak velocity below which it counts as at rest."""
    absolute: NonNegativeFloat | tuple[NonNegativeFloat, ...] | None = None
    """Velocity in place of that fraction [rad/s or m/s]."""
    upper: PositiveFloat | tuple[PositiveFloat, ...] | None = None
    """Velocity above which a sample is left out too, for a semi-static model [rad/s or m/s]."""
    fit: Literal["moving", "all"] | None = None
    """Samples that are fitted: those in motion, or all; null: all, but those in motion of joints
    whose dry friction is not smoothed, and where ``absolute`` or ``upper`` is given."""

    @property
    def chooses_samples(self) -> bool:
        """Whether samples are to be left out by their velocity, whatever the friction."""
        by_velocity = self.absolute is not None or self.upper is not None
        return self.fit == "moving" or (self.fit is None and by_velocity)


class SignalSettings(TaskSettings):
    """Every step from recording to signals; ``null`` leaves an optional step out."""

    group = "identification"
    kept_with_model = True

    trim_rest: bool = True
    """Whether rest before and after the motion is left out."""
    period: PositiveFloat | None = None
    """Period of a periodic excitation, to average over its periods [s]; null: no averaging."""
    border: NonNegativeFloat = 0.0
    """Duration left out at either end after filtering [s]."""
    median: MedianSettings | None = None
    """Outlier removal; null: none."""
    cutoff_hz: PositiveFloat | None = 10.0
    """Cut-off of the zero-phase low-pass on positions [Hz], above the excitation's frequencies;
    null: no low-pass."""
    filter_order: PositiveInt = 4
    """Order of that low-pass."""
    excitation_hz: PositiveFloat | None = None
    """Highest frequency of the excitation [Hz]; a lower ``cutoff_hz`` is refused; null: not
    checked."""
    filter_torque: bool = False
    """Whether the same low-pass filters torque, and nothing else."""
    derivatives: Literal["differences", "kalman"] = "differences"
    """Velocity and acceleration by central differences, or by a Kalman smoother, which estimates
    noise and bandwidth and ignores ``cutoff_hz``."""
    velocity: Literal["differentiated", "measured"] = "differentiated"
    """Source of the velocity: differentiated from positions, or as measured."""
    parallel_filter: ParallelFilterSettings | None = None
    """Low-pass and decimation of torque and regressor; null: none."""
    velocity_threshold: VelocityThreshold = VelocityThreshold()
    """Which samples count as motion."""

    @property
    def motion_cutoff_hz(self) -> float | None:
        """Cut-off of the low-pass on positions; None where there is none."""
        return None if self.derivatives == "kalman" else self.cutoff_hz
