"""The commands of a playback, stamped with the robot's time: trajectories, their renewal, stops."""

from __future__ import annotations

from collections import deque

import numpy as np

from dynid.arrays import Array
from dynid.errors import PlaybackError
from dynid.playback.follower import TrajectoryFollower
from dynid.playback.motions import braking_acceleration, ending
from dynid.playback.options import Clock, Options, Outlet
from dynid.playback.robot_state import JointStateSample, joints_away
from dynid.playback.trajectory import Trajectory
from dynid.robot.limits import Limits

_SPAN = 0.5  # [s] over which the pace is measured
_WINDOW = 1.0  # [s] of joint states for an offset, of two windows
_FASTEST_PACE = 20.0  # larger values come from clocks that start or are set
_FORGETTING = 0.9  # of a pace, in each measurement: time seems to pause while messages wait
_LARGEST_ALLOWANCE = 0.2  # [s] largest allowance for messages


class RobotClock:
    """The time of a robot, estimated from the stamps of its joint states.

    A stamp is older than the arrival of its message by the transmission time. So the largest
    difference of stamp and arrival within the last seconds, that of the fastest message, is the
    estimated offset of the robot's clock, and the others give the delays of messages.

    Delays are in wall time; where a simulation runs faster than that, allowances for them are
    multiplied by its pace.
    """

    def __init__(self, clock: Clock) -> None:
        """Assume the time of this computer until the first state arrives."""
        self._clock = clock
        self._since = (clock.now_ns(), clock.steady())
        self._pace = 1.0
        # largest and smallest difference of stamp and arrival [ns], of two windows
        self._latest: tuple[int, int] | None = None
        self._earlier: tuple[int, int] | None = None
        self._begun = 0.0  # [s] of the latest window
        self._newest = 0  # difference [ns]
        self.newest_ns: int | None = None
        """Stamp of the newest state; None before the first [ns]."""

    @property
    def offset_ns(self) -> int:
        """Offset of the robot's clock from this computer's, positive if ahead [ns]."""
        if self._clock.simulated:
            return self._newest
        windows = self._windows()
        return max(most for most, _ in windows) if windows else 0

    def now_ns(self) -> int:
        """Return the robot's time [ns]."""
        # a simulation's time is the robot's; differences are messages that wait
        return self._clock.now_ns() + (0 if self._clock.simulated else self.offset_ns)

    def steady(self) -> float:
        """Return a time [s] that also advances while a simulation is paused."""
        return self._clock.steady()

    def update(self, state: JointStateSample) -> None:
        """Update with the stamp of a state that has just arrived."""
        self.newest_ns = state.stamp_ns
        difference = self._newest = state.stamp_ns - self._clock.now_ns()
        if self._latest is None or state.arrival - self._begun > _WINDOW:
            self._earlier, self._begun = self._latest, state.arrival
            self._latest = (difference, difference)
        else:
            most, least = self._latest
            self._latest = (max(most, difference), min(least, difference))

    def measure_pace(self) -> None:
        """Update the pace from both clocks; to be called often."""
        now_ns, steady = self._clock.now_ns(), self._clock.steady()
        if steady - self._since[1] >= _SPAN:
            measured = (now_ns - self._since[0]) * 1e-9 / (steady - self._since[1])
            self._pace = max(measured, _FORGETTING * self._pace)
            self._since = (now_ns, steady)

    def in_robot_time(self, duration: float) -> float:
        """Return a duration [s] in the robot's time, never shorter."""
        return duration * min(max(self._pace, 1.0), _FASTEST_PACE)

    def allowance(self, least: float) -> float:
        """Return the time allowed for a message [s of the robot's time], ``least`` or more."""
        windows = self._windows()
        spread = max(m for m, _ in windows) - min(m for _, m in windows) if windows else 0
        return max(
            self.in_robot_time(least), min(spread * 1e-9, self.in_robot_time(_LARGEST_ALLOWANCE))
        )

    def _windows(self) -> list[tuple[int, int]]:
        return [window for window in (self._latest, self._earlier) if window is not None]


