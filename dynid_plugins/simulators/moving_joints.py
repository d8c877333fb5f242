"""Motion of all moving joints of a closed chain, which simulators have as joints of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_terms import JointTerm
from dynid.excitation.motion import Motion

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism

_STEP = 1e-3  # [rad or m] of differences along the motion


class MovingMotion(NamedTuple):
    """A motion of the actuated joints with that of the passive ones.

    Attributes:
        motion: of all m moving joints, each (N, m).
        following: (N, m, n) velocity of each moving joint per velocity of each actuated one.
    """

    motion: Motion
    following: Array

    def at_actuated(self, torque: Array) -> Array:
        """Return torques at the moving joints (N, m) as torques at the actuated ones (N, n)."""
        return np.asarray(np.einsum("tm,tmn->tn", torque, self.following))


def moving_motion(mechanism: Mechanism, motion: Motion) -> MovingMotion:
    """Return the motion of all moving joints for one of the actuated joints (N, n).

    Raises:
        MechanismError: loops cannot be closed.
    """
    following = _following(mechanism, motion.position)
    if not mechanism.chain.passive:
        return MovingMotion(motion, following)
    velocity, acceleration = motion.velocity, motion.acceleration
    size = np.abs(velocity).max(axis=1, keepdims=True)
    step = _STEP / np.where(size > 0, size, 1.0)

    def moved(steps: int) -> Array:
        return _following(mechanism, motion.position + steps * step * velocity)

    slope = (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12 * step[:, :, None])
    moving = Motion(
        mechanism.moving_positions(motion.position),
        np.einsum("tmn,tn->tm", following, velocity),
        np.einsum("tmn,tn->tm", following, acceleration) + np.einsum("tmn,tn->tm", slope, velocity),
    )
    return MovingMotion(moving, following)


def _following(mechanism: Mechanism, position: Array) -> Array:
    count, n = np.shape(position)
    actuated = np.tile(np.eye(n), (count, 1, 1))
    if not mechanism.chain.passive:
        return actuated
    # a constant torque of 1 at a passive joint is felt at the actuated ones by its row of G
    passive = range(n, len(mechanism.moving_joints))
    probe = mechanism.with_terms([JointTerm("offset", joint) for joint in passive])
    rest = np.zeros((count, n))
    columns = probe.regressor(position, rest, rest)[:, :, probe.first_term :]
    return np.concatenate([actuated, np.swapaxes(columns, 1, 2)], axis=1)
