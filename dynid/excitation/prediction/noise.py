"""How noisy the torque of a robot's drives is: as its profile tells, or as is assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.errors import ConfigurationError
from dynid.simulation.settings import SimulationSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.dynamics.mechanism import Mechanism
    from dynid.profile import RobotProfile


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
    profile: RobotProfile,
    mechanism: Mechanism,
    torque: Array,
    given: Sequence[float] | None = None,
) -> TorqueNoise:
    """Find out how noisy measured torque is.

    Noise of ``simulation.torque_noise`` and steps q of the feedback, whose error is even over
    ± q / 2 and has the variance q² / 12, add up. Where a profile tells of neither, 1 % of
    ``limits.torque_max`` is assumed, or of the largest predicted torque.

    Args:
        profile: the robot's.
        mechanism: its joints and couplings.
        torque: (N, n) predicted [N m or N].
        given: standard deviations, one for each joint or one for all; None to ask the profile.

    Raises:
        ConfigurationError: there are neither 1 nor n values, or one is not above 0.
    """
    if given is not None:
        deviation = per_joint(given, len(mechanism.joints), "torque_noise")
        if not (np.isfinite(deviation) & (deviation > 0)).all():
            message = f"torque_noise: is {list(given)}, expected finite values above 0 [N m or N]."
            raise ConfigurationError(message)
        return TorqueNoise(deviation, "Torque noise is as given.")
    told = _told(profile, mechanism)
    if (told > 0).all():
        account = "Torque noise is that of the profile's drives: noise, and steps of the feedback."
        return TorqueNoise(told, account)
    assumed, share = _assumed(profile, torque)
    who = "the profile tells of none"
    if (told > 0).any():
        silent = [name for name, size in zip(mechanism.joints, told, strict=True) if size == 0]
        who = f"the profile tells of none at {', '.join(silent)}"
    account = f"Torque noise is assumed to be {share}, as {who}."
    return TorqueNoise(np.where(told > 0, told, assumed), account)


def _told(profile: RobotProfile, mechanism: Mechanism) -> Array:
    """What the profile tells, at the joints; 0 where it tells nothing (n,)."""
    joints = len(mechanism.joints)
    simulation = profile.simulation or SimulationSettings()
    step = np.zeros(joints)
    if simulation.rated_torque is not None:
        step = per_joint(simulation.rated_torque, joints, "rated_torque") / 1000
    elif profile.drives.effort == "rated_current_permille":
        step = profile.drives.torque_factor(joints)
    variance = per_joint(simulation.torque_noise, joints, "torque_noise") ** 2 + step**2 / 12
    if profile.recording.side == "motor":  # errors of coupled motors reach several joints
        variance = np.linalg.inv(mechanism.coupling).T ** 2 @ variance
    return np.asarray(np.sqrt(variance))


def _assumed(profile: RobotProfile, torque: Array) -> tuple[Array, str]:
    """A share of the largest torque (n,), and that in words."""
    joints = torque.shape[1]
    if profile.limits.torque_max is not None:
        return _ASSUMED * per_joint(profile.limits.torque_max, joints, "torque_max"), (
            f"{100 * _ASSUMED:g} % of limits.torque_max"
        )
    peak = np.max(np.abs(torque), axis=0)
    if not peak.any():
        return np.ones(joints), "1 N·m (1 N where a joint slides)"
    return _ASSUMED * np.where(peak > 0, peak, peak.max()), (
        f"{100 * _ASSUMED:g} % of the largest predicted torque"
    )
