"""A rigid body by mass, centre of mass and inertia about it; and by its ten parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array

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


QUANTITIES = (
    ("mass", "kg"),
    *((f"centre {axis}", "m") for axis in "xyz"),
    *((f"inertia {axes}", "kg*m^2") for axes in ("xx", "xy", "yy", "xz", "yz", "zz")),
)
"""Names and units of a body's ten physical quantities; the inertia is about its centre of mass."""

UNITS = ("kg", *3 * ("kg*m",), *6 * ("kg*m^2",))
"""Units of a body's ten parameters."""

REACH = 0.2
"""A large distance of a payload's centre of mass from the joint [m], as a scale."""
RADIUS = 0.1
"""A large radius of gyration of a payload [m], as a scale."""
LARGEST_DEVIATION = 0.25
"""Largest standard deviation of an identifiable quantity, as a share of its scale."""

# row and column of the six entries of an inertia matrix, in the order of parameters
_ENTRIES = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body in a joint's frame, with its uncertainty.

    Attributes:
        parameters: (10,) mass, first moments x, y, z, moments of inertia XX, XY, YY, XZ, YZ, ZZ,
            both about the origin of the frame.
        covariance: (10, 10) of the parameters.
        determined: (10,) which parameters the data determine.
    """

    parameters: Array
    covariance: Array
    determined: NDArray[np.bool_]

    @property
    def mass(self) -> float:
        """[kg]."""
        return float(self.parameters[0])

    @property
    def centre(self) -> Array:
        """Centre of mass (3,) [m]; the origin where there is no mass."""
        return self.parameters[1:4] / self.mass if self.mass > 0 else np.zeros(3)

    @property
    def inertia(self) -> Array:
        """XX, XY, YY, XZ, YZ, ZZ about the centre of mass (6,) [kg m^2]."""
        return self.parameters[4:] - steiner(self.mass, self.centre)

    @property
    def quantities(self) -> Array:
        """Mass, centre and inertia (10,), in the order of ``QUANTITIES``."""
        return np.concatenate([[self.mass], self.centre, self.inertia])

    @property
    def deviations(self) -> Array:
        """Standard deviations of the quantities (10,), to first order (delta method)."""
        jacobian = self._jacobian()
        variance = np.einsum("ij,jk,ik->i", jacobian, self.covariance, jacobian)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    @property
    def identifiable(self) -> NDArray[np.bool_]:
        """Which of the quantities (10,) are identifiable, with all parameters they depend on."""
        needed = self._jacobian() != 0
        np.fill_diagonal(needed, True)
        needed[1:, 0] = True  # also of a body whose centre is the origin by chance
        for row, (axis, other) in enumerate(_ENTRIES, start=4):
            moments = {1, 2, 3} - {1 + axis} if axis == other else {1 + axis, 1 + other}
            needed[row, list(moments)] = True
        large = np.array([self.mass, *3 * [REACH], *6 * [self.mass * RADIUS**2]])
        known = self.deviations < LARGEST_DEVIATION * large
        return np.asarray(known & ~np.any(needed & ~self.determined, axis=1))

    def _jacobian(self) -> Array:
        """Return the derivatives of the quantities by the parameters, (10, 10)."""
        jacobian = np.eye(10)
        if self.mass <= 0:
            return jacobian
        centre, identity = self.centre, np.eye(3)
        jacobian[1:4, 0] = -centre / self.mass
        jacobian[1:4, 1:4] = identity / self.mass
        # inertia = about the origin - (s.s 1 - s s^T) / m with the first moments s = m c
        jacobian[4:, 0] = steiner(1.0, centre)
        for axis in range(3):
            outer = np.outer(identity[axis], centre)
            jacobian[4:, 1 + axis] = -_entries(2 * centre[axis] * identity - outer - outer.T)
        return jacobian


def steiner(mass: float, centre: Array) -> Array:
    """Return the inertia of a point mass (6,) [kg m^2] about the origin (Huygens, Steiner)."""
    return _entries(mass * (centre @ centre * np.eye(3) - np.outer(centre, centre)))


def _entries(matrix: Array) -> Array:
    return np.array([matrix[entry] for entry in _ENTRIES])
