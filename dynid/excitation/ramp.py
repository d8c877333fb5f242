"""Amplitude ramps, so that a periodic motion starts from rest and ends at rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, sqrt

import numpy as np
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.excitation.motion import Motion

STEP_PEAKS = (1.0, 15 / 8, 10 / sqrt(3), 60.0, 360.0)
"""Largest sizes of the step and of its derivatives up to the fourth on [0, 1]."""


def quintic_step(x: Array) -> tuple[Array, Array, Array]:
    """Return 10 x^3 - 15 x^4 + 6 x^5 and its first two derivatives, for x between 0 and 1."""
    return (
        x**3 * (10 + x * (6 * x - 15)),
        30 * x**2 * (1 - x) ** 2,
        60 * x * (1 - x) * (1 - 2 * x),
    )


@dataclass(frozen=True)
class Ramp:
    """Amplitude s(t) that rises from 0 to 1 in ``rise``, stays, and returns to 0 at the end.

    s is the quintic step, whose velocity and acceleration vanish at both ends; the product with
    any smooth motion therefore has continuous acceleration, and is at rest where s is 0. With
    ``rise`` 0 there is no ramp: s is 1 between 0 and ``duration``.

    Attributes:
        rise: duration of either ramp [s].
        duration: time from rest to rest, ramps included [s].
    """

    rise: float
    duration: float

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Instants where a third or higher derivative jumps [s]."""
        inner = (self.rise, self.duration - self.rise) if self.rise > 0 else ()
        return (0.0, *inner, self.duration)

    def apply(self, time: ArrayLike, rest: Array, motion: Callable[[Array], Motion]) -> Motion:
        """Return rest + s(t) p(t - rise) and its derivatives.

        Args:
            time: instants (N,) [s]; outside [0, duration], the state at rest at the nearer end.
            rest: position at amplitude 0 (n,).
            motion: the motion p about that position, from instants (N,) to (N, n).
        """
        instants = np.asarray(time, dtype=np.float64)
        held = np.clip(instants, 0.0, self.duration)
        p, dp, ddp = motion(held - self.rise)
        s, ds, dds = (level[:, np.newaxis] for level in self._levels(held))
        outside = (instants != held)[:, np.newaxis]
        return Motion(
            rest + s * p,
            np.where(outside, 0.0, ds * p + s * dp),
            np.where(outside, 0.0, dds * p + 2 * ds * dp + s * ddp),
        )

    def derivative_bound(self, order: int, bounds: Sequence[Array]) -> Array:
        """Bound a derivative of s p by Leibniz' rule, from bounds (n,) on p, dp, … to ``order``."""
        total = np.zeros_like(bounds[0])
        for k in range(order + 1 if self.rise > 0 else 1):
            step = STEP_PEAKS[k] / self.rise**k if k else 1.0
            total += comb(order, k) * step * bounds[order - k]
        return total

    def _levels(self, time: Array) -> tuple[Array, Array, Array]:
        """Return s and its first two derivatives at instants (N,) between 0 and the end."""
        if self.rise == 0:
            return np.ones_like(time), np.zeros_like(time), np.zeros_like(time)
        falling = time > self.duration / 2
        x = np.minimum(np.where(falling, self.duration - time, time) / self.rise, 1.0)
        s, ds, dds = quintic_step(x)
        return s, np.where(falling, -ds, ds) / self.rise, dds / self.rise**2
