"""Interface of every excitation: a motion that can be sampled at any time."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import MechanismError
from dynid.robot.limits import Limits


class Motion(NamedTuple):
    """Joint motion at some instants, time along axis 0 and joints along axis 1.

    Attributes:
        position: (N, n) [rad or m].
        velocity: (N, n) [rad/s or m/s].
        acceleration: (N, n) [rad/s^2 or m/s^2].
    """

    position: Array
    velocity: Array
    acceleration: Array


@runtime_checkable
class Excitation(Protocol):
    """A motion from rest to rest, twice continuously differentiable.

    Before 0 and after ``duration`` the robot rests at the first and the last position.
    """

    @property
    def joint_count(self) -> int:
        """Number of joints n."""
        ...

    @property
    def duration(self) -> float:
        """Time from rest to rest [s]."""
        ...

    @property
    def highest_frequency(self) -> float:
        """Highest frequency in the motion, without the ramps [Hz]; filters must let it pass."""
        ...

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Instants from 0 to ``duration`` [s] between which the motion is smooth to any order."""
        ...

    def evaluate(self, time: ArrayLike) -> Motion:
        """Sample the motion at ``time`` (N,) [s], in any order and at any spacing."""
        ...

    def derivative_bound(self, order: int) -> Array:
        """Bound on the size of a derivative of position, order 1 to 4, between breakpoints (n,)."""
        ...


def central_difference(
    function: Callable[[Motion], Array], motion: Motion, order: int, joint: int, step: float = 1e-6
) -> Array:
    """Return the derivative of a function of a motion by one joint's quantity at every sample.

    Args:
        function: whose value at a sample depends on that sample only.
        motion: arrays (N, n).
        order: of the quantity: 0 position, 1 velocity, 2 acceleration.
        joint: its number.
        step: [rad or m, per s, per s^2]; the error is then about 1e-9.
    """
    by = np.zeros(motion.position.shape[1])
    by[joint] = step
    name = Motion._fields[order]
    ahead, behind = (function(motion._replace(**{name: motion[order] + s * by})) for s in (1, -1))
    return np.asarray((ahead - behind) / (2 * step))


_TRIED = 20  # times as many positions drawn, as a closed chain does not reach all


def random_states(mechanism: Mechanism, limits: Limits, count: int, seed: int = 0) -> Motion:
    """Draw states uniformly within the limits, at positions at which closed chains can be closed.

    Args:
        mechanism: of the robot.
        limits: of its joints; see :meth:`JointLimits.finite`.
        count: number of states.
        seed: of the random numbers.

    Raises:
        MechanismError: a closed chain can be closed at too few positions.
    """
    random = np.random.default_rng(seed)
    within, n = limits.of_joints(len(mechanism.joints)).finite(), len(mechanism.joints)
    tried = within.low + 2 * within.half * random.uniform(0, 1, (_TRIED * count, n))
    reachable = tried[mechanism.reachable(tried)][:count]
    if len(reachable) < count:
        raise MechanismError(
            f"the closed chain can be closed at only {len(reachable)} of {len(tried)} positions "
            "within its limits; narrow limits.position to the range in which it can move."
        )
    sizes = (within.velocity, within.acceleration)
    return Motion(reachable, *(size * random.uniform(-1, 1, reachable.shape) for size in sizes))
