"""From measured positions to filtered positions, velocities and accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynid.arrays import Array
from dynid.signals.filters import differentiate, low_pass
from dynid.signals.kalman_smoother import KalmanSmoother

if TYPE_CHECKING:
    from typing import TypeAlias


@dataclass(frozen=True)
class DifferenceFilter:
    """A zero-phase low-pass, if there is a cut-off, then central differences, twice.

    With ``periodic`` the samples are one period of an endless motion.
    """

    cutoff_hz: float | None
    order: int
    sampling_rate: float
    periodic: bool

    def smooth(self, values: Array) -> Array:
        """Filter values (N, n) alone.

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
        return differentiate(values, self.sampling_rate, periodic=self.periodic)

    def motion(self, position: Array) -> tuple[Array, Array, Array]:
        """Filter positions (N, n) into positions, velocities and accelerations, each (N, n)."""
        smooth = self.smooth(position)
        velocity = self.slope(smooth)
        return smooth, velocity, self.slope(velocity)


MotionFilter: TypeAlias = DifferenceFilter | KalmanSmoother
