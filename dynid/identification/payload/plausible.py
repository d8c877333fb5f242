"""Masses that a robot cannot carry: the sign of a wrong unit, robot or model."""

from __future__ import annotations

import math

import numpy as np

from dynid.robot.model import Model

_TIMES = 10.0  # the mass of the robot, and more than its drives can hold anywhere
_TIMES_WITHOUT_DRIVES = 100.0  # the mass of a robot whose torque limits are not known
_SHORT_LEVER = 0.1  # of the reach: so near to an axis the weight needs little torque
_DEVIATIONS_BELOW_ZERO = 5.0  # standard deviations below 0
_G = 9.81  # [m/s^2]


def impossible_mass(base: Model, mass: float, standard_deviation: float = math.inf) -> str:
    """Return a sentence if a robot cannot carry such a mass, or an empty text if it can.

    Small servos carry many times their own mass, and an arm's structure may carry what its drives
    do not, so both have to be exceeded.

    Args:
        base: the model without payload.
        mass: of the payload [kg].
        standard_deviation: of the mass [kg]; infinite: a negative one is possible.
    """
    if mass < -_DEVIATIONS_BELOW_ZERO * standard_deviation:
        return (
            f"{mass:.3g} kg, standard deviation {standard_deviation:.2g} kg, is negative; check "
            "whether the model was identified with the payload, and the recording made without it."
        )
    robot_mass = _own_mass(base)
    held = _held_mass(base)
    times = _TIMES_WITHOUT_DRIVES if math.isnan(held) else _TIMES
    allowed = max(times * robot_mass, 0.0 if math.isnan(held) else held)
    if allowed == 0 or not mass > allowed:
        return ""
    drives = "" if math.isnan(held) else f", and its drives hold at most about {held:.2g} kg"
    return (
        f"no payload of {mass:.4g} kg is possible: the robot itself has a mass of "
        f"{robot_mass:.3g} kg{drives}; check the units of position (rad or m) and effort, and "
        "that the model is of this robot."
    )


def _own_mass(base: Model) -> float:
    """Return the mass of the moving bodies [kg], by the model or the URDF, whichever is larger."""
    mechanism = base.mechanism
    bodies = slice(0, mechanism.first_term, 10)
    return float(max(mechanism.parameters[bodies].sum(), mechanism.urdf_parameters[bodies].sum()))


def _held_mass(base: Model) -> float:
    """Return the mass that the strongest drive holds near to its axis [kg]; NaN: not known."""
    robot, mechanism = base.robot, base.mechanism
    if robot.limits.torque_max is None or robot.coupling is not None:
        return math.nan
    torque = robot.limits.of_joints(len(robot.joints)).torque
    lever = _SHORT_LEVER * robot.kinematics().reach
    with np.errstate(divide="ignore"):
        masses = torque / (_G * np.where(mechanism.prismatic, 1.0, lever))
    return float(masses.max())
