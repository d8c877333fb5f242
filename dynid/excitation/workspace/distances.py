"""Distances between bodies, and of bodies to planes and boxes, by pinocchio and coal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pinocchio
from numpy.typing import NDArray
from pinocchio import coal

from dynid.arrays import Array
from dynid.dynamics.kinematics import Kinematics
from dynid.excitation.workspace.meshes import Solid


class Distance(NamedTuple):
    """A distance that is checked: of a body to another one, or to an obstacle.

    Attributes:
        names: of both, such as "forearm_link" and "plane 'floor'".
        bodies: numbers of both; an obstacle belongs to the root, 0.
        pairs: of their solids; the smallest distance counts.
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
        """Return a bound on the distance of a side's points, 0 or 1, from its body's frame [m]."""
        return max(pair[side].radius for pair in self.pairs)


class Distances:
    """Computes several distances at once."""

    def __init__(self, kinematics: Kinematics, selected: Sequence[Distance]) -> None:
        self._model = kinematics.model
        self._data = self._model.createData()
        self._geometry = pinocchio.GeometryModel()
        self._first: list[int] = []
        numbers: dict[int, int] = {}
        for distance in selected:
            self._first.append(len(self._geometry.collisionPairs))
            for pair in distance.pairs:
                a, b = (
                    self._number(numbers, solid, body)
                    for solid, body in zip(pair, distance.bodies, strict=True)
                )
                self._geometry.addCollisionPair(pinocchio.CollisionPair(a, b))
        self._results = self._geometry.createData()
        requests = self._results.distanceRequests
        for number in range(len(requests)):
            # pinocchio's own initial guesses are the results of the last call, so that distances,
            # which are exact to 1e-6 m, would depend on earlier calls
            requests[number] = coal.DistanceRequest()
        self._bodies = [distance.bodies for distance in selected]
        self._carries = _carries(self._model)

    def at(self, full: Array, wanted: NDArray[np.bool_] | None = None) -> Array:
        """Return distances at pinocchio's positions (N, nq); (N, K) [m], negative: penetration.

        They are functions of the position alone, and NaN for positions that are not finite.

        Args:
            full: positions (N, nq).
            wanted: (N, K) which ones to compute, the others are infinite; None: all.
        """
        if not self._first:
            return np.empty((len(full), 0))
        distances = np.full((len(full), len(self._geometry.collisionPairs)), np.inf)
        if wanted is None or wanted.all():
            self._compute_all(full, distances)
        else:
            sizes = np.diff([*self._first, distances.shape[1]])
            self._compute(full, np.repeat(wanted, sizes, axis=1), distances)
        distances[~np.isfinite(full).all(axis=1)] = np.nan
        return np.minimum.reduceat(distances, self._first, axis=1)

    def _compute_all(self, full: Array, distances: Array) -> None:
        """Fill in the distances of all pairs of solids (N, pairs)."""
        for row, position in zip(distances, full, strict=True):
            pinocchio.computeDistances(
                self._model, self._data, self._geometry, self._results, position
            )
            row[:] = [result.min_distance for result in self._results.distanceResults]

    def _compute(self, full: Array, wanted: NDArray[np.bool_], distances: Array) -> None:
        """Fill in the distances of the wanted pairs of solids (N, pairs)."""
        for number in np.flatnonzero(wanted.any(axis=1)):
            pinocchio.updateGeometryPlacements(
                self._model, self._data, self._geometry, self._results, full[number]
            )
            for pair in np.flatnonzero(wanted[number]).tolist():
                result = pinocchio.computeDistance(self._geometry, self._results, pair)
                distances[number, pair] = result.min_distance

    def nearest(self, number: int, position: Array) -> tuple[float, Array, Array]:
        """Return a distance [m] and its two points (3,) [m], at pinocchio's position (nq,).

        For bodies that overlap, they are the ends of the shortest vector that separates them.
        """
        pinocchio.updateGeometryPlacements(
            self._model, self._data, self._geometry, self._results, position
        )
        _, first, second, _ = self._contact(number)
        return float(self.at(position[np.newaxis])[0, number]), first, second

    def slopes_at(self, full: Array, selected: NDArray[np.bool_]) -> Array:
        """Return the derivatives of distances by pinocchio's velocities at positions (N, nq).

        A distance grows by n · (v_b - v_a), n the normal from one to the other and v the velocities
        of their nearest points.

        Args:
            full: positions (N, nq).
            selected: (N, K) which ones to compute.

        Returns:
            (m, nv) of the m selected ones, position after position.
        """
        rows, numbers = np.nonzero(selected)
        if not len(rows):
            return np.empty((0, self._model.nv))
        used, places = np.unique(rows, return_inverse=True)
        jacobians = np.empty((len(used), 6, self._model.nv))
        contacts = []
        for jacobian, row in zip(jacobians, used, strict=True):
            pinocchio.computeJointJacobians(self._model, self._data, full[row])
            jacobian[:] = self._data.J  # of all joints, at the root's origin and along its axes
            pinocchio.updateGeometryPlacements(
                self._model, self._data, self._geometry, self._results
            )
            contacts += [self._contact(number) for number in numbers[rows == row].tolist()]
        normals, *points, bodies = (np.array(part) for part in zip(*contacts, strict=True))
        towards = []
        for side in (0, 1):
            wrenches = np.hstack([normals, np.cross(points[side], normals)])
            speeds = np.einsum("mi,min->mn", wrenches, jacobians[places])
            towards.append(speeds * self._carries[bodies[:, side]])
        return np.asarray(towards[1] - towards[0])

    def _contact(self, number: int) -> tuple[Array, Array, Array, tuple[int, int]]:
        """Return normal and nearest points (3,) of a distance, and its bodies."""
        results = [
            pinocchio.computeDistance(self._geometry, self._results, pair)
            for pair in self._pairs_of(number)
        ]
        nearest = min(range(len(results)), key=lambda number: float(results[number].min_distance))
        result = results[nearest]
        first, second = np.array(result.getNearestPoint1()), np.array(result.getNearestPoint2())
        return np.array(result.normal), first, second, self._bodies[number]

    def _pairs_of(self, number: int) -> range:
        """Return the pairs of solids of which a distance is the minimum."""
        last = [*self._first[1:], len(self._geometry.collisionPairs)]
        return range(self._first[number], last[number])

    def _number(self, numbers: dict[int, int], solid: Solid, body: int) -> int:
        """Return a solid's number in pinocchio's geometry, to which it is added once."""
        if id(solid) not in numbers:
            name = f"solid {len(numbers)}"
            thing = pinocchio.GeometryObject(name, body, solid.placement, solid.form)
            numbers[id(solid)] = self._geometry.addGeometryObject(thing)
        return numbers[id(solid)]


def _carries(model: pinocchio.Model) -> NDArray[np.bool_]:
    """Return which of pinocchio's velocities move each body; (B, nv)."""
    carries = np.zeros((model.njoints, model.nv), dtype=bool)
    for body in range(1, model.njoints):
        joint = model.joints[body]
        carries[body] = carries[int(model.parents[body])]
        carries[body, joint.idx_v : joint.idx_v + joint.nv] = True
    return carries
