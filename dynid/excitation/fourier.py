"""Fourier excitation: a periodic motion with few, selected frequencies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynid.arrays import Array
from dynid.excitation.motion import Motion
from dynid.excitation.ramp import Ramp
from dynid.notebook import Shown
from dynid.plugins import on_use


@dataclass(frozen=True, eq=False)
class FourierExcitation(Shown):
    """Finite Fourier series of every joint, with one base frequency (Swevers et al. 1997).

    q(t) = centre + s(t) sum_l [a_l / (w l) sin(w l x) - b_l / (w l) cos(w l x)], x = t - ramp.rise,

    w = 2 pi base_frequency, so that a and b are the amplitudes of velocity. The motion is periodic
    between the ramps, so that averaging over periods reduces noise without a filter.

    Attributes:
        centre: position about which the joints move (n,) [rad or m].
        sine, cosine: coefficients a and b, one column for each harmonic l = 1 … L, (n, L) [rad/s or
            m/s].
        base_frequency: [Hz].
        ramp: amplitude s(t); its duration is that of the whole motion.
    """

    centre: Array
    sine: Array
    cosine: Array
    base_frequency: float
    ramp: Ramp

    def __repr__(self) -> str:
        """Return joints, harmonics, base frequency and duration as text."""
        joints, harmonics = self.sine.shape
        return (
            f"Fourier excitation of {joints} joints: {harmonics} harmonics of "
            f"{self.base_frequency:.4g} Hz, {self.duration:.4g} s"
        )

    def plot(self) -> NDArray[Any]:
        """Draw position, velocity and acceleration over time; return matplotlib's axes (3, n)."""
        return cast("NDArray[Any]", on_use("dynid.report.figures:motion_axes")(self))

    @property
    def joint_count(self) -> int:
        """Number of joints n."""
        return len(self.centre)

    @property
    def duration(self) -> float:
        """Time from rest to rest [s]."""
        return self.ramp.duration

    @property
    def period(self) -> float:
        """Time after which the motion between the ramps repeats [s]."""
        return 1 / self.base_frequency

    @property
    def highest_frequency(self) -> float:
        """Frequency of the last harmonic [Hz]."""
        return self.base_frequency * int(self.sine.shape[1])

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Start and end of the motion and its ramps [s]."""
        return self.ramp.breakpoints

    def scaled(self, factor: ArrayLike) -> FourierExcitation:
        """Return the same motion about the same centre, scaled by a factor for each joint (n,)."""
        factors = np.asarray(factor, dtype=np.float64)[:, np.newaxis]
        return replace(self, sine=self.sine * factors, cosine=self.cosine * factors)

    def evaluate(self, time: ArrayLike) -> Motion:
        """Sample the motion at ``time`` (N,) [s]; arrays (N, n)."""
        return self.ramp.apply(time, self.centre, self._series)

    def derivative_bound(self, order: int) -> Array:
        """Bound on the size of a derivative of position, order 1 to 4 (n,)."""
        rates = self._rates()
        speed = np.hypot(self.sine, self.cosine)
        bounds = [np.asarray(speed @ rates ** (k - 1.0)) for k in range(order + 1)]
        return self.ramp.derivative_bound(order, bounds)

    @property
    def used_harmonics(self) -> NDArray[np.intp]:
        """Columns of the harmonics (H,) that are not 0 for all joints."""
        return np.flatnonzero(np.any((self.sine != 0) | (self.cosine != 0), axis=0))

    def _rates(self) -> Array:
        """Return the angular frequency of each harmonic (L,) [rad/s]."""
        return 2 * np.pi * self.base_frequency * np.arange(1, self.sine.shape[1] + 1)

    def _series(self, time: Array) -> Motion:
        used = self.used_harmonics
        rates = self._rates()[used]
        phase = np.outer(time, rates)
        sine, cosine = np.sin(phase), np.cos(phase)
        by_sine, by_cosine = self.sine[:, used].T, self.cosine[:, used].T
        return Motion(
            (sine / rates) @ by_sine - (cosine / rates) @ by_cosine,
            cosine @ by_sine + sine @ by_cosine,
            (cosine * rates) @ by_cosine - (sine * rates) @ by_sine,
        )
