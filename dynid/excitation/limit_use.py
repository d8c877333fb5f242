"""How much of a limit a motion uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.arrays import Array

if TYPE_CHECKING:
    from collections.abc import Iterable


class Extreme(NamedTuple):
    """Where a motion uses most of a limit.

    Attributes:
        time: when [s].
        value: what is reached.
        allowed: the limit on that side.
        beyond: how far it lies, or between samples may lie, beyond the limit; negative within.
    """

    time: float
    value: float
    allowed: float
    beyond: float


class LimitUse(NamedTuple):
    """How much of a limit a motion uses.

    Attributes:
        limit: what is limited: position, velocity, … .
        of: joint, pair of bodies, or tool.
        unit: of all amounts.
        most: where it uses most.
        passed: when the limit is first found exceeded [s]; None where it is kept.
        first: the worst of that first violation.
        begins: what is reached when it begins.
        used: share of what the limit allows; None where there is no such thing.
    """

    limit: str
    of: str
    unit: str
    most: Extreme
    passed: float | None = None
    first: Extreme | None = None
    used: float | None = None
    begins: float | None = None

    def sentence(self) -> str:
        """Return what is wrong first, for a limit that is exceeded."""
        worst = self.first or self.most
        remedy = "make the motion smaller or slower" if self.passed else "start elsewhere"
        if not np.isfinite(worst.beyond):
            return (
                f"{self.of}: {self.limit} at {worst.time:.3f} s is not a finite number, so that "
                f"its limit of {worst.allowed:.4g} {self.unit} cannot be checked; {remedy}."
            )
        if self.limit == "distance" and self.passed == 0 and self.begins is not None:
            return (
                f"{self.of}: at the start of the motion they are {_gap(self.begins)}, where more "
                f"than {worst.allowed:.4g} m must be between them; start elsewhere."
            )
        return (
            f"{self.of}: {self.limit} reaches {worst.value:.4g} {self.unit} at {worst.time:.3f} s, "
            f"{worst.beyond:.2g} {self.unit} beyond its limit of {worst.allowed:.4g} {self.unit}, "
            f"which it passes at {self.passed:.3f} s; {remedy}."
        )


def _gap(distance: float) -> str:
    """Return a distance [m] in words; a negative one is how deep bodies are in one another."""
    return f"{-distance:.3g} m deep in one another" if distance < 0 else f"{distance:.3g} m apart"


def limit_use(
    what: tuple[str, str, str],
    time: Array,
    values: Array,
    allowed: Array | float,
    beyond: Array,
    *,
    tolerance: float = 0.0,
) -> LimitUse:
    """Return the use of a limit by a motion that was sampled.

    What is not a number counts as infinitely far beyond the limit.

    Args:
        what: limit, of what, and unit.
        time: instants (N,) [s], increasing.
        values: what is reached then (N,).
        allowed: the limit on that side (N,), or at all instants.
        beyond: how far beyond the limit that is (N,); negative within.
        tolerance: what may lie beyond and still counts as kept.
    """
    limits = np.broadcast_to(allowed, time.shape)
    beyond = np.where(np.isnan(beyond), np.inf, beyond)

    def extreme(start: int, stop: int) -> Extreme:
        at = start + int(np.argmax(beyond[start:stop]))
        numbers = (time[at], values[at], limits[at], beyond[at])
        return Extreme(*(float(number) for number in numbers))

    use = LimitUse(*what, extreme(0, len(time)))
    broken = beyond > tolerance
    if not broken.any():
        return use
    start = int(np.argmax(broken))
    kept_again = np.flatnonzero(~broken[start:])
    stop = start + int(kept_again[0]) if len(kept_again) else len(time)
    worst, begins = extreme(start, stop), float(values[start])
    return use._replace(passed=float(time[start]), first=worst, begins=begins)


def first_broken(uses: Iterable[LimitUse]) -> LimitUse | None:
    """Return the limit that is exceeded before all others are, or None where all are kept."""
    broken = [use for use in uses if use.passed is not None]
    return min(broken, key=lambda use: use.passed or 0.0, default=None)
