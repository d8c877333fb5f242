"""Distances that are violated in all random positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.excitation.limits import position_range
from dynid.excitation.workspace.pairs import always_violated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynid.arrays import Array
    from dynid.dynamics.mechanism import Mechanism
    from dynid.excitation.workspace.distances import Distance
    from dynid.excitation.workspace.pairs import LeftOut
    from dynid.robot.robot import Robot

_POSITIONS = 50  # random ones, to find shapes that seem always to touch
_MORE_POSITIONS = 1000  # to confirm them
_TRIES = 10  # for each of the first, because not all are reachable


def violated_distances(
    robot: Robot,
    mechanism: Mechanism,
    selected: Sequence[Distance],
    margins: Callable[[Sequence[Distance], Array], Array],
) -> tuple[dict[int, LeftOut], int]:
    """Return which distances are violated whatever the motion, and the number of positions used.

    Positions are random, but the same in every call.

    Args:
        robot: with its limits.
        mechanism: of the robot, to close its chains.
        selected: K distances.
        margins: returns the margins of k distances at positions (N, n); (N, k) [m].
    """
    if not selected:
        return {}, 0
    first = _random_positions(robot, mechanism, _TRIES * _POSITIONS, seed=0)[:_POSITIONS]
    violated = always_violated(selected, margins(selected, first))
    if not violated:
        return {}, len(first)
    # pairs that are apart in one position of a hundred would often be missed by the first samples
    second = _random_positions(robot, mechanism, _MORE_POSITIONS, seed=1)
    suspects = [selected[k] for k in violated]
    confirmed = always_violated(suspects, margins(suspects, np.concatenate([first, second])))
    numbers = list(violated)
    return {numbers[k]: left_out for k, left_out in confirmed.items()}, len(first) + len(second)


def _random_positions(robot: Robot, mechanism: Mechanism, tries: int, *, seed: int) -> Array:
    """Return reachable positions (N, n) within the limits, or within half a turn."""
    n = len(robot.joints)
    low, high = position_range(robot.limits, n) or (np.full(n, -np.pi), np.full(n, np.pi))
    positions = np.random.default_rng(seed).uniform(low, high, (tries, n))
    return np.asarray(positions[mechanism.reachable(positions)])
