"""Everything a dynamic model says about one state of the robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.torque_parts import TorqueParts, torque_parts

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism


@dataclass(frozen=True)
class ModelAtPoint:
    """Matrices and torques of a model in one state.

    Attributes:
        q, dq, ddq: (n,) the state [rad or m, and derivatives].
        mass_matrix: (n, n), rotors included [kg*m^2, kg*m or kg].
        eigenvalues: (n,) of the mass matrix, ascending; with rotary and linear joints in one robot
            their units are mixed.
        condition: The largest eigenvalue over the smallest.
        coriolis_matrix: (n, n) by the Christoffel symbols of the mass matrix.
        parts: Torques, (n,) each.
        tau: (n,) given torques, or None.
        forward: (n,) accelerations that they cause, or None.
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
        MechanismError: The parameters are no rigid bodies, or forward dynamics is asked for and
            the mass matrix is not positive definite.
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
    """Return the same as what JSON can hold; units are SI, in the order of ``joints``."""
    content: dict[str, Any] = {
        "joints": list(mechanism.joints),
        "q": point.q.tolist(),
        "dq": point.dq.tolist(),
        "ddq": point.ddq.tolist(),
        "mass_matrix": point.mass_matrix.tolist(),
        "eigenvalues": point.eigenvalues.tolist(),
        "condition": point.condition if np.isfinite(point.condition) else None,
        "coriolis_matrix": point.coriolis_matrix.tolist(),
        "torque": {name: part.tolist() for name, part in point.parts.named().items()},
        "inverse_dynamics": point.parts.total.tolist(),
    }
    if point.tau is not None and point.forward is not None:
        content["tau"] = point.tau.tolist()
        content["forward_dynamics"] = point.forward.tolist()
    return content
