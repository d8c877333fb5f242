"""Time that is left to wait, in which a process that is held up loses nothing."""

from __future__ import annotations

import time

_LOOK = 0.1  # [s] that one look counts at most: a busy process has not heard what came meanwhile


class Countdown:
    """Counts down while it is looked at often: the pauses of a busy process count little."""

    def __init__(self, duration: float) -> None:
        """Begin to count ``duration`` [s] down."""
        self._left = duration
        self._looked = time.monotonic()

    def over(self) -> bool:
        """Whether the time is over; to be called several times a second."""
        now = time.monotonic()
        self._left -= min(_LOOK, now - self._looked)
        self._looked = now
        return self._left < 0.0
