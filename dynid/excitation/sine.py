"""Sine motions of joints, and when several of them repeat together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.excitation.motion import Motion
from dynid.excitation.ramp import Ramp
from dynid.text import listed


@dataclass(frozen=True, eq=False)
class SineExcitation:
    """Each joint swings between ``start`` and ``target`` (softMC SineWave).

    q(t) = start + s(t) (target - start) / 2 (1 - cos(2 pi f (t - ramp.rise)))

    Attributes:
        start, target: positions (n,) [rad or m].
        frequency: (n,) [Hz].
        ramp: amplitude s(t); its duration is that of the whole motion.
    """

    start: Array
    target: Array
    frequency: Array
    ramp: Ramp

    @property
    def joint_count(self) -> int:
        """Number of joints n."""
        return len(self.start)

    @property
    def duration(self) -> float:
        """Time from rest to rest [s]."""
        return self.ramp.duration

    @property
    def highest_frequency(self) -> float:
        """Frequency of the fastest joint [Hz]."""
        return float(np.max(self.frequency))

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Start and end of the motion and its ramps [s]."""
        return self.ramp.breakpoints

    def evaluate(self, time: ArrayLike) -> Motion:
        """Sample the motion at ``time`` (N,) [s]; arrays (N, n)."""
        return self.ramp.apply(time, self.start, self._swing)

    def derivative_bound(self, order: int) -> Array:
        """Bound on the size of a derivative of position, order 1 to 4 (n,)."""
        size = np.abs(self.target - self.start) / 2
        rate = 2 * np.pi * self.frequency
        bounds = [2 * size, *(size * rate**k for k in range(1, order + 1))]
        return self.ramp.derivative_bound(order, bounds)

    def _swing(self, time: Array) -> Motion:
        half = (self.target - self.start) / 2
        rate = 2 * np.pi * self.frequency
        phase = np.outer(time, rate)
        sine, cosine = np.sin(phase), np.cos(phase)
        return Motion(half * (1 - cosine), half * rate * sine, half * rate**2 * cosine)


FEWEST_CYCLES = 3
"""Cycles that every joint should make, and before which no two joints should repeat."""

_TOLERANCE = 0.01
"""Share of a cycle by which joints may differ and still count as having returned together."""

_FARTHEST = 1000  # cycles of the slowest joint that are searched


@dataclass(frozen=True)
class CommonPeriod:
    """First time at which several joints have made whole numbers of cycles.

    Attributes:
        joints: their names.
        cycles: whole number of cycles of each.
        time: of the return [s].
    """

    joints: tuple[str, ...]
    cycles: tuple[int, ...]
    time: float

    def __str__(self) -> str:
        """Return the cycles as text: ``1 cycle of J1 and 2 of J2``."""
        words = [f"{n} of {joint}" for n, joint in zip(self.cycles, self.joints, strict=True)]
        plural = "" if self.cycles[0] == 1 else "s"
        words[0] = f"{self.cycles[0]} cycle{plural} of {self.joints[0]}"
        return listed(words)


@dataclass(frozen=True)
class Repetition:
    """How the motion of joints with different frequencies repeats.

    Two joints repeat when both have made whole numbers of cycles, which are in the ratio of their
    frequencies; the whole motion repeats when all joints have. The pairs are evaluated, as in
    softMC's manual: of {1, 2, 1.2} Hz the first two repeat after 1 cycle and 2, though all three
    only after 5, 10, 6.

    Attributes:
        joints: names of the n joints.
        cycles: of each joint (n,).
        duration: of these cycles [s].
        pairs: every pair of joints that repeats, in ascending order of cycles.
        whole: all joints, or None if they do not repeat.
    """

    joints: tuple[str, ...]
    cycles: tuple[float, ...]
    duration: float
    pairs: tuple[CommonPeriod, ...]
    whole: CommonPeriod | None

    @property
    def first(self) -> CommonPeriod | None:
        """The two joints that repeat after the fewest cycles, or None."""
        return self.pairs[0] if self.pairs else None

    @property
    def findings(self) -> tuple[str, ...]:
        """A sentence on each problem of the frequencies."""
        findings = [
            f"{joint} makes {cycles:.3g} cycles in {self.duration:.4g} s, fewer than "
            f"{FEWEST_CYCLES}; move it longer or faster."
            for joint, cycles in zip(self.joints, self.cycles, strict=True)
            if cycles < FEWEST_CYCLES - _TOLERANCE
        ]
        findings += [_early(pair) for pair in self.pairs if min(pair.cycles) < FEWEST_CYCLES]
        return tuple(findings)

    @property
    def good(self) -> bool:
        """Whether the frequencies have no such problem."""
        return not self.findings


def repetition(
    frequencies: Sequence[float], duration: float, joints: Sequence[str] | None = None
) -> Repetition:
    """Find when joints with given frequencies repeat their motion.

    Args:
        frequencies: of the n moving joints [Hz].
        duration: of the motion [s].
        joints: their names; default J1, J2, … .
    """
    names = tuple(joints or (f"J{j + 1}" for j in range(len(frequencies))))
    periods = (
        _common_period([frequencies[i], frequencies[j]], (names[i], names[j]))
        for i, j in combinations(range(len(frequencies)), 2)
    )
    pairs = [pair for pair in periods if pair is not None]
    return Repetition(
        joints=names,
        cycles=tuple(frequency * duration for frequency in frequencies),
        duration=duration,
        pairs=tuple(sorted(pairs, key=lambda pair: (min(pair.cycles), pair.time))),
        whole=_common_period(frequencies, names),
    )


def _common_period(frequencies: Sequence[float], joints: tuple[str, ...]) -> CommonPeriod | None:
    """Return the first time at which all have made whole numbers of cycles."""
    slowest = min(frequencies)
    ratios = np.array(frequencies, dtype=np.float64) / slowest
    made = np.outer(np.arange(1, _FARTHEST + 1), ratios)
    together = np.all(np.abs(made - np.round(made)) <= _TOLERANCE, axis=1)
    if not together.any():
        return None
    first = int(np.argmax(together))
    cycles = tuple(int(n) for n in np.round(made[first]))
    return CommonPeriod(joints, cycles, (first + 1) / slowest)


def _early(pair: CommonPeriod) -> str:
    first, other = pair.joints
    if pair.cycles == (1, 1):
        return (
            f"{first} and {other} swing at the same frequency; let them differ by a tenth or more."
        )
    return (
        f"{first} and {other} repeat after {pair}; choose frequencies whose ratio is not one of "
        "small integers, such as 1.1 to 1.3."
    )
