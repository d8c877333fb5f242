"""What iterations of an estimator use again: filtered rows and residuals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dynid.arrays import Array

_KEPT_NUMBERS = 2**23  # of each kind, of all recordings together


@dataclass(frozen=True)
class RowBlock:
    """Consecutive rows of one fold.

    Attributes:
        fold: number of the fold.
        span: the block's rows in the recording.
        stacked: (n, m, k+1) filtered [W_j, tau_j] of each joint.
    """

    fold: int
    span: slice
    stacked: Array


class RowMemory:
    """Results of one regression problem, each kept as far as all of its kind fit in memory."""

    def __init__(self, most: int = _KEPT_NUMBERS) -> None:
        """Begin with nothing; keep at most so many numbers of each kind."""
        self._most = most
        self._blocks: dict[int, list[RowBlock]] = {}
        self._residuals: tuple[bytes, list[Array]] | None = None

    def blocks(self, number: int, blocks: Iterable[RowBlock], size: int) -> Iterable[RowBlock]:
        """Return the blocks of a recording: those that are kept, or these.

        Args:
            number: of the recording.
            blocks: its blocks, which may be computed one by one.
            size: of all of them [numbers].
        """
        if number in self._blocks:
            return self._blocks[number]
        kept = sum(block.stacked.size for of_one in self._blocks.values() for block in of_one)
        if kept + size > self._most:
            return blocks
        return self._blocks.setdefault(number, list(blocks))

    def residuals(self, base: Array, residuals: Iterable[Array]) -> Iterator[Array]:
        """Yield the residuals of base parameters (k,), and keep those of the last ones.

        Args:
            base: the parameters.
            residuals: one array for each recording, computed one by one.
        """
        key = base.tobytes()
        if self._residuals is not None and key == self._residuals[0]:
            yield from self._residuals[1]
            return
        kept, size = list[Array](), 0
        for of_one in residuals:
            yield of_one
            size += of_one.size
            if size <= self._most:
                kept.append(of_one)
        if size <= self._most:
            self._residuals = key, kept
