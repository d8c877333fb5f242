"""The law of servos (:mod:`dynid.robot.servo`) with the motors of a data sheet, as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.robot.drives import Drives, torque_per_ampere
from dynid.robot.servo import Servo


class ServoLaw(NamedTuple):
    """The law of a robot's servos; arrays (n,), as in :class:`~dynid.robot.servo.Servo`.

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
