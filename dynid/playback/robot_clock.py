"""The robot's time, which its trajectories are stamped with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynid.playback.options import Clock
    from dynid.playback.robot_state import RobotState

_SPAN = 0.5  # [s] to measure the pace over
_WINDOW = 1.0  # [s] of joint states that an offset is taken from, and as much again
_FASTEST = 20.0  # a clock that is set, or begins, is no pace
_FORGETTING = 0.9  # of a pace, each time: where messages wait, time seems to stand still
_LATEST = 0.2  # [s] that messages are allowed for


class RobotClock:
    """The time of a robot, told by the stamps of its joint states.

    A stamp is older than its message's arrival by the message's way. So the largest difference of
    stamp and arrival within the last seconds, which belongs to the quickest message, is taken for
    the offset of the robot's clock, and the others for what messages are late by.

    Messages take as long whatever the robot's time; where a simulation's passes faster than that
    on the wall, what allows for them is stretched by that pace.
    """

    def __init__(self, clock: Clock) -> None:
        """Take the robot's time for that of this computer until its states are seen."""
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
        """How far the robot's clock is ahead of this computer's [ns]."""
        if self._clock.simulated:
            return self._newest
        windows = self._windows()
        return max(most for most, _ in windows) if windows else 0

    def now_ns(self) -> int:
        """The robot's time [ns]."""
        # a simulation's time is the robot's; what differs are messages that wait
        return self._clock.now_ns() + (0 if self._clock.simulated else self.offset_ns)

    def steady(self) -> float:
        """Time [s] that also passes while a simulation's stands still."""
        return self._clock.steady()

    def see(self, state: RobotState) -> None:
        """Take in the stamp of a state that has arrived just now."""
        self.newest_ns = state.stamp_ns
        difference = self._newest = state.stamp_ns - self._clock.now_ns()
        if self._latest is None or state.arrival - self._begun > _WINDOW:
            self._earlier, self._begun = self._latest, state.arrival
            self._latest = (difference, difference)
        else:
            most, least = self._latest
            self._latest = (max(most, difference), min(least, difference))

    def measure_pace(self) -> None:
        """Look at both clocks; to be called often."""
        now_ns, steady = self._clock.now_ns(), self._clock.steady()
        if steady - self._since[1] >= _SPAN:
            measured = (now_ns - self._since[0]) * 1e-9 / (steady - self._since[1])
            self._pace = max(measured, _FORGETTING * self._pace)
            self._since = (now_ns, steady)

    def stretched(self, duration: float) -> float:
        """A duration [s] in the robot's time, never shorter."""
        return duration * min(max(self._pace, 1.0), _FASTEST)

    def allowance(self, least: float) -> float:
        """What a message may take on its way [s of the robot's time], ``least`` or more."""
        windows = self._windows()
        spread = max(m for m, _ in windows) - min(m for _, m in windows) if windows else 0
        return max(self.stretched(least), min(spread * 1e-9, self.stretched(_LATEST)))

    def _windows(self) -> list[tuple[int, int]]:
        return [window for window in (self._latest, self._earlier) if window is not None]
