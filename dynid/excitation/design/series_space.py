"""Fourier series that start and end at rest, as a linear space without constraints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.motion import Motion
from dynid.excitation.ramp import Ramp


@dataclass(frozen=True, eq=False)
class SeriesSpace:
    """Finite Fourier series of n joints whose velocity and acceleration vanish at either end.

    A series (see FourierExcitation) has 1 + 2 L coefficients a joint: position, sines, cosines.
    Rest at the ends requires zero velocity and acceleration there, a given start position one more
    value: these linear equations are satisfied for any coordinates y (n, d). With y = 0 the joints
    rest at ``pose``.

    Attributes:
        pose: position about which the space is centred (n,) [rad or m].
        base_frequency: [Hz].
        harmonics: L, 3 or more.
        from_pose: the motion starts at the pose; otherwise its start is free.
    """

    pose: Array
    base_frequency: float
    harmonics: int
    from_pose: bool = False

    @property
    def dimension(self) -> int:
        """Coordinates of each joint, d."""
        return int(self._coefficients.shape[1])

    def basis(self, samples: int) -> Motion:
        """Return the contribution of each coordinate over a period; arrays (samples, d)."""
        position, velocity, acceleration = self._rows(np.arange(samples) / samples)
        to = self._coefficients
        return Motion(position @ to, velocity @ to, acceleration @ to)

    def motion(self, basis: Motion, y: Array) -> Motion:
        """Return the motion with the coordinates y (n, d); arrays (samples, n)."""
        position, velocity, acceleration = (part @ y.T for part in basis)
        return Motion(self.pose + position, velocity, acceleration)

    def excitation(self, y: Array, periods: int) -> FourierExcitation:
        """Return the series with the coordinates y (n, d), repeated without a break."""
        coefficients = y @ self._coefficients.T
        ends = 1 + self.harmonics
        return FourierExcitation(
            self.pose + coefficients[:, 0],
            coefficients[:, 1:ends],
            coefficients[:, ends:],
            self.base_frequency,
            Ramp(0.0, periods / self.base_frequency),
        )

    @cached_property
    def _coefficients(self) -> Array:
        """From coordinates to coefficients (1 + 2 L, d), orthonormal."""
        position, velocity, acceleration = self._rows(np.zeros(1))
        still = [velocity, acceleration, *([position] if self.from_pose else [])]
        # rows of unit norm, so that the rank is computed correctly
        rows = np.vstack([row / np.linalg.norm(row) for row in still])
        return np.asarray(scipy.linalg.null_space(rows))

    def _rows(self, phase: Array) -> Motion:
        """Return the contribution of each coefficient at phases (N,); arrays (N, 1 + 2 L)."""
        rates = 2 * np.pi * self.base_frequency * np.arange(1, self.harmonics + 1)
        angle = np.outer(phase / self.base_frequency, rates)
        sine, cosine = np.sin(angle), np.cos(angle)
        constant = np.ones((len(phase), 1))
        return Motion(
            np.hstack([constant, sine / rates, -cosine / rates]),
            np.hstack([0 * constant, cosine, sine]),
            np.hstack([0 * constant, -sine * rates, cosine * rates]),
        )
