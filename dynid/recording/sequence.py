"""Messages that never came, found by the numbers that their publisher gives them."""

from __future__ import annotations


class SequenceCheck:
    """Counts the holes in a publisher's sequence of numbers."""

    def __init__(self) -> None:
        """Begin with the next number, whatever it is."""
        self.missing = 0
        self._last: int | None = None

    def add(self, number: int) -> None:
        """Take the number of the message that came; a smaller one is of a new publisher."""
        if self._last is not None and number > self._last:
            self.missing += number - self._last - 1
        self._last = number

    def restart(self) -> None:
        """Expect another publisher, who counts from anywhere."""
        self._last = None
