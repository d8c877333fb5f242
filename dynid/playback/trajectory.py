"""Trajectories: points in time, interpolated to a motion by a controller."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.errors import PlaybackError
from dynid.excitation.motion import Excitation, Motion


class Curve:
    """Polynomials of degree 5 or less between K knots, at rest before the first and after the last.

    Between knots k and k + 1 the position is sum_i c[k, i] (t - knot[k])^i.

    Args:
        knots: instants (K,) [s], increasing.
        ends: position at the first and the last knot, (2, n) [rad or m].
        coefficients: c, (K - 1, 6, n), lowest power first.
    """

    def __init__(self, knots: Array, ends: Array, coefficients: Array) -> None:
        """Store the polynomials, which are not changed later."""
        # bisection in a list is several times faster than in an array
        self._instants: list[float] = knots.tolist()
        self._first: Array = ends[0].copy()
        self._last: Array = ends[1].copy()
        self._coefficients = coefficients
        self._still = np.zeros_like(self._first)
        for array in (self._first, self._last, self._still):
            array.setflags(write=False)

    @property
    def start(self) -> float:
        """The first knot [s]."""
        return self._instants[0]

    @property
    def end(self) -> float:
        """The last knot [s]."""
        return self._instants[-1]

    def position(self, t: float) -> Array:
        """Return the position at one instant (n,), in a few microseconds for control cycles."""
        if t >= self._instants[-1]:
            return self._last
        if t <= self._instants[0]:
            return self._first
        k = bisect_right(self._instants, t) - 1
        x = t - self._instants[k]
        x2 = x * x
        powers = (1.0, x, x2, x2 * x, x2 * x2, x2 * x2 * x)
        return np.dot(powers, self._coefficients[k])  # type: ignore[no-any-return]

    def state(self, t: float) -> tuple[Array, Array, Array]:
        """Return position, velocity and acceleration at one instant (n,), for control cycles."""
        if t >= self._instants[-1]:
            return self._last, self._still, self._still
        if t <= self._instants[0]:
            return self._first, self._still, self._still
        k = bisect_right(self._instants, t) - 1
        x = t - self._instants[k]
        x2, x3 = x * x, x * x * x
        powers = (
            (1.0, x, x2, x3, x2 * x2, x2 * x3),
            (0.0, 1.0, 2 * x, 3 * x2, 4 * x3, 5 * x2 * x2),
            (0.0, 0.0, 2.0, 6 * x, 12 * x2, 20 * x3),
        )
        position, velocity, acceleration = np.dot(powers, self._coefficients[k])
        return position, velocity, acceleration

    def motion(self, time: ArrayLike) -> Motion:
        """Return position, velocity and acceleration at instants (N,) [s]; arrays (N, n)."""
        t = np.asarray(time, dtype=np.float64)
        held = np.where((t >= self.end)[:, np.newaxis], self._last, self._first)
        rest = np.zeros_like(held)
        if self.start == self.end:
            return Motion(held, rest, rest.copy())
        within = ((t > self.start) & (t < self.end))[:, np.newaxis]
        moving = [self._polynomials(t, order) for order in range(3)]
        values = zip(moving, (held, rest, rest), strict=True)
        return Motion(*(np.where(within, moved, still) for moved, still in values))

    @cached_property
    def _polynomials(self) -> scipy.interpolate.PPoly:
        return scipy.interpolate.PPoly(self._coefficients.swapaxes(0, 1)[::-1], self._instants)


def interpolate(
    knots: Array, position: Array, velocity: Array | None, acceleration: Array | None
) -> Curve:
    """Interpolate points as joint_trajectory_controller does.

    With position, velocity and acceleration by quintic polynomials, without acceleration by cubic
    ones, with positions only by straight lines.

    Args:
        knots: instants (K,) [s], increasing.
        position: (K, n) [rad or m].
        velocity: (K, n) [rad/s or m/s], or None.
        acceleration: (K, n) [rad/s^2 or m/s^2], or None; needs velocity.
    """
    ends = position[[0, -1]]
    h = np.diff(knots)[:, np.newaxis]
    coefficients = np.zeros((len(knots) - 1, 6, position.shape[1]))
    c = coefficients.swapaxes(0, 1)
    c[0] = position[:-1]
    rise = np.diff(position, axis=0)
    if velocity is None:
        c[1] = rise / h
        return Curve(knots, ends, coefficients)
    v0, v1 = velocity[:-1], velocity[1:]
    c[1] = v0
    if acceleration is None:
        c[2] = (3 * rise / h - 2 * v0 - v1) / h
        c[3] = (v0 + v1 - 2 * rise / h) / h**2
        return Curve(knots, ends, coefficients)
    a0, a1 = acceleration[:-1], acceleration[1:]
    c[2] = a0 / 2
    # remaining steps of position, velocity and acceleration after the first three coefficients
    dp = rise - v0 * h - a0 / 2 * h**2
    dv = v1 - v0 - a0 * h
    da = a1 - a0
    c[3] = (10 * dp - 4 * dv * h + da * h**2 / 2) / h**3
    c[4] = (-15 * dp + 7 * dv * h - da * h**2) / h**4
    c[5] = (6 * dp - 3 * dv * h + da * h**2 / 2) / h**5
    return Curve(knots, ends, coefficients)


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Points of a motion, interpolated as by ros2_control's joint_trajectory_controller.

    Attributes:
        joints: names of the n joints, in the order of the columns.
        time: (K,) [s] from the trajectory's start, not negative and increasing.
        position: (K, n) [rad or m].
        velocity: (K, n) [rad/s or m/s], or None.
        acceleration: (K, n) [rad/s^2 or m/s^2], or None; only together with velocity.

    Raises:
        PlaybackError: these are not a valid trajectory.
    """

    joints: tuple[str, ...]
    time: Array
    position: Array
    velocity: Array | None = None
    acceleration: Array | None = None

    def __post_init__(self) -> None:
        _check_shapes(self)
        _check_time(self.time)
        _check_finite(self)

    @property
    def duration(self) -> float:
        """Time of the last point [s]."""
        return float(self.time[-1])

    @cached_property
    def curve(self) -> Curve:
        """The motion through the points."""
        return interpolate(self.time, self.position, self.velocity, self.acceleration)

    def since(self, instant: float) -> Trajectory:
        """Return the same motion without the points before an instant [s] since its start."""
        first = max(int(np.searchsorted(self.time, instant, side="right")) - 1, 0)
        velocity, acceleration = (
            None if values is None else values[first:]
            for values in (self.velocity, self.acceleration)
        )
        return Trajectory(
            self.joints, self.time[first:], self.position[first:], velocity, acceleration
        )

    def evaluate(self, time: ArrayLike) -> Motion:
        """Sample the motion at ``time`` (N,) [s] from its start; at rest before and after it."""
        return self.curve.motion(time)


