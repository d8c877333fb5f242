"""The robot's time, with which its trajectories are stamped."""

from __future__ import annotations

from dynid.playback.options import Clock
from dynid.playback.robot_state import JointStateSample

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
