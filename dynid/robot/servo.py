"""Servos: drives with a position loop whose law is known (the profile's ``servo``).

With the commanded position c, the joint's position q and velocity v, the loop's output is

    u = kp e - kd v,   e = c(t - delay) + bias - q,   e = 0 within the dead zone.

A servo with a resistance R is driven by voltage: u is the duty cycle of the supply U, limited to
``output_max``, and with the torque per ampere K behind the gear (which is also its back-EMF [V s])

    torque = K (U u - K v) / R.

Without one the servo controls its current, as a quasi-direct drive does, and u is the torque. For
a prismatic joint, torque means force. Arrays have one value for each joint in their last axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field, NonNegativeFloat, PositiveFloat, field_validator, model_validator

from dynid.arrays import Array
from dynid.configuration import (
    PerJoint,
    PerJointNotNegative,
    PerJointPositive,
    Settings,
    per_joint,
)
from dynid.robot.drives import LARGEST, SMALLEST, Drives, torque_per_ampere


class Servo(Settings):
    """Position loop and motor of servos, one value for all joints or one for each.

    The torque constant and the gear are those of ``drives``. Give ``supply_voltage`` and
    ``resistance`` for a servo driven by voltage (hobby servos); without them the output of its
    loop is a torque (quasi-direct drives).
    """

    supply_voltage: PerJointPositive | None = None
    """Supply voltage [V]; null: the loop's output is a torque."""
    resistance: PerJointPositive | None = None
    """Resistance of the motor's winding and its driver [Ohm]."""
    position_gain: PerJointPositive
    """Gain kp of the position error [duty per rad or m]; of a torque [N m/rad or N/m]."""
    velocity_gain: PerJointNotNegative = (0.0,)
    """Gain kd of the velocity [duty per rad/s or m/s]; of a torque [N m s/rad or N s/m]."""
    output_max: PerJointPositive = (1.0,)
    """Largest duty cycle, or torque [N m or N]."""
    dead_zone: PerJointNotNegative = (0.0,)
    """Position errors up to this size give no output [rad or m]."""
    bias: PerJoint = (0.0,)
    """Added to commands: zero of the commands minus zero of the positions [rad or m]."""
    delay: NonNegativeFloat = Field(default=0.0, le=10.0)
    """Time from the stamp of a command until it acts [s]."""
    loop_rate: PositiveFloat = Field(default=1000.0, ge=1.0, le=1e6)
    """Rate of the position loop [Hz]; the position it uses is half a period old on average."""

    @field_validator("position_gain", "output_max", "supply_voltage", "resistance")
    @classmethod
    def _can_be_computed_with(cls, values: tuple[float, ...] | None) -> tuple[float, ...] | None:
        for value in values or ():
            if not SMALLEST <= value <= LARGEST:
                raise ValueError(f"must be from {SMALLEST:g} to {LARGEST:g}, got {value:g}")
        return values

    @model_validator(mode="after")
    def _is_driven_by_voltage_or_torque(self) -> Servo:
        if (self.supply_voltage is None) != (self.resistance is None):
            raise ValueError(
                "supply_voltage [V] and resistance [Ohm] must be given together, or neither for a "
                "servo that controls its torque"
            )
        return self


class ServoLaw(NamedTuple):
    """The law of a robot's servos; arrays (n,), as in :class:`Servo`.

    Attributes:
        position_gain: output per position error.
        velocity_gain: output per velocity.
        output_max: largest output.
        dead_zone: largest error without output [rad or m].
        bias: added to commands [rad or m].
        delay: of commands [s].
        loop_rate: of the position loop [Hz].
        torque_per_output: stall torque of the supply voltage; 1 if the output is a torque.
        back_emf_damping: K^2 / R [N m s/rad or N s/m]; 0 if the output is a torque.
    """

    position_gain: Array
    velocity_gain: Array
    output_max: Array
    dead_zone: Array
    bias: Array
    delay: float
    loop_rate: float
    torque_per_output: Array
    back_emf_damping: Array

    def output(self, command: Array, position: Array, velocity: Array) -> Array:
        """Return the limited output of the position loop, (n,) or (N, n).

        Args:
            command: that acts, without bias [rad or m].
            position: of the joints [rad or m].
            velocity: of the joints [rad/s or m/s].
        """
        error = command + self.bias - position
        error = np.where(np.abs(error) > self.dead_zone, error, 0.0)
        output = self.position_gain * error - self.velocity_gain * velocity
        return np.asarray(np.clip(output, -self.output_max, self.output_max))

    def torque(self, output: Array, velocity: Array) -> Array:
        """Return the motors' torque behind the gear, without friction [N m or N]."""
        return np.asarray(self.torque_per_output * output - self.back_emf_damping * velocity)


def servo_law(servo: Servo, drives: Drives, joints: int) -> ServoLaw:
    """Return the law of servos with the motors of a data sheet.

    Raises:
        ConfigurationError: the torque constant is missing, or numbers of values do not match.
    """
    values = {
        name: per_joint(getattr(servo, name), joints, f"servo.{name}")
        for name in ("position_gain", "velocity_gain", "output_max", "dead_zone", "bias")
    }
    torque_per_output, damping = np.ones(joints), np.zeros(joints)
    if servo.supply_voltage is not None and servo.resistance is not None:
        constant = torque_per_ampere(drives, joints)
        resistance = per_joint(servo.resistance, joints, "servo.resistance")
        voltage = per_joint(servo.supply_voltage, joints, "servo.supply_voltage")
        # a gear that turns the joint backwards is inside the position loop
        torque_per_output = np.abs(constant) * voltage / resistance
        damping = constant**2 / resistance
    return ServoLaw(
        **values,
        delay=servo.delay,
        loop_rate=servo.loop_rate,
        torque_per_output=torque_per_output,
        back_emf_damping=damping,
    )
