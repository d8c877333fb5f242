"""What a recorded stream of messages lacks, and where it was lost."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

_FOR_PERIOD = 1000  # steps between stamps that give the period


@dataclass(frozen=True)
class Completeness:
    """What is missing of a topic.

    Attributes:
        topic: its name.
        received: number of messages.
        missing: number of messages that are missing, by the stamps where there are any.
        lost: those of them that were sent, by the publisher's sequence numbers.
        longest_gap: longest time between two stamps [s].
        gap_at: when it began [s since the first stamp].
        longest_wait: longest time from a stamp to the reception, beyond the shortest one [s].
    """

    topic: str
    received: int
    missing: int
    lost: int
    longest_gap: float = 0.0
    gap_at: float = 0.0
    longest_wait: float = 0.0

    @property
    def unsent(self) -> int:
        """Number of messages that the publisher did not send."""
        return self.missing - self.lost

    def sentence(self) -> str:
        """Return what is missing; empty where nothing is."""
        if not self.missing:
            return ""
        causes = []
        if self.unsent:
            gap = f"none for {self.longest_gap:.3f} s after {self.gap_at:.2f} s"
            causes.append(f"{self.unsent} not sent by the publisher ({gap})")
        if self.lost:
            causes.append(f"{self.lost} lost between publisher and recorder")
        total = self.received + self.missing
        return f"{self.missing} of {total} messages on {self.topic} are missing: " + ", ".join(
            causes
        )


class StampCheck:
    """Counts messages that are missing by the stamps of those that were received.

    A stamp that is k periods after the one before shows k - 1 missing messages, and one that
    follows a late one early counts as -1. The period is the median of the first steps.
    """

    def __init__(self) -> None:
        """Begin without any message."""
        self._steps: list[int] = []  # [ns], until the period is known
        self._period = 0.0  # [ns]
        self._first_ns: int | None = None
        self._last_ns = 0
        self._missing = 0
        self._shortest_wait: int | None = None  # [ns]
        self.longest_gap, self.gap_at, self.longest_wait = 0.0, 0.0, 0.0

    @property
    def missing(self) -> int:
        """Number of missing messages until now."""
        if self._period:
            return max(self._missing, 0)
        return max(_missing(self._steps, median(self._steps)), 0) if self._steps else 0

    def add(self, stamp_ns: int, received_ns: int) -> None:
        """Add a message; one that is earlier than the one before is ignored."""
        wait = received_ns - stamp_ns
        self._shortest_wait = min(
            wait, wait if self._shortest_wait is None else self._shortest_wait
        )
        self.longest_wait = max(self.longest_wait, (wait - self._shortest_wait) * 1e-9)
        if self._first_ns is None:
            self._first_ns = self._last_ns = stamp_ns
            return
        step = stamp_ns - self._last_ns
        if step < 0:
            return
        if step * 1e-9 > self.longest_gap:
            self.longest_gap = step * 1e-9
            self.gap_at = (self._last_ns - self._first_ns) * 1e-9
        self._last_ns = stamp_ns
        if self._period:
            self._missing += _missing([step], self._period)
            return
        self._steps.append(step)
        if len(self._steps) == _FOR_PERIOD:
            self._period = median(self._steps)
            self._missing = _missing(self._steps, self._period)


class SequenceCheck:
    """Counter of missing sequence numbers of a publisher."""

    def __init__(self) -> None:
        """Begin with any next number."""
        self.missing = 0
        self._last: int | None = None

    def add(self, number: int) -> None:
        """Add the number of a received message; a smaller one belongs to a new publisher."""
        if self._last is not None and number > self._last:
            self.missing += number - self._last - 1
        self._last = number

    def restart(self) -> None:
        """Begin again with any number, for a new publisher."""
        self._last = None


def _missing(steps: list[int], period: float) -> int:
    return sum(round(step / period) - 1 for step in steps)
