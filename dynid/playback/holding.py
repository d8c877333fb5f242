"""What a stop did not hold: joints that rested later than they were commanded to, or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_PROMPT = 0.5  # [s] after its reference that a joint in order takes to rest, seen from positions
_NEAR = 0.02  # [rad or m] from its reference that friction and gravity may hold a joint


def rests_near(distance: Array) -> bool:
    """Whether joints (n,) [rad or m] from their references rest as well as they can."""
    return bool(np.abs(distance).max() <= _NEAR)


class HoldWatch:
    """Watches one stop: axes under gravity fall where torque saturates, or a brake holds them.

    Seen from positions alone, so it does not tell one from the other.
    """

    def __init__(self, joints: Sequence[str], sliding: Sequence[str]) -> None:
        """Watch joints, of which some slide."""
        self._joints = tuple(joints)
        self._units = ["m" if joint in sliding else "rad" for joint in joints]
        self._late = np.zeros(len(self._joints))
        self._away = np.zeros(len(self._joints))

    def see(self, after: float, moving: NDArray[np.bool_] | None) -> None:
        """Take in which joints (n,) move, if known, a time [s] after all should have rested."""
        if after > _PROMPT and moving is not None:
            self._late[moving] = after

    def rest(self, distance: Array) -> None:
        """Take in how far from their references joints rest (n,) [rad or m]."""
        self._away = np.where(np.abs(distance) > _NEAR, np.abs(distance), 0.0)

    def sentence(self) -> str:
        """Name the joints that were not held, and how far off they were; empty where all were."""
        named = np.flatnonzero((self._late > 0) | (self._away > 0))
        return "; ".join(self._one(int(j)) for j in named)

    def _one(self, j: int) -> str:
        found = []
        if self._late[j]:
            found.append(f"{self._late[j]:.1f} s late")
        if self._away[j]:
            away = f"{self._away[j]:.3g} {self._units[j]}"
            found.append(f"{away} from where it was commanded to")
        return f"joint '{self._joints[j]}' came to rest {' and '.join(found)}"
