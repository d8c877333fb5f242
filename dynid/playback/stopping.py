"""To rest in the middle of a motion, without leaving its path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.excitation.ramp import quintic_step
from dynid.playback.motions import DEFAULT_ACCELERATION
from dynid.playback.trajectory import Trajectory

if TYPE_CHECKING:
    from dynid.playback.follower import TrajectoryFollower
    from dynid.robot.limits import Limits

_SECOND = 1e-9  # [s/ns]
_DURATIONS = np.geomspace(0.25, 10.0, 50)
"""Times that a stop may take [s], shortest first; long beside a message's delay, so that motion
and stop are still alike when it arrives."""

_POINTS = 100  # [Hz]
_ROUNDING = 1e-9


def stopping(
    follower: TrajectoryFollower,
    joints: tuple[str, ...],
    now_ns: int,
    limits: Limits,
    onward: float,
) -> Trajectory:
    """The trajectory that brings a follower to rest, beginning now at its present reference.

    At first it goes on as before, so that a controller which gets it a little late still finds
    itself on it.

    Time itself is slowed down: q(t) = p(s(t)), where p is the motion under way and ds/dt falls
    from 1 to 0 by the quintic step. So the robot rests on the path that was checked, within its
    position limits and clear of whatever the path is clear of, and acceleration does not jump.

    It takes the shortest time in which the acceleration limits are kept; where a motion uses them
    up and leaves nothing for stopping, the time that exceeds them least.

    Args:
        follower: Follows the motion.
        joints: The follower's.
        now_ns: When to begin [ns].
        limits: Where acceleration has none, it is the largest there is on the path from now on, or
            DEFAULT_ACCELERATION.
        onward: How long the motion goes on before it slows down [s].
    """
    allowed = _allowed(follower, now_ns, limits, len(joints))
    best: tuple[float, Trajectory] | None = None
    for duration in _DURATIONS:
        trajectory = _slowed(follower, joints, now_ns, onward, float(duration))
        assert trajectory.acceleration is not None  # noqa: S101  as made
        excess = float(np.max(np.abs(trajectory.acceleration) / allowed))
        if best is None or excess < best[0]:
            best = (excess, trajectory)
        if excess <= 1 + _ROUNDING:
            break
    assert best is not None  # noqa: S101  there are durations
    return best[1]


def _slowed(
    follower: TrajectoryFollower,
    joints: tuple[str, ...],
    now_ns: int,
    onward: float,
    duration: float,
) -> Trajectory:
    before = np.linspace(0.0, onward, int(np.ceil(onward * _POINTS)), endpoint=False)
    x = np.linspace(0.0, 1.0, max(int(np.ceil(duration * _POINTS)), 10) + 1)
    slowing, changing, _ = quintic_step(x)
    going = np.ones_like(before)
    s = np.concatenate([before, onward + duration * (x - x**4 * (2.5 + x * (x - 3)))])
    ds = np.concatenate([going, 1 - slowing])[:, np.newaxis]
    dds = np.concatenate([0 * going, -changing / duration])[:, np.newaxis]
    path = follower.motion([now_ns + round(one / _SECOND) for one in s.tolist()])
    return Trajectory(
        joints,
        np.concatenate([before, onward + duration * x]),
        path.position,
        path.velocity * ds,
        path.acceleration * ds**2 + path.velocity * dds,
    )


def _allowed(follower: TrajectoryFollower, now_ns: int, limits: Limits, joints: int) -> Array:
    """Acceleration that stopping may take (n,)."""
    if limits.acceleration is not None:
        return per_joint(limits.acceleration, joints, "acceleration")
    instants = np.linspace(now_ns, max(follower.end_ns, now_ns), 2000).astype(np.int64)
    there = np.abs(follower.motion(instants.tolist()).acceleration).max(axis=0)
    bound: Array = np.maximum(there, DEFAULT_ACCELERATION)
    return bound
