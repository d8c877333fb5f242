"""Torque noise of a robot's drives: from its profile, or assumed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.robot.robot import Robot

_ASSUMED = 0.01  # of the largest torque


class TorqueNoise(NamedTuple):
    """Standard deviation of the measured torque at each joint, and its source.

    Attributes:
        standard_deviation: (n,) [N m or N], above 0.
        source: a sentence.
    """

    standard_deviation: Array
    source: str


def torque_noise(
    robot: Robot,
    mechanism: Mechanism,
    torque: Array,
    given: Sequence[float] | None = None,
    *,
    stated: Array | None = None,
) -> TorqueNoise:
    """Return the noise of the measured torque.

    Without a given or stated value, 1 % of ``limits.torque_max`` is assumed, or of the largest
    predicted torque.

    Args:
        robot: with its limits and settings.
        mechanism: its joints and couplings.
        torque: (N, n) predicted [N m or N].
        given: standard deviations, one for each joint or one for all; None to use ``stated``.
        stated: (n,) of the robot's drives, 0 where unknown, as
            dynid.simulation.settings.stated_torque_noise has them; None: all unknown.

    Raises:
        ConfigurationError: there are neither 1 nor n values, or one is not above 0.
    """
    if given is not None:
        deviation = per_joint(given, len(mechanism.joints), "torque_noise")
        if not (np.isfinite(deviation) & (deviation > 0)).all():
            message = f"torque_noise: is {list(given)}, expected finite values above 0 [N m or N]."
            raise ConfigurationError(message)
        return TorqueNoise(deviation, "Torque noise is as given.")
    known = np.zeros(len(mechanism.joints)) if stated is None else stated
    if (known > 0).all():
        source = "Torque noise is that of the profile's drives: noise, and steps of the feedback."
        return TorqueNoise(known, source)
    assumed, share = _assumed(robot, torque)
    reason = "the profile does not state it"
    if (known > 0).any():
        missing = [name for name, size in zip(mechanism.joints, known, strict=True) if size == 0]
        reason = f"the profile does not state it for {', '.join(missing)}"
    source = f"Torque noise is assumed to be {share}, because {reason}."
    return TorqueNoise(np.where(known > 0, known, assumed), source)


def _assumed(robot: Robot, torque: Array) -> tuple[Array, str]:
    """Return a share of the largest torque (n,), and its description."""
    joints = torque.shape[1]
    if robot.limits.torque_max is not None:
        return _ASSUMED * per_joint(robot.limits.torque_max, joints, "torque_max"), (
            f"{100 * _ASSUMED:g} % of limits.torque_max"
        )
    peak = np.max(np.abs(torque), axis=0)
    if not peak.any():
        return np.ones(joints), "1 N·m (1 N for prismatic joints)"
    return _ASSUMED * np.where(peak > 0, peak, peak.max()), (
        f"{100 * _ASSUMED:g} % of the largest predicted torque"
    )
