"""Sine excitation: every joint swings between two positions at its own frequency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.excitation.motion import Motion
from dynid.excitation.ramp import Ramp


@dataclass(frozen=True, eq=False)
class SineExcitation:
    """Each joint swings between ``start`` and ``target`` (softMC SineWave).

    q(t) = start + s(t) (target - start) / 2 (1 - cos(2 pi f (t - ramp.rise)))

    Attributes:
        start, target: positions (n,) [rad or m].
        frequency: (n,) [Hz].
        ramp: amplitude s(t); its duration is that of the whole motion.
    """

    start: Array
    target: Array
    frequency: Array
    ramp: Ramp

    @property
    def joint_count(self) -> int:
        """Number of joints n."""
        return len(self.start)

    @property
    def duration(self) -> float:
        """Time from rest to rest [s]."""
        return self.ramp.duration

    @property
    def highest_frequency(self) -> float:
        """Frequency of the fastest joint [Hz]."""
        return float(np.max(self.frequency))

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Start and end of the motion and its ramps [s]."""
        return self.ramp.breakpoints

    def evaluate(self, time: ArrayLike) -> Motion:
        """Sample the motion at ``time`` (N,) [s]; arrays (N, n)."""
        return self.ramp.apply(time, self.start, self._swing)

    def derivative_bound(self, order: int) -> Array:
        """Bound on the size of a derivative of position, order 1 to 4 (n,)."""
        size = np.abs(self.target - self.start) / 2
        rate = 2 * np.pi * self.frequency
        bounds = [2 * size, *(size * rate**k for k in range(1, order + 1))]
        return self.ramp.derivative_bound(order, bounds)

    def _swing(self, time: Array) -> Motion:
        half = (self.target - self.start) / 2
        rate = 2 * np.pi * self.frequency
        phase = np.outer(time, rate)
        sine, cosine = np.sin(phase), np.cos(phase)
        return Motion(half * (1 - cosine), half * rate * sine, half * rate**2 * cosine)
