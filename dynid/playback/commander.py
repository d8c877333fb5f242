"""What a playback has told the robot to do, and when it told it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.playback.follower import TrajectoryFollower
from dynid.playback.stopping import stopping

if TYPE_CHECKING:
    from dynid.playback.options import Clock, Outlet
    from dynid.playback.trajectory import Trajectory
    from dynid.robot.limits import Limits

_SPAN = 0.5  # [s] to measure over


class Pace:
    """Time of motions per time that passes: 1 for a real robot, more where one is simulated fast.

    Messages take as long whatever the robot's time; what allows for them is stretched by this.
    """

    def __init__(self, clock: Clock) -> None:
        """Take the pace for 1 until it is measured."""
        self._clock = clock
        self._since = (clock.now_ns(), clock.steady())
        self._pace = 1.0

    def measure(self) -> None:
        """Look at both clocks; to be called often."""
        now_ns, steady = self._clock.now_ns(), self._clock.steady()
        if steady - self._since[1] >= _SPAN:
            self._pace = (now_ns - self._since[0]) * 1e-9 / (steady - self._since[1])
            self._since = (now_ns, steady)

    def stretched_ns(self, duration: float) -> int:
        """A duration [s] in time of motions [ns], never shorter."""
        # a clock that is set, or begins, is no pace
        return round(1e9 * duration * min(max(self._pace, 1.0), 20.0))


_LEAD = 0.2  # [s] between sending a trajectory and its start, so that it arrives before
_ONWARD = 0.03  # [s] that a motion goes on before it slows down, likewise
_UNMOVED = 0.02  # [rad or m] from its reference that friction and gravity may hold a robot

# Simulated time stands still for a node while it makes a plan: it is told by messages, which wait.
# After so many ticks they have been read.
_TICKS_TO_CATCH_UP = 2


class Commander:
    """Sends trajectories in time, and knows the reference that they make the robot follow."""

    def __init__(
        self,
        joints: tuple[str, ...],
        position: Array,
        clock: Clock,
        pace: Pace,
        outlet: Outlet,
    ) -> None:
        """Begin with a robot at rest at a position (n,) [rad or m]."""
        self.follower = TrajectoryFollower(joints, position)
        self._joints = joints
        self._clock = clock
        self._outlet = outlet
        self._pace = pace
        self._pending: tuple[Trajectory, int] | None = None  # to be sent in so many ticks

    @property
    def goal(self) -> Array:
        """Where the reference comes to rest (n,) [rad or m]."""
        return self.follower.reference(self.follower.end_ns)

    @property
    def pending(self) -> bool:
        """Whether a trajectory is still to be sent."""
        return self._pending is not None

    @property
    def since_end(self) -> float:
        """Time since the reference came to rest, negative before that [s]."""
        return (self._clock.now_ns() - self.follower.end_ns) * 1e-9

    def is_at(self, position: Array) -> bool:
        """Whether a robot at a position (n,) rests where the reference does."""
        return bool(np.abs(position - self.goal).max() <= _UNMOVED)

    def hold(self, position: Array) -> None:
        """Take it that the robot rests at a position (n,), whatever it was told."""
        self.follower = TrajectoryFollower(self._joints, position)
        self._pending = None

    def command(self, trajectory: Trajectory) -> None:
        """Have a trajectory sent from rest, as soon as its start can be told.

        Raises:
            PlaybackError: nobody is there to take it.
        """
        self._outlet.check()
        self._outlet.build(trajectory)
        self._pending = (trajectory, _TICKS_TO_CATCH_UP)

    def tick(self) -> None:
        """Send what is to be sent; to be called some ten times a second.

        Raises:
            PlaybackError: nobody is there to take it any more.
        """
        if self._pending is None:
            return
        trajectory, ticks = self._pending
        self._pending = (trajectory, ticks - 1) if ticks > 0 else None
        if ticks == 0:
            now_ns = self._clock.now_ns()
            self._send(trajectory, now_ns + self._pace.stretched_ns(_LEAD), now_ns)

    def stop(self, limits: Limits) -> float:
        """Bring the reference to rest on its path, and return how long that takes [s].

        Raises:
            PlaybackError: nobody is there to be told.
        """
        self._pending = None
        # it begins now, on the path: a controller that gets it later is still there
        now_ns = self._clock.now_ns()
        onward = self._pace.stretched_ns(_ONWARD) * 1e-9
        trajectory = stopping(self.follower, self._joints, now_ns, limits, onward)
        self._send(trajectory, now_ns, now_ns)
        return trajectory.duration

    def _send(self, trajectory: Trajectory, start_ns: int, now_ns: int) -> None:
        self._outlet.send(trajectory, start_ns)
        self.follower.accept(trajectory, start_ns, now_ns)
