"""A payload of known mass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.rigid_body import steiner
from dynid.errors import EstimationError
from dynid.estimation.physical import pseudo_inertia
from dynid.identification.payload.consistent import payload_scale

_SMALLEST_MASS, _LARGEST_MASS = 1e-6, 1e6  # [kg]
_LARGEST_COMPONENT = 1e6  # [m] or [kg m^2]


@dataclass(frozen=True)
class KnownPayload:
    """A body in the frame of the joint that carries payloads; unknown parameters are estimated.

    Attributes:
        mass: [kg].
        centre: of mass, x, y, z [m].
        inertia: XX, XY, YY, XZ, YZ, ZZ about the centre of mass [kg m^2].
    """

    mass: float
    centre: tuple[float, float, float] | None = None
    inertia: tuple[float, float, float, float, float, float] | None = None

    def __post_init__(self) -> None:
        if not _SMALLEST_MASS <= self.mass <= _LARGEST_MASS:
            raise EstimationError(
                f"the payload's mass is {self.mass:g} kg; it must be from {_SMALLEST_MASS:g} to "
                f"{_LARGEST_MASS:g} kg, because it gives the scale of the torque."
            )
        rest = np.abs([*(self.centre or ()), *(self.inertia or ())])
        if not (rest <= _LARGEST_COMPONENT).all():
            raise EstimationError(
                f"the payload's centre and inertia must be numbers up to {_LARGEST_COMPONENT:g} in "
                "m and kg m^2."
            )
        if self.inertia is not None and self.centre is None:
            raise EstimationError(
                "the payload's inertia is about its centre of mass, which is not given; give both, "
                "or only the mass."
            )
        if self.inertia is not None and np.linalg.eigvalsh(pseudo_inertia(self.parameters))[0] < 0:
            raise EstimationError(
                "the payload's inertia is not physically consistent; give XX, XY, YY, XZ, YZ, ZZ "
                "about its centre of mass in kg m^2."
            )

    @property
    def parameters(self) -> Array:
        """The ten parameters about the frame's origin (10,); 0 if unknown."""
        known = np.zeros(10)
        known[0] = self.mass
        if self.centre is not None:
            known[1:4] = self.mass * np.asarray(self.centre)
        if self.inertia is not None:
            known[4:] = np.asarray(self.inertia) + steiner(self.mass, np.asarray(self.centre))
        return known

    @property
    def unknown(self) -> NDArray[np.intp]:
        """Indices of the unknown parameters."""
        first = 10 if self.inertia is not None else 4 if self.centre is not None else 1
        return np.arange(first, 10)

    @property
    def scale(self) -> Array:
        """Typical sizes of the ten parameters of such a body (10,)."""
        return payload_scale(self.mass)
