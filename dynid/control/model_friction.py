"""The friction of a model along a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism


def viscous_friction(mechanism: Mechanism, velocity: Array, *, motor_side: bool) -> Array:
    """Return the size of friction that grows with speed, (N, n) [N m or N].

    Of terms that act in one direction only, the larger one is used for both. Friction of passive
    joints is not included.

    Args:
        mechanism: with the identified parameters.
        velocity: on the commanded side (N, n) [rad/s or m/s].
        motor_side: whether that is the motors' side of the coupling.
    """
    coupling = mechanism.coupling
    to_motor = np.linalg.inv(coupling)
    joint = velocity @ coupling.T if motor_side else velocity
    motor = velocity if motor_side else velocity @ to_motor.T
    at_joints = np.zeros_like(velocity)
    at_motors = np.zeros_like(velocity)
    one_way: dict[tuple[str, int], float] = {}
    parameters = mechanism.parameters[mechanism.first_term :]
    for term, parameter in zip(mechanism.terms, np.abs(parameters), strict=True):
        kind = term.traits
        if kind.dry or not kind.dissipative or term.joint >= velocity.shape[1]:
            continue
        added = float(parameter)
        if kind.mirror:
            before = one_way.get((term.side, term.joint), 0.0)
            one_way[term.side, term.joint] = max(before, added)
            added = max(0.0, added - before)
        moved, torque = (motor, at_motors) if term.side == "motor" else (joint, at_joints)
        speed = np.abs(moved[:, term.joint])
        forward, backward = term.column(velocity=speed), term.column(velocity=-speed)
        torque[:, term.joint] += added * np.maximum(np.abs(forward), np.abs(backward))
    if motor_side:
        return np.asarray(at_motors + at_joints @ np.abs(coupling))
    return np.asarray(at_joints + at_motors @ np.abs(to_motor))
