"""Joints that a stop did not hold: they came to rest late, or away from their reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array

_PROMPT = 0.5  # [s] in which a joint comes to rest after its reference, as seen from positions
# [rad or m] from the reference at which friction and gravity may hold a joint
_LARGEST_HELD_DISTANCE = 0.02


def joints_away(distance: Array) -> int:
    """Return how many joints at these distances (n,) [rad or m] are not at their references."""
    return int(np.sum(~(np.abs(distance) <= _LARGEST_HELD_DISTANCE)))


class HoldWatch:
    """Monitors one stop: axes fall by gravity where torque saturates, or a brake holds them.

    It uses positions only, so it does not distinguish the two.
    """

    def __init__(self, joints: Sequence[str], sliding: Sequence[str]) -> None:
        """Monitor joints, of which ``sliding`` are prismatic."""
        self._joints = tuple(joints)
        self._units = ["m" if joint in sliding else "rad" for joint in joints]
        self._late = np.zeros(len(self._joints))
        self._away = np.zeros(len(self._joints))

    def update(self, after: float, moving: NDArray[np.bool_] | None) -> None:
        """Update with the joints (n,) that move, if known, a time [s] after the reference's end."""
        if after > _PROMPT and moving is not None:
            self._late[moving] = after

    def update_at_rest(self, distance: Array) -> None:
        """Update with the distances of joints at rest from their references (n,) [rad or m]."""
        self._away = np.where(np.abs(distance) > _LARGEST_HELD_DISTANCE, np.abs(distance), 0.0)

    def sentence(self) -> str:
        """Return the joints that were not held, with times and distances; empty if all were."""
        named = np.flatnonzero((self._late > 0) | (self._away > 0))
        return "; ".join(self._one(int(j)) for j in named)

    def _one(self, j: int) -> str:
        causes = []
        if self._late[j]:
            causes.append(f"{self._late[j]:.1f} s late")
        if self._away[j]:
            away = f"{self._away[j]:.3g} {self._units[j]}"
            causes.append(f"{away} away from its command")
        return f"joint '{self._joints[j]}' came to rest {' and '.join(causes)}"
