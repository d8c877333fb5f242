"""Random states of a robot within its limits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import MechanismError
from dynid.robot.limits import Limits

_TRIED = 20  # times as many positions drawn, as a closed chain does not reach all
_POSITION, _VELOCITY, _ACCELERATION = np.pi, 2.0, 5.0  # where there are no limits


class States(NamedTuple):
    """States (N, n): positions, velocities and accelerations of the joints, in SI units."""

    position: Array
    velocity: Array
    acceleration: Array


def random_states(mechanism: Mechanism, limits: Limits, count: int, seed: int = 0) -> States:
    """Draw states uniformly within the limits, at positions at which closed chains can be closed.

    Args:
        mechanism: of the robot.
        limits: of its joints; without them, half a turn or pi m, 2 rad/s and 5 rad/s^2.
        count: number of states.
        seed: of the random numbers.

    Raises:
        MechanismError: a closed chain can be closed at too few positions.
    """
    random = np.random.default_rng(seed)
    position = _positions(mechanism, limits, count, random)
    velocity = _width(limits.velocity, _VELOCITY, position) * random.uniform(-1, 1, position.shape)
    acceleration = _width(limits.acceleration, _ACCELERATION, position)
    return States(position, velocity, acceleration * random.uniform(-1, 1, position.shape))


def _positions(
    mechanism: Mechanism, limits: Limits, count: int, random: np.random.Generator
) -> Array:
    n = len(mechanism.joints)
    low, high = np.full(n, -_POSITION), np.full(n, _POSITION)
    if limits.position is not None:
        low, high = np.array(limits.position).T
    tried = low + (high - low) * random.uniform(0, 1, (_TRIED * count, n))
    reachable = tried[mechanism.reachable(tried)][:count]
    if len(reachable) < count:
        raise MechanismError(
            f"the closed chain can be closed at only {len(reachable)} of {len(tried)} positions "
            "within its limits; narrow limits.position to the range in which it can move."
        )
    return np.asarray(reachable)


def _width(limit: object, otherwise: float, like: Array) -> Array:
    n = like.shape[1]
    return np.full(n, otherwise) if limit is None else np.broadcast_to(np.asarray(limit), n)
