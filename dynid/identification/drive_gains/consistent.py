"""Physically consistent gains and parameters by a semidefinite program.

The unknowns are the gains, the standard parameters and those of the payload. The squared error of
the recorded torque is minimised subject to gains > 0, pseudo-inertia > 0 for every body including
the payload, friction and rotor inertia >= 0, and the profile's bounds (Sousa and Cortesao, IJRR
2014; Wensing, Kim, Slotine, RA-L 2018). Gains multiply parameters, so the error is linearised at
every solution until the gains converge. Only directions that the recordings do not determine are
drawn to the URDF's values.
"""

from __future__ import annotations

import clarabel
import numpy as np
import scipy

from dynid.arrays import Array
from dynid.estimation.physical import (
    body_cone,
    parameter_constraints,
    parameter_scale,
    reference_parameters,
    solve_in_cones,
)
from dynid.estimation.settings import PhysicalSettings
from dynid.identification.drive_gains.fit import GainFit, linearised
from dynid.identification.drive_gains.known_payload import KnownPayload

# standard deviation over scale above which a direction is not identifiable
_UNDETERMINED_STANDARD_DEVIATION = 0.5
_PULL = 1e-3  # weight of the URDF's values in these directions
_ROUNDS = 10
_TOLERANCE = 1e-3  # relative change of a gain
_SMALLEST_GAIN = 1e-3  # of the fitted one


def consistent_gains(fit: GainFit, settings: PhysicalSettings) -> tuple[Array, Array]:
    """Find the physically consistent gains and parameters with the least squared error.

    Returns:
        Gains (n,), and standard parameters (p,) of the robot without payload.

    Raises:
        EstimationError: the bounds contradict each other, or the solver fails.
    """
    n, mechanism, payload = len(fit.gains), fit.problem.unloaded.mechanism, fit.problem.payload
    scale = parameter_scale(mechanism)
    p = len(scale)
    to_unknowns = _to_unknowns(fit, scale)
    rest = to_unknowns.shape[1] - p
    # inverse gains by gains over those of the last iteration, and parameters over their scale
    to_fit = scipy.linalg.block_diag(-np.eye(n), to_unknowns)
    near = np.concatenate([np.ones(n), reference_parameters(mechanism) / scale, np.zeros(rest)])
    constraints = _all_constraints(
        n, parameter_constraints(mechanism, settings, scale), payload, rest
    )
    inverse, unknowns, answer = 1 / fit.gains, fit.unknowns, near
    pull = _pull(to_fit.T @ linearised(fit.gram, inverse, unknowns, fit.weight)[0] @ to_fit)
    for _ in range(_ROUNDS):
        matrix, slope = linearised(fit.gram, inverse, unknowns, fit.weight)
        point = np.concatenate([-np.ones(n), unknowns])
        linear = to_fit.T @ (slope - matrix @ point) - pull @ near
        answer = solve_in_cones(to_fit.T @ matrix @ to_fit + pull, linear, *constraints)
        inverse, unknowns = inverse / answer[:n], to_unknowns @ answer[n:]
        if np.all(np.abs(answer[:n] - 1) < _TOLERANCE):
            break
    return 1 / inverse, scale * answer[n : n + p]


def _pull(cost: Array) -> Array:
    """Return the weight of the URDF's values, in directions that are not identifiable."""
    values, vectors = np.linalg.eigh(cost)
    smallest = 1 / _UNDETERMINED_STANDARD_DEVIATION**2
    undetermined = vectors[:, values < max(smallest, 1e-12 * values[-1])]
    return np.asarray(_PULL * undetermined @ undetermined.T)


def _to_unknowns(fit: GainFit, scale: Array) -> Array:
    """Return the map from scaled standard parameters, payload and friction change to unknowns."""
    payload, base = fit.problem.payload, fit.problem.base
    friction = np.eye(len(fit.problem.friction))
    return np.asarray(
        scipy.linalg.block_diag(
            base.regrouping * scale, np.diag(payload.scale[payload.unknown]), friction
        )
    )


def _all_constraints(
    n: int,
    robot: tuple[scipy.sparse.csc_matrix, Array, list[object]],
    payload: KnownPayload,
    rest: int,
) -> tuple[scipy.sparse.csc_matrix, Array, list[object]]:
    """Return A, b and the cones of ``A x + s = b``, x the gains, robot and payload."""
    matrices, bounds = [-np.eye(n), robot[0]], [np.full(n, -_SMALLEST_GAIN), robot[1]]
    cones = [clarabel.NonnegativeConeT(n), *robot[2]]
    free = rest - len(payload.unknown)
    if len(payload.unknown):
        block, bound, cone = body_cone(payload.scale)
        payload_columns = np.hstack([block[:, payload.unknown], np.zeros((len(block), free))])
        bounds.append(bound - block @ (payload.parameters / payload.scale))
        cones.append(cone)
    else:
        payload_columns = np.zeros((0, free))
    matrix = scipy.sparse.block_diag([*matrices, payload_columns])
    return scipy.sparse.csc_matrix(matrix), np.concatenate(bounds), cones
