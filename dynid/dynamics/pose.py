"""Position and orientation of a frame, as plain numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio
from numpy.typing import ArrayLike

from dynid.arrays import Array, Vector


class Pose(NamedTuple):
    """Position and orientation of a frame.

    Attributes:
        position: x, y, z [m].
        quaternion: x, y, z, w, of length 1.
    """

    position: Vector = (0.0, 0.0, 0.0)
    quaternion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    @classmethod
    def from_numbers(cls, numbers: ArrayLike) -> Pose:
        """Make a pose of x, y, z and the quaternion's x, y, z, w; (7,)."""
        x, y, z, *turn = np.asarray(numbers, dtype=np.float64).tolist()
        return cls((x, y, z), (turn[0], turn[1], turn[2], turn[3]))

    @classmethod
    def along(cls, direction: ArrayLike, position: ArrayLike) -> Pose:
        """Make a pose whose z axis points in a direction (3,) at a position (3,) [m]."""
        turn = pinocchio.Quaternion.FromTwoVectors(
            np.array([0.0, 0.0, 1.0]), np.asarray(direction, dtype=np.float64)
        )
        return cls.from_numbers([*np.asarray(position).tolist(), *turn.coeffs().tolist()])

    def numbers(self) -> Array:
        """Return x, y, z and the quaternion's x, y, z, w; (7,)."""
        return np.array([*self.position, *self.quaternion])

    def then(self, inner: Pose) -> Pose:
        """Return the composition of this pose with ``inner``, which is relative to this one."""
        return Pose.from_numbers(pinocchio.SE3ToXYZQUAT(self._placement() * inner._placement()))

    def inverse(self) -> Pose:
        """Return the pose of the outer frame in this one."""
        return Pose.from_numbers(pinocchio.SE3ToXYZQUAT(self._placement().inverse()))

    def apply(self, points: ArrayLike) -> Array:
        """Return points (N, 3) [m] of this frame in the outer frame; (N, 3)."""
        placement = self._placement()
        moved = np.asarray(points, dtype=np.float64) @ placement.rotation.T + placement.translation
        return np.asarray(moved)

    def matrix(self) -> Array:
        """Return the pose as a homogeneous matrix; (4, 4)."""
        return np.asarray(self._placement().homogeneous)

    def _placement(self) -> pinocchio.SE3:
        return pinocchio.XYZQUATToSE3(self.numbers())
