"""A timeout that tolerates pauses of the process."""

from __future__ import annotations

import time

# [s] longest time between two calls that counts: a paused process misses messages
_LONGEST_STEP = 0.1


class Countdown:
    """Counts down while it is called often; pauses of a busy process hardly count."""

    def __init__(self, duration: float) -> None:
        """Start to count down ``duration`` [s]."""
        self._left = duration
        self._last = time.monotonic()

    def over(self) -> bool:
        """Return whether the time is over; to be called several times a second."""
        now = time.monotonic()
        self._left -= min(_LONGEST_STEP, now - self._last)
        self._last = now
        return self._left < 0.0
