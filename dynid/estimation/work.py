"""How much of an estimation is done, reported while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

Item = TypeVar("Item")
Share = Callable[[float], None]
"""Takes the share of the work that is done, from 0 to 1, which never falls."""


@dataclass(frozen=True)
class Work:
    """A part of some work, of which the share that is done is reported.

    Attributes:
        share: takes the share of all work; None: nothing is reported.
        begin, end: of this part, as shares of all work.
    """

    share: Share | None = None
    begin: float = 0.0
    end: float = 1.0

    def done(self, part: float) -> None:
        """Report the share of this part that is done."""
        if self.share is not None:
            self.share(self._at(part))

    def part(self, begin: float, end: float) -> Work:
        """Return a part of this one, between two shares of it."""
        return replace(self, begin=self._at(begin), end=self._at(end))

    def counted(self, items: Iterable[Item], count: int) -> Iterator[Item]:
        """Yield items of about equal work, ``count`` of them, and report each that is done."""
        for number, item in enumerate(items, 1):
            yield item
            self.done(number / max(count, 1))

    def _at(self, part: float) -> float:
        return self.begin + min(part, 1.0) * (self.end - self.begin)


class Rest:
    """What is left of some work whose amount is not known before, such as that of iterations.

    Each part takes a share of it, so that all of them together never reach its end, and the time
    left that follows is about that of the parts so far.
    """

    def __init__(self, work: Work) -> None:
        """Begin with all of a work."""
        self._work, self._taken = work, 0.0

    def take(self, share: float) -> Work:
        """Return the next part, ``share`` of what is left."""
        begin, self._taken = self._taken, self._taken + share * (1 - self._taken)
        return self._work.part(begin, self._taken)
