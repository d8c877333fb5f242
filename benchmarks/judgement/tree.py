"""Rigid bodies of a robot by pinocchio alone, so that an error of dynid's own dynamics shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy

import numpy as np
import pinocchio

from dynid.arrays import Array


class PinocchioTree:
    """A robot's bodies, with joints in the order of its recordings.

    Args:
        urdf_xml: the URDF's text; its continuous joints become revolute.
        joints: names of the n joints.
        gravity: (3,) in the root frame [m/s^2].
        locked: positions of other movable joints [rad or m]; 0 for those that are not named.
    """

    def __init__(
        self,
        urdf_xml: str,
        joints: Sequence[str],
        gravity: Sequence[float],
        locked: Mapping[str, float] | None = None,
    ) -> None:
        # a continuous joint has two positions in pinocchio, cosine and sine
        whole = pinocchio.buildModelFromXML(_without_continuous(urdf_xml))
        others = [name for name in whole.names[1:] if name not in joints]
        pose = pinocchio.neutral(whole)
        for name, position in (locked or {}).items():
            if name in others:
                pose[whole.joints[whole.getJointId(name)].idx_q] = position
        held = [whole.getJointId(name) for name in others]
        self._model = pinocchio.buildReducedModel(whole, held, pose)
        self._model.gravity.linear = np.array(gravity, dtype=float)
        self._data = self._model.createData()
        numbers = [self._model.getJointId(name) for name in joints]
        self._numbers = numbers
        self._order = [self._model.joints[number].idx_v for number in numbers]

    @property
    def prismatic(self) -> tuple[bool, ...]:
        """Whether each of the n joints slides."""
        names = (self._model.joints[number].shortname() for number in self._numbers)
        return tuple("JointModelP" in name for name in names)

    @property
    def mass(self) -> float:
        """Mass of all moving bodies [kg]."""
        return float(sum(inertia.mass for inertia in self._model.inertias))

    def copied(self) -> PinocchioTree:
        """Return a tree whose bodies can be changed without those of this one."""
        other = copy(self)
        other._model = self._model.copy()  # noqa: SLF001  own class
        other._data = other._model.createData()  # noqa: SLF001  own class
        return other

    def scale_bodies(self, random: np.random.Generator, spread: float) -> None:
        """Multiply each body by a factor of its own, whose logarithm has a given deviation."""
        for number in self._numbers:
            body = self._model.inertias[number]
            factor = float(np.exp(random.normal(scale=spread)))
            self._model.inertias[number] = pinocchio.Inertia(
                factor * body.mass, body.lever, factor * body.inertia
            )
        self._data = self._model.createData()

    def add_payload(self, mass: float, centre: Sequence[float]) -> None:
        """Attach a small ball to the last body: mass [kg], centre (3,) in its joint's frame [m]."""
        ball = pinocchio.Inertia.FromSphere(mass, 0.05)
        shifted = pinocchio.Inertia(mass, np.array(centre, dtype=float), ball.inertia)
        last = self._numbers[-1]
        self._model.inertias[last] = self._model.inertias[last] + shifted
        self._data = self._model.createData()

    def torque(self, position: Array, velocity: Array, acceleration: Array) -> Array:
        """Return the torque that moves the bodies, (N, n) for arrays (N, n) [N m or N]."""
        torque = np.empty_like(position)
        for row, motion in enumerate(zip(position, velocity, acceleration, strict=True)):
            ordered = (self._in_tree(values) for values in motion)
            torque[row] = pinocchio.rnea(self._model, self._data, *ordered)[self._order]
        return torque

    def regressor(self, position: Array, velocity: Array, acceleration: Array) -> Array:
        """Return Y in torque = Y parameters, (N, n, 10 n) for arrays (N, n)."""
        count = position.shape[1]
        rows = np.empty((len(position), count, 10 * count))
        for row, motion in enumerate(zip(position, velocity, acceleration, strict=True)):
            ordered = (self._in_tree(values) for values in motion)
            matrix = pinocchio.computeJointTorqueRegressor(self._model, self._data, *ordered)
            rows[row] = matrix[self._order]
        return rows

    def torque_of_push(self, position: Array, body: int, force: Array) -> Array:
        """Return the torque of a force (3,) at a body's origin along a motion: (N, n) [N m or N].

        Args:
            position: (N, n) [rad or m].
            body: number of the joint that carries the body.
            force: in the root frame [N].
        """
        torque = np.empty_like(position)
        frame = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
        for row, pose in enumerate(position):
            jacobian = pinocchio.computeJointJacobians(self._model, self._data, self._in_tree(pose))
            jacobian = pinocchio.getJointJacobian(
                self._model, self._data, self._numbers[body], frame
            )
            torque[row] = (jacobian[:3].T @ force)[self._order]
        return torque

    def _in_tree(self, values: Array) -> Array:
        ordered = np.empty(len(values))
        ordered[self._order] = values
        return ordered


def _without_continuous(urdf_xml: str) -> str:
    return urdf_xml.replace('"continuous"', '"revolute"').replace("'continuous'", "'revolute'")
