"""Motions from the robot's position to the start of an excitation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.excitation.motion import Motion
from dynid.excitation.ramp import STEP_PEAKS, quintic_step

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dynid.robot.limits import Limits

DEFAULT_VELOCITY = 0.5
"""Limit where the profile has none [rad/s or m/s]: slow, because the robot's own is unknown."""

DEFAULT_ACCELERATION = 1.0
"""Limit where the profile has none [rad/s^2 or m/s^2]."""

_SLACK = 1.0005
"""Factor on the duration, so that the check by samples succeeds exactly at the limit."""
# [s] so that a motion over no distance does not end before its message arrives
_SHORTEST_DURATION = 1.0


@dataclass(frozen=True, eq=False)
class PointToPoint:
    """All joints go from rest to rest together, on a straight line in joint space.

    q(t) = start + (goal - start) (10 x^3 - 15 x^4 + 6 x^5), x = t / duration

    Positions stay between ``start`` and ``goal``. It is an Excitation, so that the checks of
    excitations apply to it.

    Attributes:
        start: position (n,) [rad or m] at rest.
        goal: position (n,) [rad or m] at rest.
        duration: time from rest to rest [s].
    """

    start: Array
    goal: Array
    duration: float

    @property
    def joint_count(self) -> int:
        """Number of joints n."""
        return len(self.start)

    @property
    def highest_frequency(self) -> float:
        """Frequency of one oscillation over the whole motion [Hz]."""
        return 1 / self.duration

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Start and end [s]."""
        return (0.0, self.duration)

    def evaluate(self, time: ArrayLike) -> Motion:
        """Sample the motion at ``time`` (N,) [s]; arrays (N, n)."""
        held = np.clip(np.asarray(time, dtype=np.float64), 0.0, self.duration)
        s, ds, dds = quintic_step((held / self.duration)[:, np.newaxis])
        distance = self.goal - self.start
        return Motion(
            self.start + distance * s,
            distance * (ds / self.duration),
            distance * (dds / self.duration**2),
        )

    def derivative_bound(self, order: int) -> Array:
        """Return the largest size of a derivative of position, of order 1 to 4 (n,)."""
        size: Array = np.abs(self.goal - self.start)
        return size * (STEP_PEAKS[order] / self.duration**order)


def point_to_point(start: Array, goal: Array, limits: Limits, fraction: float) -> PointToPoint:
    """Return the fastest such motion within a fraction of velocity and acceleration limits.

    Args:
        start: position (n,) [rad or m] at rest.
        goal: position (n,) [rad or m] at rest.
        limits: an absent one is replaced by DEFAULT_VELOCITY or DEFAULT_ACCELERATION.
        fraction: of the limits, more than 0 and at most 1.
    """
    joints = len(start)
    velocity = per_joint(limits.velocity or (DEFAULT_VELOCITY,), joints, "velocity")
    acceleration = per_joint(limits.acceleration or (DEFAULT_ACCELERATION,), joints, "acceleration")
    size = np.abs(goal - start)
    by_velocity = STEP_PEAKS[1] * size / (fraction * velocity)
    by_acceleration = np.sqrt(STEP_PEAKS[2] * size / (fraction * acceleration))
    duration = _SLACK * max(float(by_velocity.max()), float(by_acceleration.max()))
    return PointToPoint(start, goal, max(_SHORTEST_DURATION, duration))
