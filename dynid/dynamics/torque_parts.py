"""The torque of a model in parts, and its matrices in one state of the robot."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.json_text import json_fields


@dataclass(frozen=True)
class TorqueParts:
    """τ = M(q) ddq + C(q, dq) dq + g(q) + joint terms; each (N, n), or (n,) [N*m or N].

    Attributes:
        inertia: M(q) ddq, rotors included.
        coriolis: C(q, dq) dq: Coriolis and centrifugal.
        gravity: g(q), without springs.
        terms: torque of all joint terms of a kind, by kind, in the order of the mechanism's terms.
    """

    inertia: Array
    coriolis: Array
    gravity: Array
    terms: Mapping[str, Array]

    def named(self) -> dict[str, Array]:
        """Return all parts by name: ``inertia``, ``coriolis``, ``gravity``, then kinds of terms."""
        rigid = {"inertia": self.inertia, "coriolis": self.coriolis, "gravity": self.gravity}
        return {**rigid, **self.terms}

    @property
    def total(self) -> Array:
        """The torque of inverse dynamics."""
        return np.asarray(sum(self.named().values()))


def torque_parts(mechanism: Mechanism, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> TorqueParts:
    """Split the torque of a mechanism with its own parameters into parts.

    Torque is linear in the parameters and C(q, 0) = 0, so every part is the torque of the mechanism
    with some parameters and motions set to zero. Terms with memory take the rows as one motion.

    Args:
        mechanism: the model.
        q: positions, (N, n) or (n,) [rad or m].
        dq: velocities, of the same shape [rad/s or m/s].
        ddq: accelerations, of the same shape [rad/s^2 or m/s^2].

    Raises:
        MechanismError: the shapes do not match the mechanism.
    """
    rest = np.zeros_like(np.asarray(q, dtype=np.float64))
    bodies = _only(mechanism, {None})
    gravity = mechanism.torque(q, rest, rest, bodies)
    rotors = {term.kind for term in mechanism.terms if term.traits.inertial}
    kinds = dict.fromkeys(term.kind for term in mechanism.terms if term.kind not in rotors)
    return TorqueParts(
        inertia=mechanism.torque(q, rest, ddq, bodies + _only(mechanism, rotors)) - gravity,
        coriolis=mechanism.torque(q, dq, rest, bodies) - gravity,
        gravity=gravity,
        terms={kind: torque_of_kinds(mechanism, q, dq, ddq, {kind}) for kind in kinds},
    )


def torque_of_kinds(
    mechanism: Mechanism, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, kinds: Collection[str]
) -> Array:
    """Return the torque of all joint terms of some kinds, (N, n) or (n,) [N*m or N].

    Raises:
        MechanismError: the shapes do not match the mechanism.
    """
    return mechanism.torque(q, dq, ddq, _only(mechanism, kinds))


def _only(mechanism: Mechanism, wanted: Collection[str | None]) -> Array:
    """Return the parameters (p,) with all but those of some kinds zero; None is the bodies."""
    of_body: list[str | None] = [None] * mechanism.first_term
    kinds = of_body + [term.kind for term in mechanism.terms]
    return np.where([kind in wanted for kind in kinds], mechanism.parameters, 0.0)


@dataclass(frozen=True)
class ModelAtPoint:
    """Matrices and torques of a model in one state.

    Attributes:
        q: (n,) positions [rad or m].
        dq: (n,) velocities [rad/s or m/s].
        ddq: (n,) accelerations [rad/s^2 or m/s^2].
        mass_matrix: (n, n), rotors included [kg*m^2, kg*m or kg].
        eigenvalues: (n,) of the mass matrix, ascending; with rotary and linear joints in one robot
            their units are mixed.
        condition: largest over smallest eigenvalue.
        coriolis_matrix: (n, n) by the Christoffel symbols of the mass matrix.
        parts: torques, (n,) each [N*m or N].
        tau: (n,) given torques [N*m or N], or None.
        forward: (n,) accelerations that they cause [rad/s^2 or m/s^2], or None.
    """

    q: Array
    dq: Array
    ddq: Array
    mass_matrix: Array
    eigenvalues: Array
    condition: float
    coriolis_matrix: Array
    parts: TorqueParts
    tau: Array | None
    forward: Array | None


def model_at_point(
    mechanism: Mechanism, q: Array, dq: Array, ddq: Array, tau: Array | None = None
) -> ModelAtPoint:
    """Evaluate a mechanism with its own parameters in one state; all arrays are (n,).

    Raises:
        MechanismError: the parameters are not those of rigid bodies, or ``tau`` is given and the
            mass matrix is not positive definite.
    """
    mass = mechanism.mass_matrix(q)
    eigenvalues = np.asarray(np.linalg.eigvalsh(mass), dtype=np.float64)
    return ModelAtPoint(
        q=q,
        dq=dq,
        ddq=ddq,
        mass_matrix=mass,
        eigenvalues=eigenvalues,
        condition=float(np.linalg.cond(mass)),
        coriolis_matrix=mechanism.coriolis_matrix(q, dq),
        parts=torque_parts(mechanism, q, dq, ddq),
        tau=tau,
        forward=None if tau is None else mechanism.forward_dynamics(q, dq, tau),
    )


def point_json(mechanism: Mechanism, point: ModelAtPoint) -> dict[str, Any]:
    """Return the point as JSON; units are SI, in the order of ``joints``."""
    optional = {} if point.tau is None else {"tau": point.tau, "forward_dynamics": point.forward}
    return {
        "joints": mechanism.joints,
        **json_fields(point, without=["parts", "tau", "forward"]),
        "torque": point.parts.named(),
        "inverse_dynamics": point.parts.total,
        **optional,
    }
