"""When a motion of sines repeats, and whether that is too early to learn from it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST_CYCLES = 3
"""Cycles that every joint should make, and before which no two joints should repeat."""

_TOLERANCE = 0.01
"""Part of a cycle by which joints may miss each other and still count as together again."""

_FARTHEST = 1000  # cycles of the slowest joint that are looked at


@dataclass(frozen=True)
class Return:
    """Joints that come back together to where they were together before.

    Attributes:
        joints: their names.
        cycles: that each of them has made by then.
        time: when [s].
    """

    joints: tuple[str, ...]
    cycles: tuple[int, ...]
    time: float

    def __str__(self) -> str:
        """Tell the cycles: ``1 cycle of J1 and 2 of J2``."""
        told = [f"{n} of {joint}" for n, joint in zip(self.cycles, self.joints, strict=True)]
        plural = "" if self.cycles[0] == 1 else "s"
        told[0] = f"{self.cycles[0]} cycle{plural} of {self.joints[0]}"
        return " and ".join(filter(None, [", ".join(told[:-1]), told[-1]]))


@dataclass(frozen=True)
class Repetition:
    """How joints that swing at frequencies of their own come together again.

    Every whole number of a joint's cycles is a return of that joint. Two joints repeat when both
    return at once, after the fewest cycles that are in the ratio of their frequencies; the whole
    motion repeats when all return at once. It is judged by its pairs, as in softMC's manual: of
    {1, 2, 1.2} Hz the first two repeat after 1 cycle and 2, though all three only after 5, 10, 6.

    Attributes:
        joints: names of the n joints.
        cycles: that each joint makes (n,).
        duration: time in which it makes them [s].
        pairs: every two joints that repeat, those after the fewest cycles first.
        whole: all joints, or None where they do not repeat.
    """

    joints: tuple[str, ...]
    cycles: tuple[float, ...]
    duration: float
    pairs: tuple[Return, ...]
    whole: Return | None

    @property
    def first(self) -> Return | None:
        """The two joints that repeat after the fewest cycles, or None."""
        return self.pairs[0] if self.pairs else None

    @property
    def findings(self) -> tuple[str, ...]:
        """A sentence on each thing that is not good."""
        found = [
            f"{joint} makes {cycles:.3g} cycles in {self.duration:.4g} s, fewer than "
            f"{FEWEST_CYCLES}; move it longer or faster."
            for joint, cycles in zip(self.joints, self.cycles, strict=True)
            if cycles < FEWEST_CYCLES - _TOLERANCE
        ]
        found += [_early(pair) for pair in self.pairs if min(pair.cycles) < FEWEST_CYCLES]
        return tuple(found)

    @property
    def good(self) -> bool:
        """Whether there is nothing to be said against the frequencies."""
        return not self.findings


def repetition(
    frequencies: Sequence[float], duration: float, joints: Sequence[str] | None = None
) -> Repetition:
    """Find when joints that swing at some frequencies repeat what they did.

    Args:
        frequencies: of the n joints that move [Hz].
        duration: how long they do [s].
        joints: their names; J1, J2, … where absent.
    """
    names = tuple(joints or (f"J{j + 1}" for j in range(len(frequencies))))
    returns = (
        _return([frequencies[i], frequencies[j]], (names[i], names[j]))
        for i, j in combinations(range(len(frequencies)), 2)
    )
    pairs = [pair for pair in returns if pair is not None]
    return Repetition(
        joints=names,
        cycles=tuple(frequency * duration for frequency in frequencies),
        duration=duration,
        pairs=tuple(sorted(pairs, key=lambda pair: (min(pair.cycles), pair.time))),
        whole=_return(frequencies, names),
    )


def _return(frequencies: Sequence[float], joints: tuple[str, ...]) -> Return | None:
    """Return the first time at which all have made whole cycles."""
    slowest = min(frequencies)
    ratios = np.array(frequencies, dtype=np.float64) / slowest
    made = np.outer(np.arange(1, _FARTHEST + 1), ratios)
    together = np.all(np.abs(made - np.round(made)) <= _TOLERANCE, axis=1)
    if not together.any():
        return None
    first = int(np.argmax(together))
    cycles = tuple(int(n) for n in np.round(made[first]))
    return Return(joints, cycles, (first + 1) / slowest)


def _early(pair: Return) -> str:
    one, other = pair.joints
    if pair.cycles == (1, 1):
        return f"{one} and {other} swing at the same frequency; let them differ by a tenth or more."
    return (
        f"{one} and {other} repeat after {pair}; choose frequencies that are in no ratio of small "
        "numbers, such as 1.1 to 1.3."
    )
