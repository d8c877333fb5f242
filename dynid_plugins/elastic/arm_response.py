"""Torque of motors at the harmonics of their positions: an arm with gears that bend.

With links of mass matrix M and gravity's stiffness G about a posture, and a gear of stiffness K and
damping D at each elastic joint, positions q of the motors move the links to p,

    (M s² + G + K + D s) p = (K + D s) q,    u = (K + D s) (q - p) + (J s² + F s) q + C d,

and u is the torque of the motors, late by one delay, with dry friction C in their direction d. All
motors that move are inputs, so that it does not matter how well the drives hold the others
(Wernholt and Moberg, Nonlinear gray-box identification using local models applied to industrial
robots, Automatica 47, 2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.robot.model import Model
from dynid_plugins.elastic.harmonics import Harmonics
from dynid_plugins.elastic.link_torque import of_link

_STEP = 1e-4  # [rad or m], of the derivatives by position
_POSTURES = 32  # of the carrier, over which mass and gravity are averaged

Complex = NDArray[np.complex128]


class Arm(NamedTuple):
    """Links about the postures of a recording.

    Attributes:
        harmonics: of the recording.
        mass: (n, n) of the links, mean over the carrier.
        gravity: (n, n) derivative of gravity's and the springs' torque by position, likewise.
    """

    harmonics: Harmonics
    mass: Array
    gravity: Array

    @classmethod
    def of(cls, harmonics: Harmonics, model: Model) -> Arm:
        """Return the links of a model in a recording.

        Raises:
            ConfigurationError: the model has no mass matrix that a robot can have.
        """
        positions = harmonics.positions[:: max(1, len(harmonics.positions) // _POSTURES)]
        mass, gravity = _mass_and_gravity(model.mechanism, positions)
        if not np.all(np.linalg.eigvalsh(mass) > 0):
            raise ConfigurationError(
                "the links of the model have no mass matrix that is positive definite in the "
                "recording's posture; name a model with physically consistent parameters, or a "
                "URDF with masses."
            )
        return cls(harmonics, mass, gravity)


def _mass_and_gravity(mechanism: Mechanism, positions: Array) -> tuple[Array, Array]:
    """Return the mean mass matrix of the links and derivative of their torque at rest (n, n)."""
    parameters = np.where(of_link(mechanism), mechanism.parameters, 0.0)
    still = np.zeros_like(positions)

    def torque(moved: Array, acceleration: Array) -> Array:
        return mechanism.torque(positions + moved, still, still + acceleration, parameters)

    rest = torque(np.zeros(1), np.zeros(1))
    steps = np.eye(positions.shape[1])
    mass = [(torque(np.zeros(1), one) - rest).mean(axis=0) for one in steps]
    gravity = [
        (torque(_STEP * one, np.zeros(1)) - torque(-_STEP * one, np.zeros(1))).mean(axis=0)
        / (2 * _STEP)
        for one in steps
    ]
    return np.stack(mass, axis=1), np.stack(gravity, axis=1)


class Gears(NamedTuple):
    """Parameters of an arm, each joint's behind its gear.

    Attributes:
        rotor: J (n,).
        viscous: F (n,).
        coulomb: C (n,).
        stiffness: K (k,) of the elastic joints.
        damping: D (k,) of these.
        delay: of torque against position [s].
    """

    rotor: Array
    viscous: Array
    coulomb: Array
    stiffness: Array
    damping: Array
    delay: float


class Response(NamedTuple):
    """Torque (F,) of the excited motor, and its derivatives by parameters.

    Attributes:
        torque: (F,).
        by_rotor, by_viscous, by_coulomb: (F,) of the excited joint.
        by_stiffness, by_damping: (F, k).
        by_delay: (F,).
    """

    torque: Complex
    by_rotor: Complex
    by_viscous: Complex
    by_coulomb: Complex
    by_stiffness: Complex
    by_damping: Complex
    by_delay: Complex


def response(arm: Arm, elastic: Sequence[int], gears: Gears) -> Response:
    """Return the torque of the excited motor at its harmonics.

    Args:
        arm: links and positions of the motors.
        elastic: numbers of the k joints that bend; the links of others move with their motors.
        gears: parameters.
    """
    harmonics = arm.harmonics
    joint, motors = harmonics.joint, harmonics.position
    s = 2j * np.pi * harmonics.frequency
    bent, links = list(elastic), motors.copy()
    stiff = gears.stiffness + gears.damping * s[:, np.newaxis]  # (F, k)
    dynamic = arm.mass * s[:, np.newaxis, np.newaxis] ** 2 + arm.gravity  # (F, n, n)
    inner = dynamic[:, bent][:, :, bent].copy()
    inner[:, range(len(bent)), range(len(bent))] += stiff
    links[:, bent] = 0.0
    pushed = stiff * motors[:, bent] - np.einsum("fij,fj->fi", dynamic[:, bent], links)
    row = dynamic[:, joint, :][:, bent].copy()  # of the transmitted torque, by the bent links
    if joint in bent:
        row = np.zeros_like(row)
        row[:, bent.index(joint)] = -stiff[:, bent.index(joint)]
    solved = np.linalg.solve(
        np.concatenate([inner, inner.transpose(0, 2, 1)]),
        np.concatenate([pushed, row])[..., np.newaxis],
    )[..., 0]
    moved, adjoint = np.split(solved, 2)
    links[:, bent] = moved
    deflection = motors[:, bent] - moved
    if joint in bent:
        number = bent.index(joint)
        transmitted = stiff[:, number] * deflection[:, number]
        adjoint = adjoint + np.eye(len(bent))[number]
    else:
        transmitted = np.einsum("fj,fj->f", dynamic[:, joint], links)
    own = motors[:, joint]
    late = np.exp(-gears.delay * s)
    rotor = (gears.rotor[joint] * s**2 + gears.viscous[joint] * s) * own
    torque = late * (transmitted + rotor + gears.coulomb[joint] * harmonics.direction)
    by_stiffness = late[:, np.newaxis] * adjoint * deflection
    return Response(
        torque,
        late * s**2 * own,
        late * s * own,
        late * harmonics.direction,
        by_stiffness,
        by_stiffness * s[:, np.newaxis],
        -s * torque,
    )
