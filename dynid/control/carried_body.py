"""A robot's payload, in the form of the controller's parameters ``payload``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError
from dynid.identification.payload.fit import payload_columns
from dynid.input_file import read_text
from dynid.robot.parameter_file import ros_parameters

if TYPE_CHECKING:
    from pathlib import Path

    from dynid.dynamics.mechanism import Mechanism


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
    found = re.search(r"^#.* in the frame of joint '([^']+)'", read_text(path), re.MULTILINE)
    return found[1] if found else None


def read_carried_body(path: Path) -> RigidBody:
    """Read a ``payload.yaml`` of ``dynid identify --payload``.

    Raises:
        ConfigurationError: there is no such file, or it has no payload.
    """
    found = ros_parameters(read_text(path), str(path))
    try:
        return RigidBody.from_numbers(
            float(str(found["payload.mass"])), found["payload.centre"], found["payload.inertia"]
        )
    except (KeyError, OverflowError, TypeError, ValueError):
        message = (
            f"{path}: has no payload.mass, payload.centre with 3 and payload.inertia with 6 "
            "finite numbers; expected the payload.yaml of `dynid identify --payload`."
        )
        raise ConfigurationError(message) from None
