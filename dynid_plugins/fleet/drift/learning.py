"""When later recordings count for the variation between days: delayed, in blocks with own means.

The reference alone is few recordings. Later ones add to what is known of the variation, in blocks
as long as the reference. Each block has a mean of its own, so that only differences within it
count: a slow change, which the test has not found yet, hardly enters the variance by which it is to
be found. A block counts once as many recordings after it have raised no alarm, and never for the
mean that recordings are compared with. What is known grows in doubled numbers of blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

MOST = 4
"""Blocks that are used at most: more would make little difference, and days change over years."""


class Stage(NamedTuple):
    """Recordings that are tested with the same estimate, counted from the begin of the reference.

    Attributes:
        reference: number of recordings of the reference.
        blocks: number of blocks that are known; the reference is the first.
        begin, end: the recordings.
    """

    reference: int
    blocks: int
    begin: int
    end: int

    def edges(self, start: int) -> list[tuple[int, int]]:
        """Return begin and end of each block, of a reference that begins at ``start``."""
        length = self.reference
        return [(start + i * length, start + (i + 1) * length) for i in range(self.blocks)]


def stages(reference: int, count: int) -> Iterator[Stage]:
    """Yield the stages of ``count`` recordings, of which the first ``reference`` are the reference.

    ``n`` blocks are known once ``n + 1`` have passed.
    """
    blocks, begin = 1, reference
    while begin < count:
        following = 2 * blocks
        end = count if following > MOST else min(count, (following + 1) * reference)
        yield Stage(reference, blocks, begin, end)
        blocks, begin = following, end
