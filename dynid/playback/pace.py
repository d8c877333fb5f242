"""How fast simulated time passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynid.playback.options import Clock

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
