"""Settings of preprocessing: a part of the profile's ``identification``."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt, model_validator
from typing_extensions import Self

from dynid.configuration import Settings, TaskSettings

USUAL_CUTOFF_HZ = 10.0
"""Cut-off where it is ``auto`` and no data can decide: above the motion of most robots."""
HIGHEST_CUTOFF = 0.4
"""Highest cut-off that is chosen, over the sampling rate."""
_DECIDED_BY_DATA = ("cutoff_hz", "parallel_filter", "torque_delay", "difference_order")
_RATE_OF_MEANS = 10.0  # over the highest cut-off
_SAMPLES_OF_CUTOFF = 5  # samples that are kept per 1/f, f the cut-off of the parallel filter


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
    """Keep every k-th sample, or more of them where a cut-off would exceed 0.4 of their rate."""

    def not_below(self, cutoff_hz: float | None, sampling_rate: float) -> ParallelFilterSettings:
        """Return the filter with a decimation that keeps its cut-off, or that of positions.

        Args:
            cutoff_hz: of positions [Hz]; None: not filtered.
            sampling_rate: [Hz].
        """
        kept = self.cutoff_hz or cutoff_hz
        if kept is None:
            return self
        most = max(1, int(HIGHEST_CUTOFF * sampling_rate / kept))
        return self if self.decimation <= most else self.model_copy(update={"decimation": most})


def parallel_to(cutoff_hz: float, sampling_rate: float) -> ParallelFilterSettings:
    """Return the filter of torque and regressor of a cut-off, five samples per period kept."""
    kept = max(1, int(sampling_rate / (_SAMPLES_OF_CUTOFF * cutoff_hz)))
    return ParallelFilterSettings(cutoff_hz=cutoff_hz, decimation=kept)


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
    cutoff_hz: PositiveFloat | Literal["auto"] | None = "auto"
    """Cut-off of the zero-phase low-pass on positions [Hz], above the excitation's frequencies;
    ``auto``: chosen by the error on data left out; null: no low-pass."""
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
    difference_order: Literal["auto", 2, 6] = "auto"
    """Order of the central differences; ``auto``: 6 where the error on data left out shows that 2
    is worse while ``cutoff_hz`` is chosen, as of motion with few samples per cycle; otherwise 2."""
    velocity: Literal["differentiated", "measured"] = "differentiated"
    """Source of the velocity: differentiated from positions, or as measured."""
    parallel_filter: ParallelFilterSettings | Literal["auto"] | None = "auto"
    """Low-pass and decimation of torque and regressor; ``auto``: at the cut-off of positions,
    or half of it where it is chosen too and half is better, with five samples per period; none
    beside ``filter_torque`` or ``kalman``; null: none."""
    torque_delay: float | Literal["auto"] = "auto"
    """Time by which torque is recorded later than motion, negative: earlier [s]; ``auto``: up to
    two sampling periods, where the error on data left out shows it while ``cutoff_hz`` is
    chosen."""
    velocity_threshold: VelocityThreshold = VelocityThreshold()
    """Which samples count as motion."""

    @property
    def motion_cutoff_hz(self) -> float | None:
        """Cut-off of the low-pass on positions; None where there is none."""
        if self.derivatives == "kalman":
            return None
        return USUAL_CUTOFF_HZ if self.cutoff_hz == "auto" else self.cutoff_hz

    @property
    def lowest_rate(self) -> float:
        """Rate below which samples of long recordings are not averaged [Hz]: 10 for each period.

        There the mean reduces the amplitude at the highest cut-off by 1.6 %, of motion and torque
        alike. It is infinite where positions are not to pass a low-pass.
        """
        cutoff, parallel = self.motion_cutoff_hz, self.parallel_filter
        if cutoff is None and self.derivatives != "kalman":
            return math.inf
        given = parallel.cutoff_hz if isinstance(parallel, ParallelFilterSettings) else None
        return _RATE_OF_MEANS * max(cutoff or USUAL_CUTOFF_HZ, given or 0.0)

    @property
    def decided_torque_delay(self) -> float:
        """Delay of the torque [s]; 0 where nothing has decided."""
        return 0.0 if self.torque_delay == "auto" else self.torque_delay

    @property
    def decided_difference_order(self) -> Literal[2, 6]:
        """Order of the differences; 2 where nothing has decided."""
        return 2 if self.difference_order == "auto" else self.difference_order

    @property
    def chooses_cutoff(self) -> bool:
        """Whether the cut-off of positions is left to the data."""
        return self.cutoff_hz == "auto" and self.derivatives != "kalman"

    def as_decided(self, decided: TaskSettings) -> Self:
        """See :meth:`TaskSettings.as_decided`."""
        left = [name for name in _DECIDED_BY_DATA if getattr(self, name) == "auto"]
        return self.model_copy(update={name: getattr(decided, name) for name in left})

    def for_rate(self, sampling_rate: float) -> Self:
        """Return the filters of a model for a recording that may be slower than its own were.

        Args:
            sampling_rate: of the recording [Hz].
        """
        explicit = self.explicit(sampling_rate)
        highest, changes = HIGHEST_CUTOFF * sampling_rate, dict[str, object]()
        cutoff, parallel = explicit.motion_cutoff_hz, explicit.parallel_filter
        if cutoff is not None and cutoff > highest:
            changes["cutoff_hz"] = highest
        if isinstance(parallel, ParallelFilterSettings) and (parallel.cutoff_hz or 0) > highest:
            changes["parallel_filter"] = parallel_to(highest, sampling_rate)
        return explicit.model_copy(update=changes) if changes else explicit

    def explicit(
        self,
        sampling_rate: float,
        cutoff_hz: float | None = None,
        parallel_hz: float | None = None,
        torque_delay: float = 0.0,
        difference_order: Literal[2, 6] = 2,
    ) -> Self:
        """Return the settings with numbers in place of ``auto``, for a sampling rate [Hz].

        Args:
            sampling_rate: of the recordings, the lowest of several [Hz].
            cutoff_hz: in place of ``auto`` [Hz]; None: the usual one.
            parallel_hz: cut-off of the parallel filter in place of ``auto`` [Hz]; None: that of
                positions.
            torque_delay: in place of ``auto`` [s].
            difference_order: in place of ``auto``.
        """
        changes: dict[str, object] = {}
        if self.difference_order == "auto":
            changes["difference_order"] = difference_order
        if self.torque_delay == "auto":
            changes["torque_delay"] = torque_delay
        cutoff = self.cutoff_hz
        if cutoff == "auto":
            cutoff = cutoff_hz or min(USUAL_CUTOFF_HZ, HIGHEST_CUTOFF * sampling_rate)
            changes["cutoff_hz"] = cutoff
        if self.parallel_filter == "auto":
            changes["parallel_filter"] = None
            if cutoff is not None and not self.filter_torque and self.derivatives != "kalman":
                changes["parallel_filter"] = parallel_to(parallel_hz or cutoff, sampling_rate)
        elif self.parallel_filter is not None:
            slower = self.parallel_filter.not_below(self.motion_cutoff_hz, sampling_rate)
            if slower is not self.parallel_filter:
                changes["parallel_filter"] = slower
        return self.model_copy(update=changes) if changes else self
