"""A robot's payload, in the form of the controller's parameters ``payload``."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError
from dynid.identification.payload.fit import payload_columns
from dynid.input_file import read_text
from dynid.robot.parameter_file import ros_parameters

_LARGEST_MASS, _LARGEST_DISTANCE = 1e6, 1e3  # [kg, m] of a payload: beyond, numbers are damaged
_ROUNDING = 1e-9  # of the largest moment of inertia, as in the controller


def carrying(mechanism: Mechanism, body: RigidBody) -> Mechanism:
    """Return a mechanism with a payload on the body that carries payloads."""
    parameters, columns = np.array(mechanism.parameters), payload_columns(mechanism)
    parameters[columns] += body.parameters
    return mechanism.with_parameters(parameters)


def carrier_in(path: Path) -> str | None:
    """Return the joint that the header of a ``payload.yaml`` names, in whose frame the body is.

    Raises:
        ConfigurationError: the file cannot be read.
    """
    match = re.search(r"^#.* in the frame of joint '([^']+)'", read_text(path), re.MULTILINE)
    return match[1] if match else None


def read_carried_body(path: Path) -> RigidBody:
    """Read a ``payload.yaml`` of ``dynid payload identify``.

    Raises:
        ConfigurationError: there is no such file, or it has no payload, or one that no body has.
    """
    parameters = ros_parameters(read_text(path), str(path))
    try:
        body = RigidBody.from_numbers(
            float(str(parameters["payload.mass"])),
            parameters["payload.centre"],
            parameters["payload.inertia"],
        )
    except (KeyError, OverflowError, TypeError, ValueError):
        raise ConfigurationError(
            f"{path}: has no payload.mass, payload.centre with 3 and payload.inertia with 6 "
            "finite numbers; expected the payload.yaml of `dynid payload identify`."
        ) from None
    problem = _problem(body)
    if problem:
        raise ConfigurationError(f"{path}: {problem}")
    return body


def _problem(body: RigidBody) -> str:
    """Return a sentence on numbers that no payload has, or an empty text."""
    farthest, largest = float(np.abs(body.centre).max()), float(np.abs(body.inertia).max())
    for name, value, most, unit in (
        ("mass", body.mass, _LARGEST_MASS, "kg"),
        ("centre", farthest, _LARGEST_DISTANCE, "m"),
        ("inertia", largest, _LARGEST_MASS * _LARGEST_DISTANCE**2, "kg m^2"),
    ):
        if not 0 <= value <= most:
            return f"payload.{name} has {value:g} {unit}; expected 0 to {most:g} {unit}."
    moments = np.linalg.eigvalsh(body.inertia)
    rounding = _ROUNDING * moments[2]
    if moments[0] < -rounding or moments[0] + moments[1] < moments[2] - rounding:
        shown = ", ".join(f"{moment:.4g}" for moment in moments)
        return (
            f"payload.inertia has the principal moments {shown} kg m^2, which no body has: none "
            "may be negative, or larger than the sum of the other two (order: xx, xy, yy, xz, yz, "
            "zz, about the centre of mass)."
        )
    return ""
