"""Filters from measured positions to positions, velocities and accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.signals.filters import differentiate, low_pass
from dynid.signals.kalman_smoother import KalmanSmoother


@dataclass(frozen=True)
class DifferenceFilter:
    """A zero-phase low-pass, then central differences, twice.

    Attributes:
        cutoff_hz: of the low-pass [Hz]; None: no low-pass.
        order: of the low-pass.
        sampling_rate: [Hz].
        periodic: the samples are one period of a periodic motion.
        difference_order: of the central differences.
    """

    cutoff_hz: float | None
    order: int
    sampling_rate: float
    periodic: bool
    difference_order: Literal[2, 6] = 2

    @property
    def bandwidth_hz(self) -> Array:
        """Cut-off frequency (1,) [Hz], that of all joints; infinity without a low-pass."""
        return np.array([np.inf if self.cutoff_hz is None else self.cutoff_hz])

    @property
    def exponent(self) -> NDArray[np.intp]:
        """Exponent (1,) of the gain 1 / (1 + (f / f_c)^exponent)."""
        return np.array([2 * self.order])

    def smooth(self, values: Array) -> Array:
        """Apply the low-pass to values (N, n).

        Raises:
            PreprocessingError: the cut-off is at or above the Nyquist frequency.
        """
        if self.cutoff_hz is None:
            return values
        return low_pass(
            values, self.cutoff_hz, self.order, self.sampling_rate, periodic=self.periodic
        )

    def slope(self, values: Array) -> Array:
        """Differentiate values (N, n) over time."""
        return differentiate(
            values, self.sampling_rate, periodic=self.periodic, order=self.difference_order
        )

    def motion(self, position: Array) -> tuple[Array, Array, Array]:
        """Return filtered positions, velocities and accelerations (N, n) of positions (N, n)."""
        smooth = self.smooth(position)
        velocity = self.slope(smooth)
        return smooth, velocity, self.slope(velocity)


MotionFilter: TypeAlias = DifferenceFilter | KalmanSmoother