_LEAD = 0.2  # [s] between sending a trajectory and its start, so that it arrives before
_ONWARD = 0.03  # [s] between sending a stop and its start, likewise
_RENEWALS = 5  # within the horizon
_IN_TIME = 0.1  # of the horizon that must be left when a renewal is sent
_REPEAT = 0.1  # [s] between two messages of the same stop
_HISTORY = 0.5  # [s] in addition to max_age: how long before the robot's time messages start
_MESSAGES = 2 * _RENEWALS  # any of which may be the last that the robot received
# Simulated time does not advance for a node while it makes a plan, because its messages wait.
# After this number of ticks they have been read.
_TICKS_TO_CATCH_UP = 2


class LateError(PlaybackError):
    """A motion came to rest at its horizon, because this computer was too slow to renew it."""


class Commander:
    """Sends motions in pieces, and computes the resulting reference of the robot.

    Every message ends at rest on the motion's path, ``horizon`` after it was sent plus the time
    for braking. It has the stamp of the whole motion, and points from before the present time on,
    so the next message replaces it smoothly, and without one the robot stops by itself. A stop is
    the same message with an earlier end, repeated until the robot is at rest.
    """

    def __init__(
        self,
        joints: tuple[str, ...],
        position: Array,
        clock: RobotClock,
        outlet: Outlet,
        limits: Limits,
    ) -> None:
        """Start with a robot at rest at a position (n,) [rad or m]."""
        self.follower = TrajectoryFollower(joints, position)
        self._joints = joints
        self._clock = clock
        self._outlet = outlet
        self._limits = limits
        self._pending: tuple[Trajectory, int] | None = None  # with the ticks until it is sent
        self._ends: deque[Array] = deque(maxlen=_MESSAGES)  # positions at which messages end
        self._motion: Trajectory | None = None
        self._acceleration: Array = np.zeros(0)  # to brake with
        self._start_ns = 0  # of the motion
        self._options = Options()
        self._sent: Trajectory | None = None  # with all its points
        self._leaves = np.inf  # when it starts to brake [s]; infinite where it does not
        self._stopping = False
        self._due_ns = 0  # for the next message

    @property
    def goal(self) -> Array:
        """Position at which the reference comes to rest (n,) [rad or m]."""
        if self._motion is not None and not self._stopping:
            goal: Array = self._motion.position[-1]
            return goal
        return self.follower.reference(self.follower.end_ns)

    @property
    def pending(self) -> bool:
        """Whether a trajectory waits to be sent."""
        return self._pending is not None

    @property
    def end_ns(self) -> int:
        """Instant at which the motion or its stop comes to rest [ns of the robot's time]."""
        if self._motion is not None and not self._stopping:
            return self._start_ns + round(self._motion.duration * 1e9)
        return self.follower.end_ns

    @property
    def since_end(self) -> float:
        """Time since the motion or its stop came to rest, negative before that [s]."""
        return (self._clock.now_ns() - self.end_ns) * 1e-9

    @property
    def remaining(self) -> float:
        """Time until the motion or its stop comes to rest [s]; all of it before it starts."""
        if self._pending is not None:
            return self._pending[0].duration
        return max(0.0, -self.since_end)

    def is_at(self, position: Array) -> bool:
        """Return whether a position (n,) is near the end of the reference."""
        return not self.joints_away(position)

    def was_sent_to(self, position: Array) -> bool:
        """Return whether a position (n,) is near the end of a recent message of the motion."""
        return any(not joints_away(position - end) for end in self._ends)

    def joints_away(self, position: Array) -> int:
        """Return how many joints are away from the end of the reference at a position (n,)."""
        return joints_away(position - self.goal)

    def hold(self, position: Array) -> None:
        """Assume that the robot is at rest at a position (n,), independent of its commands."""
        self.follower = TrajectoryFollower(self._joints, position)
        self._pending = self._motion = self._sent = None

    def command(self, trajectory: Trajectory, options: Options) -> None:
        """Send a trajectory from rest, as soon as its start time is known.

        Raises:
            PlaybackError: no controller subscribes.
        """
        self._outlet.check()
        self._options = options
        self._pending = (trajectory, _TICKS_TO_CATCH_UP)

    def tick(self, *, renew: bool = True) -> None:
        """Send messages that are due; to be called about ten times a second.

        Args:
            renew: whether the motion may be renewed; otherwise it ends at its horizon.

        Raises:
            LateError: it is too late for a renewal; the messages sent before end at rest.
            PlaybackError: no controller subscribes any more; likewise.
        """
        if self._pending is not None:
            trajectory, ticks = self._pending
            self._pending = (trajectory, ticks - 1) if ticks > 0 else None
            if ticks == 0:
                self._begin(trajectory)
        elif self._motion is not None and self._clock.now_ns() >= self._due_ns:
            if self._stopping:
                self._repeat()
            elif np.isfinite(self._leaves) and renew:
                self._renew(self._motion)

    def stop(self) -> None:
        """Bring the reference to rest on its path.

        Raises:
            PlaybackError: no controller subscribes; the messages sent before end at rest.
        """
        self._pending = None
        if self._motion is None or self._stopping:
            return
        now = (self._clock.now_ns() - self._start_ns) * 1e-9
        leave = max(now + self._clock.allowance(_ONWARD), 0.0)
        self._stopping = True
        # while it already brakes, a stop from the motion would accelerate it again
        if leave < min(self._leaves, self._motion.duration):
            stop = ending(self._motion, leave, self._acceleration)
            self._send(self._motion, stop, leave, _REPEAT)

    def abandon(self) -> None:
        """Send nothing more; the last message ends at rest."""
        self._pending = None
        self._stopping = True
        self._sent = None

    @property
    def _horizon(self) -> float:
        return self._clock.in_robot_time(self._options.horizon)

    def _begin(self, motion: Trajectory) -> None:
        self._acceleration = braking_acceleration(motion, self._limits)
        self._motion, self._stopping = motion, False
        self._ends.clear()
        horizon, lead = self._horizon, self._clock.in_robot_time(_LEAD)
        first = ending(
            motion, horizon, self._acceleration
        )  # before its start is chosen: it takes time
        self._start_ns = self._clock.now_ns() + round(lead * 1e9)
        self._send(motion, first, horizon, lead + horizon / _RENEWALS)

    def _renew(self, motion: Trajectory) -> None:
        now, horizon = (self._clock.now_ns() - self._start_ns) * 1e-9, self._horizon
        if self._leaves - now < _IN_TIME * horizon:
            raise self._late()
        leave = now + horizon
        renewed = ending(motion, leave, self._acceleration)
        self._send(motion, renewed, leave, horizon / _RENEWALS)

    def _late(self) -> LateError:
        """Send nothing more, and return why."""
        self.abandon()
        return LateError(
            f"the motion was not renewed within its horizon of {self._options.horizon:g} s, "
            "because this computer was too slow."
        )

    def _repeat(self) -> None:
        """Send the same stop again, until the robot's own time has reached its end.

        A robot that was suspended has missed earlier messages, and its time may lag.
        """
        seen_ns = self._clock.newest_ns
        over = seen_ns is not None and seen_ns >= self.end_ns
        if self._sent is None or self._outlet.acknowledged or over:
            return
        now_ns = self._clock.now_ns()
        self._due_ns = now_ns + round(self._clock.in_robot_time(_REPEAT) * 1e9)
        self._outlet.send(self._recent(self._sent, now_ns), self._start_ns)

    def _send(self, motion: Trajectory, trajectory: Trajectory, leave: float, again: float) -> None:
        """Send a motion, or as ``trajectory`` what brakes on it from ``leave`` on [s].

        The next message is ``again`` later [s].
        """
        now_ns = self._clock.now_ns()
        if self._start_ns + round(trajectory.duration * 1e9) <= now_ns:
            raise self._late()
        recent = self._recent(trajectory, now_ns)
        self._outlet.send(recent, self._start_ns)
        self._sent = trajectory
        self._ends.append(trajectory.position[-1])
        self._leaves = leave if trajectory is not motion else np.inf
        self.follower.accept(recent, self._start_ns, now_ns)
        self._due_ns = now_ns + round(again * 1e9)

    def _recent(self, trajectory: Trajectory, now_ns: int) -> Trajectory:
        history = self._clock.in_robot_time(_HISTORY + self._options.max_age)
        seen_ns = self._clock.newest_ns
        robot_ns = now_ns if seen_ns is None else min(now_ns, seen_ns)
        return trajectory.since((robot_ns - self._start_ns) * 1e-9 - history)
