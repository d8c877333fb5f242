"""What a playback has commanded the robot to do, and when."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.errors import PlaybackError
from dynid.playback.follower import TrajectoryFollower
from dynid.playback.holding import rests_near
from dynid.playback.options import Options
from dynid.playback.stopping import braking_acceleration, ending

if TYPE_CHECKING:
    from dynid.playback.options import Outlet
    from dynid.playback.robot_clock import RobotClock
    from dynid.playback.trajectory import Trajectory
    from dynid.robot.limits import Limits

_LEAD = 0.2  # [s] between sending a trajectory and its start, so that it arrives before
_ONWARD = 0.03  # [s] that a motion goes on before it slows down, likewise
_RENEWALS = 5  # within the horizon
_IN_TIME = 0.1  # of the horizon that has to be left when a renewal is sent
_REPEAT = 0.1  # [s] between two messages of the same stop
_HISTORY = 0.5  # [s] and max_age, that messages begin before the robot's present time
_MESSAGES = 2 * _RENEWALS  # of which a robot may have taken any as its last

# Simulated time stands still for a node while it makes a plan: it is told by messages, which wait.
# After so many ticks they have been read.
_TICKS_TO_CATCH_UP = 2


class Commander:
    """Sends motions a piece at a time, and knows the reference that they make the robot follow.

    Every message ends in rest on the motion's path, ``horizon`` after it was sent and the time
    that braking takes. It carries the start of the whole motion, and points from before now on: so
    the next one replaces it without a bump, and where none comes the robot stops by itself. A stop
    is the same message with an earlier end, repeated until that is over.
    """

    def __init__(
        self,
        joints: tuple[str, ...],
        position: Array,
        clock: RobotClock,
        outlet: Outlet,
        limits: Limits,
    ) -> None:
        """Begin with a robot at rest at a position (n,) [rad or m]."""
        self.follower = TrajectoryFollower(joints, position)
        self._joints = joints
        self._clock = clock
        self._outlet = outlet
        self._limits = limits
        self._pending: tuple[Trajectory, int] | None = None  # to be sent in so many ticks
        self._ends: deque[Array] = deque(maxlen=_MESSAGES)  # where those of the motion come to rest
        self._motion: Trajectory | None = None
        self._acceleration: Array = np.zeros(0)  # to brake with
        self._start_ns = 0  # of the motion
        self._options = Options()
        self._sent: Trajectory | None = None  # with all its points
        self._leaves = np.inf  # when it leaves the motion to come to rest [s], where it does
        self._stopping = False
        self._due_ns = 0  # for the next message

    @property
    def goal(self) -> Array:
        """Where the reference comes to rest (n,) [rad or m]."""
        if self._motion is not None and not self._stopping:
            goal: Array = self._motion.position[-1]
            return goal
        return self.follower.reference(self.follower.end_ns)

    @property
    def pending(self) -> bool:
        """Whether a trajectory is still to be sent."""
        return self._pending is not None

    @property
    def end_ns(self) -> int:
        """Instant at which the motion, or its stop, comes to rest [ns of the robot's time]."""
        if self._motion is not None and not self._stopping:
            return self._start_ns + round(self._motion.duration * 1e9)
        return self.follower.end_ns

    @property
    def since_end(self) -> float:
        """Time since the motion, or its stop, came to rest, negative before that [s]."""
        return (self._clock.now_ns() - self.end_ns) * 1e-9

    def is_at(self, position: Array) -> bool:
        """Whether a robot at a position (n,) rests where the reference does."""
        return rests_near(position - self.goal)

    def was_sent_to(self, position: Array) -> bool:
        """Whether a robot at a position (n,) rests where a recent message of the motion does."""
        return any(rests_near(position - end) for end in self._ends)

    def hold(self, position: Array) -> None:
        """Take it that the robot rests at a position (n,), whatever it was commanded."""
        self.follower = TrajectoryFollower(self._joints, position)
        self._pending = self._motion = self._sent = None

    def command(self, trajectory: Trajectory, options: Options) -> None:
        """Have a trajectory sent from rest, as soon as its start can be told.

        Raises:
            PlaybackError: nobody is there to take it.
        """
        self._outlet.check()
        self._options = options
        self._pending = (trajectory, _TICKS_TO_CATCH_UP)

    def tick(self) -> None:
        """Send what is to be sent; to be called some ten times a second.

        Raises:
            PlaybackError: nobody is there to take it any more, or it comes too late; what was sent
                before ends in rest.
        """
        if self._pending is not None:
            trajectory, ticks = self._pending
            self._pending = (trajectory, ticks - 1) if ticks > 0 else None
            if ticks == 0:
                self._begin(trajectory)
        elif self._motion is not None and self._clock.now_ns() >= self._due_ns:
            if self._stopping:
                self._repeat()
            elif np.isfinite(self._leaves):
                self._renew(self._motion)

    def stop(self) -> None:
        """Bring the reference to rest on its path.

        Raises:
            PlaybackError: nobody is there to be told; what was sent before ends in rest.
        """
        self._pending = None
        if self._motion is None or self._stopping:
            return
        now = (self._clock.now_ns() - self._start_ns) * 1e-9
        leave = max(now + self._clock.allowance(_ONWARD), 0.0)
        self._stopping = True
        # where it is coming to rest already, a stop from the motion would lead it back to speed
        if leave < min(self._leaves, self._motion.duration):
            self._send(self._motion, leave, _REPEAT)

    def leave_alone(self) -> None:
        """Send nothing more: what was sent last ends in rest."""
        self._pending = None
        self._stopping = True
        self._sent = None

    @property
    def _horizon(self) -> float:
        return self._clock.stretched(self._options.horizon)

    def _begin(self, motion: Trajectory) -> None:
        self._acceleration = braking_acceleration(motion, self._limits)
        self._motion, self._stopping = motion, False
        self._ends.clear()
        horizon, lead = self._horizon, self._clock.stretched(_LEAD)
        self._start_ns = self._clock.now_ns() + round(lead * 1e9)
        self._send(motion, horizon, lead + horizon / _RENEWALS)

    def _renew(self, motion: Trajectory) -> None:
        now, horizon = (self._clock.now_ns() - self._start_ns) * 1e-9, self._horizon
        if self._leaves - now < _IN_TIME * horizon:
            self.leave_alone()
            message = (
                f"the motion was not renewed within its horizon of {self._options.horizon:g} s: "
                "the player or its computer was held up."
            )
            raise PlaybackError(message)
        self._send(motion, now + horizon, horizon / _RENEWALS)

    def _repeat(self) -> None:
        """Send the same stop again, until the robot's own time has come to its end.

        A robot that was held up has lost what was sent meanwhile, and its time may be behind.
        """
        seen_ns = self._clock.newest_ns
        over = seen_ns is not None and seen_ns >= self.end_ns
        if self._sent is None or self._outlet.acknowledged or over:
            return
        now_ns = self._clock.now_ns()
        self._due_ns = now_ns + round(self._clock.stretched(_REPEAT) * 1e9)
        self._outlet.send(self._recent(self._sent, now_ns), self._start_ns)

    def _send(self, motion: Trajectory, leave: float, again: float) -> None:
        """Send a motion with an end from ``leave`` on, and the next message ``again`` later [s]."""
        trajectory = ending(motion, leave, self._acceleration)
        now_ns = self._clock.now_ns()
        recent = self._recent(trajectory, now_ns)
        self._outlet.send(recent, self._start_ns)
        self._sent = trajectory
        self._ends.append(trajectory.position[-1])
        self._leaves = leave if trajectory is not motion else np.inf
        self.follower.accept(recent, self._start_ns, now_ns)
        self._due_ns = now_ns + round(again * 1e9)

    def _recent(self, trajectory: Trajectory, now_ns: int) -> Trajectory:
        history = self._clock.stretched(_HISTORY + self._options.max_age)
        seen_ns = self._clock.newest_ns
        robot_ns = now_ns if seen_ns is None else min(now_ns, seen_ns)
        return trajectory.since((robot_ns - self._start_ns) * 1e-9 - history)
