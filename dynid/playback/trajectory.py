"""Trajectories: points in time, interpolated to a motion by a controller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.errors import PlaybackError
from dynid.excitation.motion import Excitation, Motion
from dynid.playback.curve import Curve, interpolate


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
