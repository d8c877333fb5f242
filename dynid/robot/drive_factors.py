"""What one ampere, one permille and one count of a drive are worth at its joint.

Torque [N m] reads force [N], and position [rad] reads [m], at a joint that slides. Every array has
the shape (n,), one value per joint. Signs are kept: with a negative gear ratio the joint turns
against its motor, and every factor is negative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from dynid.robot.drives import Drives
    from dynid.robot.limits import Limits


INT16_MAX = 32767
"""Most that 0x60B2 holds [permille]; ethercat_driver casts to it without saturating."""


def torque_per_ampere(drives: Drives, joints: int) -> Array:
    """Joint torque per motor current [N m/A]: Kt · GR, times 2π / SL with a screw; or Kf.

    Raises:
        ConfigurationError: neither a torque constant nor a force constant is given.
    """
    if drives.force_constant is not None:
        return per_joint(drives.force_constant, joints, "force_constant")
    return _given(drives, "torque_constant", joints) * _transmission(drives, joints)


def torque_per_permille(drives: Drives, joints: int) -> Array:
    """Joint torque per unit of 0x6078 [N m]: 1e-6 · 0x6075 · torque per ampere.

    Raises:
        ConfigurationError: the rated current or the motor's constant is missing.
    """
    return torque_per_ampere(drives, joints) * _given(drives, "rated_current_ma", joints) * 1e-6


def rated_joint_torque(drives: Drives, joints: int) -> Array:
    """Joint torque [N m] that 0x60B2 and 0x6071 give in thousandths, with the sign of its factor.

    It is 0x6076 behind the gear; where that is not given, the torque of the rated current.

    Raises:
        ConfigurationError: rated torque and what it follows from are missing.
    """
    if drives.rated_torque is None:
        return torque_per_permille(drives, joints) * 1e3
    rated = per_joint(drives.rated_torque, joints, "rated_torque")
    # torque and current of a motor have one sign, whichever way its constant was measured
    return np.copysign(rated * _transmission(drives, joints), torque_per_ampere(drives, joints))


def torque_offset_factor(drives: Drives, joints: int) -> Array:
    """Units of 0x60B2 per joint torque [permille/(N m)]."""
    return 1e3 / rated_joint_torque(drives, joints)


def torque_offset_limit(drives: Drives, joints: int, torque_max: Array | None = None) -> Array:
    """Largest torque offset [N m] that arrives: ``torque_max``, or less if int16 holds no more.

    Args:
        drives: the data sheet.
        joints: how many.
        torque_max: most that the joints bear [N m]; None: only int16 counts.
    """
    held = INT16_MAX / np.abs(torque_offset_factor(drives, joints))
    return held if torque_max is None else np.minimum(held, torque_max)


def counts_factor(drives: Drives, joints: int) -> Array:
    """Counts of 0x607A, 0x6064 and 0x606C per joint position [1/rad], or [1/m].

    Raises:
        ConfigurationError: the encoder's counts are missing.
    """
    counts = _given(drives, "encoder_counts", joints)
    if drives.force_constant is not None:
        return counts
    return counts / (2 * np.pi) * _transmission(drives, joints)


def with_drive_limits(limits: Limits, drives: Drives, joints: int) -> Limits:
    """Return the limits with what the drives bear, where the profile has none of its own.

    ``torque_max`` becomes the torque of the peak current, ``torque_threshold`` that of the rated
    (continuous) current. Where currents or constants are not given, limits stay as they are.
    """
    if drives.torque_constant is None and drives.force_constant is None:
        return limits
    factor = np.abs(torque_per_ampere(drives, joints)) * 1e-3
    found = {}
    for limit, current in (
        ("torque_max", drives.peak_current_ma),
        ("torque_threshold", drives.rated_current_ma),
    ):
        if getattr(limits, limit) is None and current is not None:
            found[limit] = tuple((factor * np.asarray(current)).tolist())
    return limits.model_copy(update=found)


def _transmission(drives: Drives, joints: int) -> Array:
    """Joint torque per motor torque, which is motor motion [rad] per joint motion too."""
    if drives.force_constant is not None:
        return np.ones(joints)
    ratio = per_joint(drives.gear_ratio, joints, "gear_ratio")
    if drives.screw_lead is None:
        return ratio
    # a joint without a screw turns as far as its gear does: 2π / 2π
    leads = [2 * np.pi if lead is None else lead for lead in drives.screw_lead]
    return ratio * 2 * np.pi / per_joint(leads, joints, "screw_lead")


def _given(drives: Drives, name: str, joints: int) -> Array:
    values = getattr(drives, name)
    if values is None:
        unit = {"torque_constant": "N m/A", "rated_current_ma": "mA", "encoder_counts": "1/turn"}
        raise ConfigurationError(
            f"'drives.{name}' [{unit[name]}] is missing; docs/drives.md tells where to find it."
        )
    return per_joint(values, joints, name)
