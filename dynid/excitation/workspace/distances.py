"""Distances between bodies, and of bodies to planes and boxes, by pinocchio and coal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pinocchio
from pinocchio import coal

from dynid.arrays import Array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dynid.dynamics.kinematics import Kinematics
    from dynid.excitation.workspace.geometry import Solid


class Distance(NamedTuple):
    """A distance to be kept: of a body to another one, or to an obstacle.

    Attributes:
        names: of both, such as "forearm_link" and "plane 'floor'".
        bodies: which they are; an obstacle belongs to the root, 0.
        pairs: of their solids, the nearest of which counts.
        obstacle: whether the second is one.
    """

    names: tuple[str, str]
    bodies: tuple[int, int]
    pairs: tuple[tuple[Solid, Solid], ...]
    obstacle: bool = False

    @property
    def name(self) -> str:
        """Of both: "forearm_link to plane 'floor'"."""
        return " to ".join(self.names)

    def radius(self, side: int) -> float:
        """How far from its body's frame the points of a side, 0 or 1, can be at most [m]."""
        return max(pair[side].radius for pair in self.pairs)


class Distances:
    """Computes some distances at once.

    Args:
        kinematics: of the robot.
        wanted: the K distances.
    """

    def __init__(self, kinematics: Kinematics, wanted: Sequence[Distance]) -> None:
        self._model = kinematics.model
        self._data = self._model.createData()
        self._geometry = pinocchio.GeometryModel()
        self._first: list[int] = []
        numbers: dict[int, int] = {}
        for one in wanted:
            self._first.append(len(self._geometry.collisionPairs))
            for pair in one.pairs:
                a, b = (
                    self._number(numbers, solid, body)
                    for solid, body in zip(pair, one.bodies, strict=True)
                )
                self._geometry.addCollisionPair(pinocchio.CollisionPair(a, b))
        self._results = self._geometry.createData()
        requests = self._results.distanceRequests
        for pair in range(len(requests)):
            # pinocchio's own begin where the last call ended, so that distances, which are exact to
            # 1e-6 m, would depend on earlier calls
            requests[pair] = coal.DistanceRequest()
        self._body = [int(solid.parentJoint) for solid in self._geometry.geometryObjects]

    def at(self, full: Array) -> Array:
        """Return the distances at pinocchio's positions (N, nq); (N, K) [m], negative: how deep.

        They are functions of the position alone, and NaN where that is not finite.
        """
        if not self._first:
            return np.empty((len(full), 0))
        found = np.empty((len(full), len(self._geometry.collisionPairs)))
        for row, position in zip(found, full, strict=True):
            pinocchio.computeDistances(
                self._model, self._data, self._geometry, self._results, position
            )
            row[:] = [result.min_distance for result in self._results.distanceResults]
        found[~np.isfinite(full).all(axis=1)] = np.nan
        return np.minimum.reduceat(found, self._first, axis=1)

    def nearest(self, number: int, position: Array) -> tuple[float, Array, Array]:
        """Return a distance [m] and its two points (3,) [m], at pinocchio's position (nq,).

        Of bodies that are in one another they are the ends of the shortest way out.
        """
        pinocchio.computeDistances(self._model, self._data, self._geometry, self._results, position)
        result = self._results.distanceResults[self._nearest(number)]
        points = (np.array(result.getNearestPoint1()), np.array(result.getNearestPoint2()))
        return float(result.min_distance), *points

    def slopes_at(self, full: Array, wanted: NDArray[np.bool_]) -> Array:
        """Return the slopes of distances by pinocchio's velocities at positions (N, nq).

        A distance grows by n · (v_b - v_a), n the normal from one to the other and v the velocities
        of their nearest points.

        Args:
            full: positions (N, nq).
            wanted: (N, K) of which; the others are 0.

        Returns:
            (N, K, nv).
        """
        slopes = np.zeros((*wanted.shape, self._model.nv))
        for k in np.flatnonzero(wanted.any(axis=1)):
            pinocchio.computeDistances(
                self._model, self._data, self._geometry, self._results, full[k]
            )
            pinocchio.computeJointJacobians(self._model, self._data)
            numbers = np.flatnonzero(wanted[k])
            slopes[k, numbers] = self._slopes([self._nearest(int(number)) for number in numbers])
        return slopes

    def _nearest(self, number: int) -> int:
        """Which pair of solids a distance was that of."""
        last = [*self._first[1:], len(self._geometry.collisionPairs)]
        pairs = range(self._first[number], last[number])
        if len(pairs) == 1:
            return pairs[0]
        results = self._results.distanceResults
        return min(pairs, key=lambda pair: float(results[pair].min_distance))

    def _slopes(self, pairs: list[int]) -> Array:
        """Slopes of pairs' distances by the velocities, where they were computed last (m, nv)."""
        results = [self._results.distanceResults[pair] for pair in pairs]
        normals = np.array([result.normal for result in results])
        speeds = []
        for side, points in (
            ("first", [result.getNearestPoint1() for result in results]),
            ("second", [result.getNearestPoint2() for result in results]),
        ):
            bodies = [self._body[getattr(self._geometry.collisionPairs[p], side)] for p in pairs]
            jacobians = {body: self._jacobian(body) for body in set(bodies)}
            lever = np.array(points) - [self._data.oMi[body].translation for body in bodies]
            turn = np.stack([_cross(lever, normals, axis) for axis in range(3)], axis=1)
            wrenches = np.hstack([normals, turn])
            stacked = np.array([jacobians[body] for body in bodies])
            speeds.append(np.einsum("mi,min->mn", wrenches, stacked))
        return np.asarray(speeds[1] - speeds[0])

    def _jacobian(self, body: int) -> Array:
        """Jacobian of a body's frame (6, nv), along the root's axes; 0 for the root itself."""
        if body == 0:
            return np.zeros((6, self._model.nv))
        frame = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return np.asarray(pinocchio.getJointJacobian(self._model, self._data, body, frame))

    def _number(self, numbers: dict[int, int], solid: Solid, body: int) -> int:
        """The number of a solid in pinocchio's geometry, into which it is put once."""
        if id(solid) not in numbers:
            name = f"solid {len(numbers)}"
            thing = pinocchio.GeometryObject(name, body, solid.placement, solid.form)
            numbers[id(solid)] = self._geometry.addGeometryObject(thing)
        return numbers[id(solid)]


def _cross(a: Array, b: Array, axis: int) -> Array:
    """A component of a × b, both (m, 3); numpy's own is slow on few."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    return np.asarray(a[:, j] * b[:, k] - a[:, k] * b[:, j])
