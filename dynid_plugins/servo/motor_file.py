"""A servo that was identified on a rig, as a file in the library of motors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import yaml

from dynid.errors import ConfigurationError
from dynid.files import write_text
from dynid.robot.servo import Motor, MotorSource, MotorValue
from dynid_plugins.servo.rig import DAMPING, FIRST, RigIdentification

_TERMS = ("coulomb", "rotor_inertia")  # whose kinds are the names of their quantities


def motor_of(identification: RigIdentification, label: str) -> Motor:
    """Return the motor's data, with standard deviations at the profile's resistance.

    Raises:
        ConfigurationError: the profile has no resistance.
    """
    robot = identification.robot
    servo = robot.servo
    if servo is None or servo.resistance is None:
        message = f"profile '{robot.name}': a motor's data need 'servo.resistance' [Ohm]."
        raise ConfigurationError(message)
    (resistance,) = servo.resistance
    names = identification.names
    first, damping = names.index(FIRST), names.index(DAMPING)
    ratio = float(identification.values[first])
    gradient = np.zeros(len(names))  # of viscous friction: damping - (K/R)^2 R
    gradient[damping], gradient[first] = 1.0, -2 * ratio * resistance
    viscous = float(np.sqrt(gradient @ identification.covariance @ gradient))
    deviation = float(identification.standard_deviations[first])
    found = {
        "torque_constant": (ratio * resistance, deviation * resistance),
        "resistance": (resistance, None),
        "viscous": (identification.viscous, viscous),
    }
    mechanism = robot.mechanism()
    for term, name in zip(
        mechanism.terms, mechanism.parameter_names[mechanism.first_term :], strict=True
    ):
        if term.kind in _TERMS and name in names:
            at = names.index(name)
            spread = float(identification.standard_deviations[at])
            found[term.kind] = (float(identification.values[at]), spread)
    values = {
        name: MotorValue(
            value=value,
            standard_deviation="not stated" if spread is None else spread,
            source="profile" if spread is None else "rig",
        )
        for name, (value, spread) in found.items()
        if value > 0  # friction that is not there is left out
    }
    errors = ", ".join(f"{100 * error:.2g} %" for error in identification.relative_errors)
    measured = f"dynid servo rig; torque errors of the recordings {errors}"
    sources = {
        "rig": MotorSource(name=measured, url="own recordings", licence="not stated"),
        "profile": MotorSource(name=f"profile '{robot.name}'", url="own", licence="not stated"),
    }
    return Motor(label=label, values=values, sources=sources)


def write_motor(motor: Motor, path: Path) -> None:
    """Write a motor as a file of ``config/motors``.

    Raises:
        WriteError: the file cannot be written.
    """
    content = motor.model_dump(mode="json")
    write_text(path, yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120))
