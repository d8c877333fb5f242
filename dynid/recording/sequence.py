"""Detection of lost messages by the sequence numbers of their publisher."""

from __future__ import annotations


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
