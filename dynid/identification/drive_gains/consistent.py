"""Gains and parameters that real drives and bodies can have: a semidefinite program.

The gains are further unknowns beside the standard parameters and those of the payload. Minimised is
the squared error of recorded torque, subject to gains > 0, pseudo-inertia > 0 for every body, the
payload included, friction and rotor inertia >= 0, and the profile's bounds (Sousa and Cortesao,
IJRR 2014; Wensing, Kim, Slotine, RA-L 2018). Gains multiply parameters, so that the error is
expanded to first order again about every answer until gains stay. What the recordings leave open is
pulled to the URDF's values, and only that.
"""

from __future__ import annotations

from typing import NamedTuple

import clarabel
import numpy as np
from scipy import linalg, sparse

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

_OPEN_DEVIATION = 0.5  # of a parameter's size, above which a direction is left open by the data
_PULL = 1e-3  # of what is left open: next to nothing against what is told
_ROUNDS = 10
_TOLERANCE = 1e-3  # relative change of a gain
_SMALLEST_GAIN = 1e-3  # of the fitted one


class ConsistentGains(NamedTuple):
    """Gains (n,), and standard parameters (p,) of the robot without payload."""

    gains: Array
    standard: Array


def consistent_gains(fit: GainFit, settings: PhysicalSettings) -> ConsistentGains:
    """Find the gains and parameters of least squared error with which drives and bodies can exist.

    Raises:
        EstimationError: bounds contradict each other, or the solver fails.
    """
    n, mechanism, payload = len(fit.gains), fit.problem.unloaded.mechanism, fit.problem.payload
    sizes = parameter_scale(mechanism)
    p = len(sizes)
    to_unknowns = _to_unknowns(fit, sizes)
    rest = to_unknowns.shape[1] - p
    # of inverse gains, by gains over those of the last round, and parameters over their sizes
    to_fit = linalg.block_diag(-np.eye(n), to_unknowns)
    near = np.concatenate([np.ones(n), reference_parameters(mechanism) / sizes, np.zeros(rest)])
    constraints = _all_constraints(
        n, parameter_constraints(mechanism, settings, sizes), payload, rest
    )
    inverse, unknowns, answer = 1 / fit.gains, fit.unknowns, near
    pull = _pull(to_fit.T @ linearised(fit.gram, inverse, unknowns, fit.weight)[0] @ to_fit)
    for _ in range(_ROUNDS):
        matrix, slope = linearised(fit.gram, inverse, unknowns, fit.weight)
        here = np.concatenate([-np.ones(n), unknowns])
        linear = to_fit.T @ (slope - matrix @ here) - pull @ near
        answer = solve_in_cones(to_fit.T @ matrix @ to_fit + pull, linear, *constraints)
        inverse, unknowns = inverse / answer[:n], to_unknowns @ answer[n:]
        if np.all(np.abs(answer[:n] - 1) < _TOLERANCE):
            break
    return ConsistentGains(1 / inverse, sizes * answer[n : n + p])


def _pull(cost: Array) -> Array:
    """What holds the directions that the data leave open, and nothing else."""
    values, vectors = np.linalg.eigh(cost)
    left_open = vectors[:, values < max(1 / _OPEN_DEVIATION**2, 1e-12 * values[-1])]
    return np.asarray(_PULL * left_open @ left_open.T)


def _to_unknowns(fit: GainFit, sizes: Array) -> Array:
    """From standard parameters, payload and friction's change, over their sizes, to unknowns."""
    payload, base = fit.problem.payload, fit.problem.base
    friction = np.eye(len(fit.problem.friction))
    return np.asarray(
        linalg.block_diag(base.regrouping * sizes, np.diag(payload.size[payload.unknown]), friction)
    )


def _all_constraints(
    n: int,
    robot: tuple[sparse.csc_matrix, Array, list[object]],
    payload: KnownPayload,
    rest: int,
) -> tuple[sparse.csc_matrix, Array, list[object]]:
    """Clarabel's ``A x + s = b`` for gains, robot and payload, in that order of x."""
    matrices, bounds = [-np.eye(n), robot[0]], [np.full(n, -_SMALLEST_GAIN), robot[1]]
    cones = [clarabel.NonnegativeConeT(n), *robot[2]]
    free = rest - len(payload.unknown)
    if len(payload.unknown):
        block, bound, cone = body_cone(payload.size)
        own = np.hstack([block[:, payload.unknown], np.zeros((len(block), free))])
        bounds.append(bound - block @ (payload.parameters / payload.size))
        cones.append(cone)
    else:
        own = np.zeros((0, free))
    matrix = sparse.block_diag([*matrices, own])
    return sparse.csc_matrix(matrix), np.concatenate(bounds), cones
