"""Motions from the robot's position to the start of an excitation, and stops on the path."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.excitation.motion import Motion
from dynid.excitation.ramp import STEP_PEAKS, quintic_step
from dynid.excitation.spline import SplineExcitation, spline_through
from dynid.playback.trajectory import Trajectory
from dynid.robot.limits import Limits

DEFAULT_VELOCITY = 0.5
"""Limit where the profile has none [rad/s or m/s]: slow, because the robot's own is unknown."""

_DEFAULT_ACCELERATION = 1.0  # [rad/s^2 or m/s^2] likewise
_SLACK = 1.0005
"""Factor on the duration, so that the check by samples succeeds exactly at the limit."""
# [s] so that a motion over no distance does not end before its message arrives
_SHORTEST_DURATION = 1.0

_DURATIONS = np.geomspace(0.25, 10.0, 50)
"""Durations of braking [s], shortest first; long compared to a message's delay, so that motion and
stop still agree when the stop arrives."""

_POINTS = 100  # [Hz]
_ROUNDING = 1e-9
_CLOSEST = 1e-4  # [s] between two points


def point_to_point(start: Array, goal: Array, limits: Limits, fraction: float) -> SplineExcitation:
    """Return the fastest motion on a straight line within velocity and acceleration limits.

    All joints go from rest to rest together, and stay between ``start`` and ``goal``:

        q(t) = start + (goal - start) (10 x^3 - 15 x^4 + 6 x^5), x = t / duration

    Args:
        start: position (n,) [rad or m] at rest.
        goal: position (n,) [rad or m] at rest.
        limits: an absent one is replaced by 0.5 rad/s or m/s, or 1 rad/s^2 or m/s^2.
        fraction: of the limits, more than 0 and at most 1.
    """
    joints = len(start)
    velocity = per_joint(limits.velocity or (DEFAULT_VELOCITY,), joints, "velocity")
    acceleration = per_joint(
        limits.acceleration or (_DEFAULT_ACCELERATION,), joints, "acceleration"
    )
    size = np.abs(goal - start)
    by_velocity = STEP_PEAKS[1] * size / (fraction * velocity)
    by_acceleration = np.sqrt(STEP_PEAKS[2] * size / (fraction * acceleration))
    fastest = max(float(by_velocity.max()), float(by_acceleration.max()))
    duration = max(_SHORTEST_DURATION, _SLACK * fastest)
    rest = np.zeros((2, joints))
    return spline_through(np.array([0.0, duration]), np.array([start, goal]), rest, rest)


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

    Where the limits have none, it is the largest of the motion, or 1 rad/s^2 or m/s^2.
    """
    if limits.acceleration is not None:
        return per_joint(limits.acceleration, len(motion.joints), "acceleration")
    instants = np.linspace(0.0, motion.duration, 2000)
    acceleration = np.abs(motion.evaluate(instants).acceleration).max(axis=0)
    bound: Array = np.maximum(acceleration, _DEFAULT_ACCELERATION)
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
