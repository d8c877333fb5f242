"""Signals: the result of preprocessing, on the joint side and in SI units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.signals.motion_filter import MotionFilter

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism
    from dynid.recording.temperature import Temperature

_LOWEST_ORDER, _HIGHEST_ORDER = 2, 6  # order of differences
_FEWEST_SAMPLES = 50  # samples: of fewer no noise is estimated
_EXAMINED = 50_000  # samples
_SCATTER = 1.05  # of the estimates of two orders, two standard deviations for 4000 samples
_NORMAL = 1.4826  # standard deviation over median absolute value of a normal distribution

SAMPLED = (
    "time",
    "position",
    "velocity",
    "acceleration",
    "torque",
    "raw_position",
    "raw_torque",
    "moving",
)
"""Attributes of signals with one row a sample."""


@dataclass(frozen=True)
class Signals:
    """Filtered motion and torque of the actuated joints, time along axis 0.

    Attributes:
        time: (N,) [s], uniform, counted from the start of the recording.
        position, velocity, acceleration: (N, n) filtered [rad or m and derivatives].
        torque: (N, n) at the joints [N m or N], without spikes, and filtered if set so.
        raw_position, raw_torque: (N, n) the same without a filter, and with the spikes of torque.
        moving: (N, n) bool, the joint's speed is between the thresholds.
        velocity_threshold: (n,) lower threshold [rad/s or m/s].
        torque_per_effort: (n,) joint torque per unit of recorded effort, for errors in that unit.
        effort_unit: unit of the recorded effort ("N*m", "N", "A", …).
        sampling_rate: [Hz].
        motion_filter: from ``raw_position`` to position, velocity and acceleration; None if
            velocity was measured.
        earlier_position, earlier_velocity: (K, n) motion before the first sample, for friction
            with memory.
        position_step: (n,) step between recorded positions, 0 where there is none [rad or m].
        first_play: (n,) by which a joint at rest can appear to move at the start, by encoder steps
            and noise [rad or m]; None: by nothing.
        temperature: of the joints or motors, on the same time axis; None if not recorded.
        missing: (N,) samples that were interpolated, among them those of torque spikes, and are not
            fitted; None: none was.
        piece: number of this piece of a recording with gaps; None: it is whole.
        notes: sentences on what was repaired or removed.
    """

    joint_names: tuple[str, ...]
    time: Array
    position: Array
    velocity: Array
    acceleration: Array
    torque: Array
    raw_position: Array
    raw_torque: Array
    moving: NDArray[np.bool_]
    velocity_threshold: Array
    torque_per_effort: Array
    effort_unit: str
    sampling_rate: float
    notes: tuple[str, ...] = ()
    motion_filter: MotionFilter | None = None
    earlier_position: Array | None = None
    earlier_velocity: Array | None = None
    position_step: Array | None = None
    first_play: Array | None = None
    temperature: Temperature | None = None
    missing: NDArray[np.bool_] | None = None
    piece: int | None = None

    def __repr__(self) -> str:
        """Return joints, length and rate."""
        return (
            f"Signals of {len(self.joint_names)} joints: {len(self.time)} samples at "
            f"{self.sampling_rate:.6g} Hz"
        )

    @property
    def motion(self) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration."""
        return self.position, self.velocity, self.acceleration

    @cached_property
    def white_noise(self) -> Array:
        """Standard deviation (n,) of white noise on the unfiltered torque [N m or N]."""
        return white_noise(self.raw_torque)

    def every(self, step: int) -> Signals:
        """Return every ``step``-th sample, without another filter; friction has no memory then."""
        if step == 1:
            return self
        # copies, so that the other samples need not be kept
        rows: dict[str, Any] = {name: getattr(self, name)[::step].copy() for name in SAMPLED}
        for name in ("earlier_position", "earlier_velocity"):
            values = getattr(self, name)
            rows[name] = None if values is None else values.copy()
        missing = None if self.missing is None else self.missing[::step]
        return replace(self, sampling_rate=self.sampling_rate / step, missing=missing, **rows)

    def part(self, span: slice) -> Signals:
        """Return the samples of a span; the motion before it is known to friction with memory."""
        first = span.indices(len(self.time))[0]
        rows = {name: getattr(self, name)[span] for name in SAMPLED}
        return replace(
            self,
            missing=None if self.missing is None else self.missing[span],
            earlier_position=self.position[:first],
            earlier_velocity=self.velocity[:first],
            **rows,
        )

    def past(self, mechanism: Mechanism) -> Array:
        """Return the state of terms with memory at the first sample, see ``Mechanism.new_past``."""
        past = mechanism.new_past(self.first_play)
        if len(past) and self.earlier_position is not None and self.earlier_velocity is not None:
            mechanism.advance(self.earlier_position, self.earlier_velocity, past)
        return past


def white_noise(torque: Array) -> Array:
    """Estimate the standard deviation (n,) of white noise on torque (N, n).

    A difference of order p has the variance C(2p, p) σ² for white noise (Gasser, Sroka and
    Jennen-Steinmetz, Biometrika 73, 1986). What varies smoothly adds to low orders, and high orders
    scatter more: of several orders the lowest is used whose estimate is not larger than the
    smallest one beyond this scatter. The median is not affected by friction at reversals and by
    spikes.
    """
    if len(torque) < _FEWEST_SAMPLES:
        return np.zeros(torque.shape[1])
    differences = np.ascontiguousarray(torque[:_EXAMINED].T)
    rows = []
    for order in range(1, _HIGHEST_ORDER + 1):
        differences = np.diff(differences)
        if order >= _LOWEST_ORDER:
            size = np.median(np.abs(differences), axis=1, overwrite_input=True)
            rows.append(_NORMAL * size / np.sqrt(comb(2 * order, order)))
    levels = np.array(rows)
    lowest = np.argmax(levels <= _SCATTER * levels.min(axis=0), axis=0)
    return np.asarray(np.take_along_axis(levels, lowest[None], axis=0)[0])
