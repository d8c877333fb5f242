"""A robot's payload, in the form of the controller's parameters ``payload``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.body import steiner
from dynid.errors import ConfigurationError
from dynid.identification.payload.fit import payload_columns
from dynid.input_file import read_text
from dynid.robot.parameter_file import ros_parameters

if TYPE_CHECKING:
    from pathlib import Path

    from dynid.dynamics.mechanism import Mechanism

_ROWS, _COLUMNS = (0, 0, 1, 0, 1, 2), (0, 1, 1, 2, 2, 2)  # of xx, xy, yy, xz, yz, zz


@dataclass(frozen=True, eq=False)
class CarriedBody:
    """A body in the frame of the joint that carries it.

    Attributes:
        mass: [kg].
        centre: of mass (3,) [m].
        inertia: about the centre of mass (3, 3) [kg m^2].
    """

    mass: float
    centre: Array
    inertia: Array

    @classmethod
    def from_numbers(cls, mass: float, centre: object, inertia: object) -> CarriedBody:
        """Return the body with an inertia in the order xx, xy, yy, xz, yz, zz.

        Raises:
            ValueError: the number of values is wrong, or one is not finite.
        """
        matrix = np.zeros((3, 3))
        matrix[_ROWS, _COLUMNS] = matrix[_COLUMNS, _ROWS] = np.reshape(
            np.asarray(inertia, dtype=np.float64), 6
        )
        place = np.reshape(np.asarray(centre, dtype=np.float64), 3)
        if not (np.isfinite(mass) and np.isfinite(place).all() and np.isfinite(matrix).all()):
            message = "mass, centre or inertia is not a finite number"
            raise ValueError(message)
        return cls(float(mass), place, matrix)

    def seen_from(self, frame: Array) -> CarriedBody:
        """Return the body in another frame.

        Args:
            frame: the other frame in the present one, a homogeneous matrix (4, 4).
        """
        turn, origin = frame[:3, :3], frame[:3, 3]
        return CarriedBody(self.mass, turn.T @ (self.centre - origin), turn.T @ self.inertia @ turn)


def carrying(mechanism: Mechanism, body: CarriedBody) -> Mechanism:
    """Return a mechanism with a payload on the body that carries payloads."""
    parameters, columns = np.array(mechanism.parameters), payload_columns(mechanism)
    inertia = body.inertia[_ROWS, _COLUMNS] + steiner(body.mass, body.centre)
    parameters[columns] += np.concatenate([[body.mass], body.mass * body.centre, inertia])
    return mechanism.with_parameters(parameters)


def carrier_in(path: Path) -> str | None:
    """Return the joint that the header of a ``payload.yaml`` names, in whose frame the body is.

    Raises:
        ConfigurationError: the file cannot be read.
    """
    found = re.search(r"^#.* in the frame of joint '([^']+)'", read_text(path), re.MULTILINE)
    return found[1] if found else None


def read_carried_body(path: Path) -> CarriedBody:
    """Read a ``payload.yaml`` of ``dynid identify --payload``.

    Raises:
        ConfigurationError: there is no such file, or it has no payload.
    """
    found = ros_parameters(read_text(path), str(path))
    try:
        return CarriedBody.from_numbers(
            float(str(found["payload.mass"])), found["payload.centre"], found["payload.inertia"]
        )
    except (KeyError, OverflowError, TypeError, ValueError):
        message = (
            f"{path}: has no payload.mass, payload.centre with 3 and payload.inertia with 6 "
            "finite numbers; expected the payload.yaml of `dynid identify --payload`."
        )
        raise ConfigurationError(message) from None
