"""A rigid body by mass, centre of mass and inertia about it, in some frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.body import steiner

_ROWS, _COLUMNS = (0, 0, 1, 0, 1, 2), (0, 1, 1, 2, 2, 2)  # of xx, xy, yy, xz, yz, zz


@dataclass(frozen=True, eq=False)
class RigidBody:
    """A rigid body in a frame.

    Attributes:
        mass: [kg].
        centre: of mass (3,) [m].
        inertia: about the centre of mass (3, 3) [kg m^2].
    """

    mass: float
    centre: Array
    inertia: Array

    @classmethod
    def from_numbers(cls, mass: float, centre: object, inertia: object) -> RigidBody:
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
            raise ValueError("mass, centre or inertia is not a finite number")
        return cls(float(mass), place, matrix)

    @classmethod
    def from_parameters(cls, parameters: Array) -> RigidBody:
        """Return the body with standard parameters (10,), of a positive mass.

        Raises:
            ValueError: a parameter is not finite.
        """
        mass = float(parameters[0])
        centre = np.asarray(parameters[1:4]) / mass
        return cls.from_numbers(mass, centre, np.asarray(parameters[4:]) - steiner(mass, centre))

    @property
    def moments(self) -> Array:
        """XX, XY, YY, XZ, YZ, ZZ about the centre of mass (6,) [kg m^2]."""
        return np.asarray(self.inertia[_ROWS, _COLUMNS])

    @property
    def parameters(self) -> Array:
        """Standard parameters (10,): mass, first moments, inertia about the frame's origin."""
        about_origin = self.moments + steiner(self.mass, self.centre)
        return np.concatenate([[self.mass], self.mass * self.centre, about_origin])

    def seen_from(self, frame: Array) -> RigidBody:
        """Return the body in another frame.

        Args:
            frame: the other frame in the present one, a homogeneous matrix (4, 4).
        """
        turn, origin = frame[:3, :3], frame[:3, 3]
        return RigidBody(self.mass, turn.T @ (self.centre - origin), turn.T @ self.inertia @ turn)
