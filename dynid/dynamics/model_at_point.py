"""Matrices and torques of a dynamic model in one state of the robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.torque_parts import TorqueParts, torque_parts
from dynid.json_text import json_fields

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism


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