def sample(excitation: Excitation, joints: Sequence[str], rate: float) -> Trajectory:
    """Sample an excitation evenly from rest to rest.

    Args:
        excitation: the motion of n joints.
        joints: their names.
        rate: points per second [Hz]; slightly more are used, so that the last one is the end.
    """
    count = int(np.ceil(excitation.duration * rate - 1e-9)) + 1
    time = np.linspace(0.0, excitation.duration, max(count, 2))
    position, velocity, acceleration = excitation.evaluate(time)
    # an excitation ends at rest up to rounding, which a controller may not tolerate
    velocity[-1] = 0.0
    acceleration[-1] = 0.0
    return Trajectory(tuple(joints), time, position, velocity, acceleration)


def _check_shapes(trajectory: Trajectory) -> None:
    expected = (len(trajectory.time), len(trajectory.joints))
    if 0 in expected:
        what = "points" if trajectory.joints else "joint names"
        raise PlaybackError(f"the trajectory has no {what}; at least one is needed.")
    for name in ("position", "velocity", "acceleration"):
        values = getattr(trajectory, name)
        if values is not None and values.shape != expected:
            raise PlaybackError(
                f"the trajectory's {name} has the shape {values.shape}, expected {expected} "
                "(points, joints)."
            )
    if trajectory.velocity is None and trajectory.acceleration is not None:
        message = "the trajectory has accelerations but no velocities; give both or neither."
        raise PlaybackError(message)


def _check_time(time: Array) -> None:
    if not np.all(np.isfinite(time)) or time[0] < 0:
        raise PlaybackError(
            f"the trajectory's first point is at {time[0]:g} s from its start; times must be "
            "finite and not negative."
        )
    late = np.flatnonzero(np.diff(time) <= 0)
    if len(late):
        k = int(late[0]) + 1
        raise PlaybackError(
            f"the trajectory's point {k + 1} is at {time[k]:g} s, not after point {k} at "
            f"{time[k - 1]:g} s; times must increase."
        )


def _check_finite(trajectory: Trajectory) -> None:
    for name in ("position", "velocity", "acceleration"):
        values = getattr(trajectory, name)
        if values is not None and not np.all(np.isfinite(values)):
            k, j = np.argwhere(~np.isfinite(values))[0]
            raise PlaybackError(
                f"joint '{trajectory.joints[j]}': the trajectory's {name} at "
                f"{trajectory.time[k]:g} s is {values[k, j]}, expected a number."
            )
