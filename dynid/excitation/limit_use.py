"""How much of a limit a motion uses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array

_ANOTHER_START = "start at another position"


class Extreme(NamedTuple):
    """Where a motion uses the largest share of a limit.

    Attributes:
        time: of it [s].
        value: at that time.
        allowed: the limit on that side.
        beyond: how far the value, or the bound between samples, exceeds the limit; negative within.
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
        most: where the motion uses the largest share.
        passed: when the limit is first exceeded [s]; None if it is kept.
        first: the worst of that first violation.
        begins: value at the start of that violation.
        used: share of the limit; None where a share is not defined.
    """

    limit: str
    of: str
    unit: str
    most: Extreme
    passed: float | None = None
    first: Extreme | None = None
    used: float | None = None
    begins: float | None = None

    @property
    def shown_at(self) -> float:
        """Time of the pose that shows the first violation, or the largest share [s]."""
        return 0.0 if self.passed == 0 else (self.first or self.most).time

    def sentence(self, pose: Array | None = None, remedy: str = "") -> str:
        """Return a sentence on the first violation, for a limit that is exceeded.

        Args:
            pose: positions of the joints at :attr:`shown_at` (n,) [rad or m], to be named.
            remedy: a clause in place of the usual one.
        """
        worst = self.first or self.most
        if not remedy:
            remedy = "make the motion smaller or slower" if self.passed else _ANOTHER_START
        numbers = ", ".join(f"{value:.3g}" for value in (() if pose is None else pose))
        joints = f" with the joints at ({numbers})" if numbers else ""
        if not np.isfinite(worst.beyond):
            return (
                f"{self.of}: {self.limit} at {worst.time:.3f} s is not a finite number, so that "
                f"its limit of {worst.allowed:.4g} {self.unit} cannot be checked; {remedy}."
            )
        if self.limit == "distance" and self.passed == 0 and self.begins is not None:
            return (
                f"{self.of}: at the start of the motion they {_gap(self.begins)}{joints}, but must "
                f"be more than {worst.allowed:.4g} m apart; {remedy}."
            )
        return (
            f"{self.of}: {self.limit} reaches {worst.value:.4g} {self.unit} at {worst.time:.3f} s"
            f"{joints}, {worst.beyond:.2g} {self.unit} beyond its limit of {worst.allowed:.4g} "
            f"{self.unit}, which it passes at {self.passed:.3f} s; {remedy}."
        )


def _gap(distance: float) -> str:
    """Return a distance [m] in words; negative is the penetration depth."""
    return f"overlap by {-distance:.3g} m" if distance < 0 else f"are {distance:.3g} m apart"


def limit_use(
    what: tuple[str, str, str],
    time: Array,
    values: Array,
    allowed: Array | float,
    beyond: Array,
    *,
    tolerance: float = 0.0,
) -> LimitUse:
    """Return the use of a limit by a sampled motion.

    Values that are not finite count as infinitely far beyond the limit.

    Args:
        what: name of the limit, name of the joint, pair or tool, and unit.
        time: instants (N,) [s], increasing.
        values: at these instants (N,).
        allowed: the limit on that side (N,), or one for all instants.
        beyond: how far the limit is exceeded (N,); negative within.
        tolerance: largest excess that still counts as kept.
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
    """Return the limit that is exceeded first, or None if all are kept."""
    broken = [use for use in uses if use.passed is not None]
    return min(broken, key=lambda use: use.passed or 0.0, default=None)
