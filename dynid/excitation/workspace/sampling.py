"""Distances that no motion can keep, found in random positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.excitation.limits import position_range
from dynid.excitation.workspace.pairs import unchanging

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynid.arrays import Array
    from dynid.dynamics.mechanism import Mechanism
    from dynid.excitation.workspace.distances import Distance
    from dynid.excitation.workspace.pairs import LeftOut
    from dynid.robot.robot import Robot

_POSITIONS = 50  # random ones, by which shapes that seem always to touch are found
_MORE_POSITIONS = 1000  # by which it is confirmed
_TRIES = 10  # for each of the first, as not all can be reached


def unkept_distances(
    robot: Robot,
    mechanism: Mechanism,
    asked: Sequence[Distance],
    margins: Callable[[Sequence[Distance], Array], Array],
) -> tuple[dict[int, LeftOut], int]:
    """Return which of some distances no motion can keep, and in how many positions that was seen.

    Positions are random, but the same at every call.

    Args:
        robot: with its limits.
        mechanism: closes the robot's chains.
        asked: K distances.
        margins: returns what is left of k distances at positions (N, n); (N, k) [m].
    """
    if not asked:
        return {}, 0
    first = _random_positions(robot, mechanism, _TRIES * _POSITIONS, seed=0)[:_POSITIONS]
    found = unchanging(asked, margins(asked, first))
    if not found:
        return {}, len(first)
    # a pair that is apart in one position of a hundred would often be missed by the first ones
    more = _random_positions(robot, mechanism, _MORE_POSITIONS, seed=1)
    some = [asked[k] for k in found]
    confirmed = unchanging(some, margins(some, np.concatenate([first, more])))
    numbers = list(found)
    return {numbers[k]: one for k, one in confirmed.items()}, len(first) + len(more)


def _random_positions(robot: Robot, mechanism: Mechanism, tries: int, *, seed: int) -> Array:
    """Positions within the limits (N, n), or within half a turn; those that the robot can reach."""
    n = len(robot.joints)
    low, high = position_range(robot.limits, n) or (np.full(n, -np.pi), np.full(n, np.pi))
    positions = np.random.default_rng(seed).uniform(low, high, (tries, n))
    return np.asarray(positions[mechanism.reachable(positions)])
