"""Spline excitation through waypoints, with polynomials of degree 5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.errors import ExcitationError
from dynid.excitation.motion import Motion


@dataclass(frozen=True, eq=False)
class SplineExcitation:
    """Polynomials of degree 5 between knots, at rest before the first and after the last.

    Attributes:
        polynomials: position over time, in Bernstein's form, whose coefficients bound it; its first
            knot is at 0 [s].
        breakpoints: instants from 0 to the end [s] where the third derivative jumps.
    """

    polynomials: scipy.interpolate.BPoly
    breakpoints: tuple[float, ...]

    @property
    def joint_count(self) -> int:
        """Number of joints n."""
        return int(self.polynomials.c.shape[2])

    @property
    def duration(self) -> float:
        """Time from rest to rest [s]."""
        return self.breakpoints[-1]

    @property
    def highest_frequency(self) -> float:
        """Frequency of the sine whose fourth and second derivatives are as large [Hz]."""
        acceleration, snap = self.derivative_bound(2), self.derivative_bound(4)
        moving = acceleration > 0
        ratio = np.max(snap[moving] / acceleration[moving], initial=self.duration**-2.0)
        return float(np.sqrt(ratio) / (2 * np.pi))

    def evaluate(self, time: ArrayLike) -> Motion:
        """Sample the motion at ``time`` (N,) [s]; arrays (N, n)."""
        instants = np.asarray(time, dtype=np.float64)
        held = np.clip(instants, 0.0, self.duration)
        outside = (instants != held)[:, np.newaxis]
        position, velocity, acceleration = (
            self.polynomials.derivative(order)(held) for order in range(3)
        )
        return Motion(
            position, np.where(outside, 0.0, velocity), np.where(outside, 0.0, acceleration)
        )

    def derivative_bound(self, order: int) -> Array:
        """Bound on the size of a derivative of position, order 1 to 4 (n,).

        A polynomial is bounded by its Bernstein coefficients (Farouki, "The Bernstein polynomial
        basis: a centennial retrospective", CAGD 29, 2012, section 5.1), piece by piece.
        """
        bound: Array = np.abs(self.polynomials.derivative(order).c).max(axis=(0, 1))
        return bound


def spline_through(
    time: Array, position: Array, velocity: Array | None = None, acceleration: Array | None = None
) -> SplineExcitation:
    """Connect points from rest to rest with continuous acceleration.

    With positions alone the fourth derivative is continuous too, with velocities the third. If
    accelerations are given as well, pieces are those of ros2_control's joint_trajectory_controller.

    Args:
        time: instants (K,) [s], increasing, 2 at least; the motion starts at the first one.
        position: (K, n) [rad or m].
        velocity: (K, n) or None; the motion is at rest outside only if its ends are 0.
        acceleration: (K, n) or None; needs velocity.

    Raises:
        ExcitationError: the numbers are too large, or the intervals too different, to compute.
    """
    try:
        return _through(time, position, velocity, acceleration)
    except (np.linalg.LinAlgError, ValueError):  # of a singular system, or one that is not finite
        raise ExcitationError(
            "no smooth motion through the points can be computed, because the positions are too "
            "large, or the intervals too different; give values that are possible for a robot."
        ) from None


def _through(
    time: Array, position: Array, velocity: Array | None, acceleration: Array | None
) -> SplineExcitation:
    knots = time - time[0]
    breakpoints = (0.0, float(knots[-1]))
    if velocity is None:
        rest = [(order, np.zeros(position.shape[1])) for order in (1, 2)]
        spline = scipy.interpolate.make_interp_spline(knots, position, k=5, bc_type=(rest, rest))
        velocity, acceleration = (spline.derivative(order)(knots) for order in (1, 2))
        velocity[[0, -1]] = acceleration[[0, -1]] = 0.0  # removes rounding errors
    elif acceleration is None:
        acceleration = _smooth_acceleration(knots, position, velocity)
    else:
        breakpoints = tuple(knots.tolist())
    points = np.stack([position, velocity, acceleration], axis=1)
    return SplineExcitation(scipy.interpolate.BPoly.from_derivatives(knots, points), breakpoints)


def _smooth_acceleration(time: Array, position: Array, velocity: Array) -> Array:
    """Return accelerations (K, n), 0 at the ends, that make the third derivative continuous.

    On a piece of length h from (p, v, a) to (P, V, A), that derivative is at its start and its end

        (60 (P - p) - h (36 v + 24 V) + h^2 (3 A - 9 a)) / h^3
        (60 (P - p) - h (24 v + 36 V) + h^2 (9 A - 3 a)) / h^3

    so that equal values on both sides of every inner point make a tridiagonal system in a.
    """
    acceleration = np.zeros_like(position)
    h = np.diff(time)
    if len(h) == 1:
        return acceleration
    cubed = h[:, np.newaxis] ** 3
    rise, scaled = 60 * np.diff(position, axis=0), h[:, np.newaxis] * velocity[:-1]
    onward = h[:, np.newaxis] * velocity[1:]
    at_start = (rise - 36 * scaled - 24 * onward) / cubed
    at_end = (rise - 24 * scaled - 36 * onward) / cubed
    bands = np.zeros((3, len(h) - 1))
    bands[0, 1:] = bands[2, :-1] = -3 / h[1:-1]
    bands[1] = 9 / h[:-1] + 9 / h[1:]
    acceleration[1:-1] = scipy.linalg.solve_banded((1, 1), bands, at_start[1:] - at_end[:-1])
    return acceleration
