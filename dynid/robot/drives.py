"""The data sheet of a robot's drives and motors: the profile's ``drives``."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import model_validator

from dynid.arrays import Array
from dynid.configuration import PerJoint, PerJointPositive, PerJointPositiveOrNone, Settings
from dynid.robot.drive_factors import torque_per_ampere, torque_per_permille


class Drives(Settings):
    """Drives, motors and transmissions, and in which unit a recording tells effort.

    ``effort`` names what a recording's effort is: ``torque`` (N m or N, nothing to convert),
    ``current`` [A] (times the torque constant), or ``rated_current_permille`` (CiA402 0x6078:
    thousandths of the rated current). With a lead screw, force is torque times 2π / screw_lead; a
    linear motor has a force constant, and neither gear nor screw. ``drive`` names the drive
    profile, a file of config/drives or one that ends in .yaml.
    """

    effort: Literal["torque", "current", "rated_current_permille"] = "torque"
    rated_current_ma: PerJointPositive | None = None  # 0x6075
    peak_current_ma: PerJointPositive | None = None  # 0x2036 of a CDHD
    torque_constant: PerJoint | None = None  # [N m/A], in front of the gear; 0x2039 of a CDHD
    force_constant: PerJoint | None = None  # [N/A] of a linear motor; 0x2038 of a CDHD
    rated_torque: PerJointPositive | None = None  # [N m] of the motor, 0x6076; null: Kt times I
    gear_ratio: PerJoint = (1.0,)
    screw_lead: PerJointPositiveOrNone | None = None  # [m/rev]; null where a joint has none
    encoder_counts: PerJointPositive | None = None  # per motor turn, or per metre if linear
    drive: str = "cia402"

    @model_validator(mode="after")
    def _has_what_the_conversion_needs(self) -> Drives:
        if self.effort != "torque" and not (self.torque_constant or self.force_constant):
            raise ValueError(f"effort '{self.effort}' needs torque_constant [N m/A]")
        if self.effort == "rated_current_permille" and self.rated_current_ma is None:
            raise ValueError("effort 'rated_current_permille' needs rated_current_ma [mA]")
        for name in ("torque_constant", "force_constant", "gear_ratio"):
            if 0.0 in (getattr(self, name) or ()):
                raise ValueError(f"{name} must not be 0, which would leave no torque")
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
            raise ValueError("torque_constant and force_constant exclude each other; give one")
        if self.screw_lead is not None or set(self.gear_ratio) != {1.0}:
            raise ValueError(
                "force_constant is a linear motor's: it has no gear_ratio, no screw_lead"
            )
        return self

    @property
    def effort_unit(self) -> str:
        """Unit in which efforts are recorded."""
        units = {"torque": "N*m", "current": "A", "rated_current_permille": "permille"}
        return units[self.effort]

    @property
    def scales_torque_offset(self) -> bool:
        """Whether the data sheet says what 0x60B2 is thousandths of."""
        constant = self.torque_constant or self.force_constant
        return bool(constant and (self.rated_torque or self.rated_current_ma))

    def torque_factor(self, joints: int) -> Array:
        """Torque behind the gear per unit of recorded effort, (n,) (softMC: 1/TFac)."""
        if self.effort == "torque":
            return np.ones(joints)
        if self.effort == "current":
            return torque_per_ampere(self, joints)
        return torque_per_permille(self, joints)
