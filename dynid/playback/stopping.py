"""Stops in the middle of a motion, on its path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.excitation.motion import Motion
from dynid.excitation.ramp import quintic_step
from dynid.playback.motions import DEFAULT_ACCELERATION
from dynid.playback.trajectory import Trajectory

if TYPE_CHECKING:
    from dynid.robot.limits import Limits

_DURATIONS = np.geomspace(0.25, 10.0, 50)
"""Durations of braking [s], shortest first; long compared to a message's delay, so that motion and
stop still agree when the stop arrives."""

_POINTS = 100  # [Hz]
_ROUNDING = 1e-9
_CLOSEST = 1e-4  # [s] between two points


def ending(motion: Trajectory, leave: float, acceleration: Array) -> Trajectory:
    """Return a motion that brakes on its path from an instant on.

    The time along the path is slowed down: q(t) = p(s(t)), where p is the motion and ds/dt falls
    from 1 to 0 by the quintic step. So the robot stays on the checked path, within its position
    limits and free of collisions, and acceleration does not jump.

    It takes the shortest time within the acceleration limit; where the motion leaves nothing of
    that for braking, the time that exceeds it least. A motion that ends before ``leave``, or starts
    later, is not changed.

    Args:
        motion: points with velocities and accelerations, with rest at the end.
        leave: start of braking [s] since the start of the motion, not negative.
        acceleration: limit for braking (n,) [rad/s^2 or m/s^2].

    Returns:
        The points of the motion before ``leave``, and those of braking, on the same time.
    """
    if leave >= motion.duration or leave < motion.time[0]:
        return motion
    time, tail = _shortest(motion, leave, acceleration)
    if motion.duration <= time[-1]:
        return motion
    assert motion.velocity is not None  # noqa: S101  a motion has them
    assert motion.acceleration is not None  # noqa: S101
    before = motion.time < leave - _CLOSEST
    return Trajectory(
        motion.joints,
        np.concatenate([motion.time[before], time]),
        np.concatenate([motion.position[before], tail.position]),
        np.concatenate([motion.velocity[before], tail.velocity]),
        np.concatenate([motion.acceleration[before], tail.acceleration]),
    )


def braking_acceleration(motion: Trajectory, limits: Limits) -> Array:
    """Return the limit of acceleration for braking on a motion (n,) [rad/s^2 or m/s^2].

    Where the limits have none, it is the largest of the motion, or DEFAULT_ACCELERATION.
    """
    if limits.acceleration is not None:
        return per_joint(limits.acceleration, len(motion.joints), "acceleration")
    instants = np.linspace(0.0, motion.duration, 2000)
    acceleration = np.abs(motion.evaluate(instants).acceleration).max(axis=0)
    bound: Array = np.maximum(acceleration, DEFAULT_ACCELERATION)
    return bound


def _shortest(motion: Trajectory, leave: float, allowed: Array) -> tuple[Array, Motion]:
    """Return instants (K,) [s] and the motion (K, n) that brakes in the shortest allowed time."""
    tried = []
    for duration in _DURATIONS:
        time, slowed = _slowed(motion, leave, float(duration))
        tried.append((float(np.max(np.abs(slowed.acceleration) / allowed)), time, slowed))
        if tried[-1][0] <= 1 + _ROUNDING:
            break
    _, time, slowed = min(tried, key=lambda one: one[0])
    return time, slowed


def _slowed(motion: Trajectory, leave: float, duration: float) -> tuple[Array, Motion]:
    x = np.linspace(0.0, 1.0, max(int(np.ceil(duration * _POINTS)), 10) + 1)
    slowing, changing, _ = quintic_step(x)
    s = leave + duration * (x - x**4 * (2.5 + x * (x - 3)))
    ds = (1 - slowing)[:, np.newaxis]
    dds = (-changing / duration)[:, np.newaxis]
    path = motion.evaluate(s)
    acceleration = path.acceleration * ds**2 + path.velocity * dds
    return leave + duration * x, Motion(path.position, path.velocity * ds, acceleration)
