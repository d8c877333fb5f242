"""How noisy the torque of a robot's drives is: as its profile tells, or as is assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.dynamics.mechanism import Mechanism
    from dynid.robot.robot import Robot


_ASSUMED = 0.01  # of the largest torque


class TorqueNoise(NamedTuple):
    """Standard deviation of the measured torque at each joint, and where it is from.

    Attributes:
        deviation: (n,) [N m or N], above 0.
        account: a sentence.
    """

    deviation: Array
    account: str


def torque_noise(
    robot: Robot,
    mechanism: Mechanism,
    torque: Array,
    given: Sequence[float] | None = None,
    *,
    stated: Array | None = None,
) -> TorqueNoise:
    """Find out how noisy measured torque is.

    Where it is neither given nor stated, 1 % of ``limits.torque_max`` is assumed, or of the
    largest predicted torque.

    Args:
        robot: with its limits and settings.
        mechanism: its joints and couplings.
        torque: (N, n) predicted [N m or N].
        given: standard deviations, one for each joint or one for all; None to use ``stated``.
        stated: (n,) of the robot's drives, 0 where unknown, as
            dynid.simulation.sensor_noise.stated_torque_noise has them; None: all unknown.

    Raises:
        ConfigurationError: there are neither 1 nor n values, or one is not above 0.
    """
    if given is not None:
        deviation = per_joint(given, len(mechanism.joints), "torque_noise")
        if not (np.isfinite(deviation) & (deviation > 0)).all():
            message = f"torque_noise: is {list(given)}, expected finite values above 0 [N m or N]."
            raise ConfigurationError(message)
        return TorqueNoise(deviation, "Torque noise is as given.")
    told = np.zeros(len(mechanism.joints)) if stated is None else stated
    if (told > 0).all():
        account = "Torque noise is that of the profile's drives: noise, and steps of the feedback."
        return TorqueNoise(told, account)
    assumed, share = _assumed(robot, torque)
    who = "the profile tells of none"
    if (told > 0).any():
        silent = [name for name, size in zip(mechanism.joints, told, strict=True) if size == 0]
        who = f"the profile tells of none at {', '.join(silent)}"
    account = f"Torque noise is assumed to be {share}, as {who}."
    return TorqueNoise(np.where(told > 0, told, assumed), account)


def _assumed(robot: Robot, torque: Array) -> tuple[Array, str]:
    """Return a share of the largest torque (n,), and that in words."""
    joints = torque.shape[1]
    if robot.limits.torque_max is not None:
        return _ASSUMED * per_joint(robot.limits.torque_max, joints, "torque_max"), (
            f"{100 * _ASSUMED:g} % of limits.torque_max"
        )
    peak = np.max(np.abs(torque), axis=0)
    if not peak.any():
        return np.ones(joints), "1 N·m (1 N where a joint slides)"
    return _ASSUMED * np.where(peak > 0, peak, peak.max()), (
        f"{100 * _ASSUMED:g} % of the largest predicted torque"
    )
