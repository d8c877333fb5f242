"""Data sheet of drives and motors (the profile's ``drives``), and the conversion factors from it.

For a prismatic joint, torque [N m] means force [N], and position [rad] means [m]. Every array has
the shape (n,), one value per joint. Factors have signs: with a negative gear ratio the joint turns
against its motor, and every factor is negative.
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from dynid.arrays import Array
from dynid.configuration import (
    PerJoint,
    PerJointAddress,
    PerJointPositive,
    PerJointPositiveOrNone,
    Settings,
    per_joint,
)
from dynid.errors import ConfigurationError
from dynid.robot.limits import Limits

SMALLEST, LARGEST = 1e-9, 1e9
"""Of a drive's factors in SI units: beyond, products of them overflow or vanish."""

INT16_MAX = 32767
"""Largest value of 0x60B2 [permille]; ethercat_driver casts to int16 without saturating."""


EffortName = Literal[
    "torque",
    "current",
    "rated_current_permille",
    "rated_torque_permille",
    "position_command",
    "duty",
    "voltage",
]
_OF_SERVOS = ("position_command", "duty", "voltage")
_NOT_SCALED = ("torque", *_OF_SERVOS)
"""Efforts that are torques, or converted to torques when a recording is loaded."""


class Drives(Settings):
    """Drives, motors and transmissions, and the unit of effort in recordings.

    ``effort`` is the recorded quantity: ``torque`` (N m or N, no conversion), ``current`` [A]
    (times the torque constant), ``rated_current_permille`` (CiA402 0x6078: thousandths of the
    rated current), ``rated_torque_permille`` (0x6077), or a command or output of a ``servo``. With
    a lead screw, force is torque times 2π / screw_lead; a linear motor has a force constant, and
    neither gear nor screw.
    ``drive`` names the drive profile, a file of config/drives or one that ends in .yaml.
    """

    effort: EffortName = "torque"
    """Quantity of a recording's effort: torque behind the gear [N m or N], current [A], or
    thousandths of the rated current (CiA402 0x6078) or of the rated torque (0x6077); of a
    ``servo``: ``position_command`` [rad or m], ``duty`` (-1 to 1) or ``voltage`` [V], from which
    the torque is computed when the recording is loaded."""
    rated_current_ma: PerJointPositive | None = None
    """Rated current of the drive [mA]; CiA402 0x6075."""
    peak_current_ma: PerJointPositive | None = None
    """Peak current of the drive [mA]; 0x2036 of a CDHD."""
    torque_constant: PerJoint | None = None
    """Torque constant of the motor, before the gear [N m/A]; 0x2039 of a CDHD."""
    force_constant: PerJoint | None = None
    """Force constant of a linear motor, in place of ``torque_constant`` [N/A]; 0x2038 of a CDHD."""
    rated_torque: PerJointPositive | None = None
    """Rated torque of the motor [N m]; CiA402 0x6076; null: torque constant times rated current."""
    gear_ratio: PerJoint = (1.0,)
    """Motor turns per joint turn; negative where the joint turns against the motor."""
    screw_lead: PerJointPositiveOrNone | None = None
    """Lead of a ball screw [m/rev]; null: none."""
    encoder_counts: PerJointPositive | None = None
    """Encoder counts per motor turn, or per metre of a linear motor."""
    drive: str = "cia402"
    """Drive profile: ``cdhd``, ``cia402``, or a YAML file."""
    alias: PerJointAddress = (0,)
    """EtherCAT alias of the drive, or of the slave from which ``position`` counts; 0: none."""
    position: PerJointAddress | None = None
    """Position of the drive on the bus, from 0, or after the slave with the alias; null: drives
    alone on the bus, in the order of ``joints``."""
    mode: Literal["csp", "cst"] = "csp"
    """Mode of operation: cyclic synchronous position with a torque offset (8), or torque (10)."""
    feedback: Literal["current", "torque"] = "current"
    """Object that measures effort: current actual value 0x6078, or torque actual value 0x6077."""
    extrapolation_time: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Time for which the drives continue their motion without a new target [s], as those do that
    extrapolate lost frames; 0: they hold the last target."""
    following_error: bool = False
    """Whether 0x60F4 is mapped, as state interface ``following_error`` [rad or m]."""

    @model_validator(mode="after")
    def _has_what_the_conversion_needs(self) -> Drives:
        constant = self.torque_constant or self.force_constant
        if self.effort == "rated_torque_permille":
            if not self.scales_torque_offset:
                raise ValueError("effort 'rated_torque_permille' requires rated_torque [N m]")
        elif self.effort not in _NOT_SCALED and not constant:
            raise ValueError(f"effort '{self.effort}' requires torque_constant [N m/A]")
        if self.effort == "rated_current_permille" and self.rated_current_ma is None:
            raise ValueError("effort 'rated_current_permille' requires rated_current_ma [mA]")
        for name in ("torque_constant", "force_constant", "gear_ratio"):
            if 0.0 in (getattr(self, name) or ()):
                raise ValueError(f"{name} must not be 0")
            for value in getattr(self, name) or ():
                if not SMALLEST <= abs(value) <= LARGEST:
                    raise ValueError(
                        f"{name} must be from {SMALLEST:g} to {LARGEST:g} in size, got {value:g}"
                    )
        return self

    @model_validator(mode="after")
    def _peak_is_not_below_rated(self) -> Drives:
        rated, peak = self.rated_current_ma, self.peak_current_ma
        if rated and peak and np.any(np.less(peak, rated)):
            raise ValueError("peak_current_ma must not be below rated_current_ma")
        return self

    @model_validator(mode="after")
    def _is_rotary_or_linear(self) -> Drives:
        if self.force_constant is None:
            return self
        if self.torque_constant is not None:
            raise ValueError("give either torque_constant or force_constant, not both")
        if self.screw_lead is not None or set(self.gear_ratio) != {1.0}:
            raise ValueError(
                "force_constant is for a linear motor, which has no gear_ratio and no screw_lead"
            )
        return self

    @property
    def effort_unit(self) -> str:
        """Unit of efforts in a loaded recording."""
        if self.effort in _NOT_SCALED:
            return "N*m"
        return {"current": "A"}.get(self.effort, "permille")

    @property
    def of_servo(self) -> bool:
        """Whether recordings hold commands or outputs of servos, no measured torque or current."""
        return self.effort in _OF_SERVOS

    @property
    def of_voltage(self) -> bool:
        """Whether recordings hold the voltage of servos, or its share of their supply."""
        return self.effort in ("duty", "voltage")

    @property
    def scales_torque_offset(self) -> bool:
        """Whether the data sheet defines the unit of 0x60B2."""
        constant = self.torque_constant or self.force_constant
        return bool(self.rated_torque or (constant and self.rated_current_ma))

    def torque_factor(self, joints: int) -> Array:
        """Return the joint torque per effort of a loaded recording, (n,) (softMC: 1/TFac)."""
        if self.effort in _NOT_SCALED:
            return np.ones(joints)
        if self.effort == "current":
            return torque_per_ampere(self, joints)
        if self.effort == "rated_torque_permille":
            return rated_joint_torque(self, joints) * 1e-3
        return torque_per_permille(self, joints)


def torque_per_ampere(drives: Drives, joints: int) -> Array:
    """Return the joint torque per motor current [N m/A]: Kt · GR, with a screw · 2π / SL; or Kf.

    Raises:
        ConfigurationError: neither a torque constant nor a force constant is given.
    """
    if drives.force_constant is not None:
        return per_joint(drives.force_constant, joints, "force_constant")
    return _given(drives, "torque_constant", joints) * transmission(drives, joints)


def torque_per_permille(drives: Drives, joints: int) -> Array:
    """Return the joint torque per unit of 0x6078 [N m]: 1e-6 · 0x6075 · torque per ampere.

    Raises:
        ConfigurationError: the rated current or the motor's constant is missing.
    """
    return torque_per_ampere(drives, joints) * _given(drives, "rated_current_ma", joints) * 1e-6


def rated_joint_torque(drives: Drives, joints: int) -> Array:
    """Return the joint torque [N m] of 1000 ‰ in 0x60B2 and 0x6071, with the sign of its factor.

    It is 0x6076 behind the gear; if that is not given, the torque of the rated current.

    Raises:
        ConfigurationError: the rated torque is missing and cannot be computed.
    """
    if drives.rated_torque is None:
        return torque_per_permille(drives, joints) * 1e3
    rated = per_joint(drives.rated_torque, joints, "rated_torque")
    torque = rated * transmission(drives, joints)
    if drives.torque_constant is None and drives.force_constant is None:
        return torque
    # torque and current of a motor have one sign, however its constant was measured
    return np.copysign(torque, torque_per_ampere(drives, joints))


def measured_torque_per_permille(drives: Drives, joints: int) -> Array:
    """Return the joint torque per unit of the object that measures effort [N m].

    Raises:
        ConfigurationError: the data sheet does not define it.
    """
    if drives.feedback == "torque":
        return rated_joint_torque(drives, joints) * 1e-3
    return torque_per_permille(drives, joints)


def torque_offset_factor(drives: Drives, joints: int) -> Array:
    """Return the units of 0x60B2 per joint torque [permille/(N m)]."""
    return 1e3 / rated_joint_torque(drives, joints)


def torque_offset_limit(drives: Drives, joints: int, torque_max: Array | None = None) -> Array:
    """Return the largest torque offset [N m]: ``torque_max``, or less by the range of int16.

    Args:
        drives: the data sheet.
        joints: their number.
        torque_max: largest torque of the joints [N m]; None: only the range of int16 counts.
    """
    held = INT16_MAX / np.abs(torque_offset_factor(drives, joints))
    return held if torque_max is None else np.minimum(held, torque_max)


def counts_factor(drives: Drives, joints: int) -> Array:
    """Return the counts of 0x607A, 0x6064 and 0x606C per joint position [1/rad], or [1/m].

    Raises:
        ConfigurationError: ``encoder_counts`` is missing.
    """
    counts = _given(drives, "encoder_counts", joints)
    if drives.force_constant is not None:
        return counts
    return counts / (2 * np.pi) * transmission(drives, joints)


class Address(NamedTuple):
    """A drive on the bus: ``position`` counts from the slave with ``alias``, or from the first."""

    alias: int
    position: int


def bus_addresses(drives: Drives, joints: int) -> tuple[Address, ...]:
    """Return the address of each joint's drive.

    Raises:
        ConfigurationError: two drives have one address, or numbers of values do not match.
    """
    alias = per_joint(drives.alias, joints, "drives.alias").astype(int).tolist()
    given = range(joints) if drives.position is None else drives.position
    position = per_joint(given, joints, "drives.position").astype(int).tolist()
    addresses = tuple(map(Address, alias, position))
    for j, address in enumerate(addresses):
        if address in addresses[:j]:
            raise ConfigurationError(
                f"'drives.position': the drives of joints {addresses.index(address) + 1} and "
                f"{j + 1} have alias {address.alias} and position {address.position}; every drive "
                "needs its own address."
            )
    return addresses


def encoder_step(drives: Drives, joints: int) -> Array:
    """Return the joint motion of one encoder count, 0 where ``encoder_counts`` is missing; (n,)."""
    if drives.encoder_counts is None:
        return np.zeros(joints)
    return np.asarray(1.0 / np.abs(counts_factor(drives, joints)))


def with_drive_limits(limits: Limits, drives: Drives, joints: int) -> Limits:
    """Return the limits, with those of the drives where the profile has none.

    ``torque_max`` becomes the torque of the peak current, ``torque_threshold`` that of the rated
    (continuous) current. Where currents or constants are not given, limits stay as they are.
    """
    if drives.torque_constant is None and drives.force_constant is None:
        return limits
    factor = np.abs(torque_per_ampere(drives, joints)) * 1e-3
    torque_limits = {}
    for limit, current in (
        ("torque_max", drives.peak_current_ma),
        ("torque_threshold", drives.rated_current_ma),
    ):
        if getattr(limits, limit) is None and current is not None:
            torque_limits[limit] = tuple((factor * np.asarray(current)).tolist())
    return limits.model_copy(update=torque_limits)


def transmission(drives: Drives, joints: int) -> Array:
    """Return the joint torque per motor torque, equal to motor motion per joint motion."""
    if drives.force_constant is not None:
        return np.ones(joints)
    ratio = per_joint(drives.gear_ratio, joints, "gear_ratio")
    if drives.screw_lead is None:
        return ratio
    # without a screw the joint turns with its gear: 2π / 2π
    leads = [2 * np.pi if lead is None else lead for lead in drives.screw_lead]
    return ratio * 2 * np.pi / per_joint(leads, joints, "screw_lead")


def _given(drives: Drives, name: str, joints: int) -> Array:
    values = getattr(drives, name)
    if values is None:
        unit = {"torque_constant": "N m/A", "rated_current_ma": "mA", "encoder_counts": "1/turn"}
        raise ConfigurationError(
            f"'drives.{name}' [{unit[name]}] is missing; docs/drives.md describes where to find it."
        )
    return per_joint(values, joints, name)
