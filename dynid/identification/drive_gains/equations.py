"""Normal equations in recorded torque for recordings without and with the known payload.

The recorded torque of joint j is wrong by a constant factor: the drive's gain is g_j times that of
the profile. With b_j = 1 / g_j the recorded torque is

    t_j = b_j (W_j pi)                         without payload,
    t_j = b_j (W_j pi + W_bj (pi_u + pi_k))    with it,

linear in the parameters and in the inverse gain (Gautier and Briot, IROS 2011). W_b are the columns
of the body that carries the payload, pi_k the known and pi_u the unknown payload parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.estimation.regression import Problem, model_torque
from dynid.identification.drive_gains.known_payload import KnownPayload
from dynid.identification.payload.fit import columns_alone, payload_columns


@dataclass(frozen=True)
class GainProblem:
    """Problem of finding gains, base parameters and unknown payload parameters.

    The m unknowns besides the gains are the k base parameters, the unknown payload parameters, and
    the change of friction with the payload.
    """

    unloaded: Problem
    loaded: Problem
    payload: KnownPayload

    @property
    def base(self) -> BaseParameterization:
        """Base parameters of the robot without payload."""
        return self.unloaded.base

    def standard(self, unknowns: Array) -> tuple[Array, Array]:
        """Return standard parameters (p,) without and with payload from the unknowns (m,)."""
        mechanism, k = self.unloaded.mechanism, len(self.base.independent)
        last = k + len(self.payload.unknown)
        unloaded = self.base.lift(unknowns[:k], mechanism.urdf_parameters)
        loaded = np.array(unloaded)
        columns = payload_columns(mechanism)
        loaded[columns] += self.payload.parameters
        loaded[columns[self.payload.unknown]] += unknowns[k:last]
        loaded[self.base.independent[self.friction]] += unknowns[last:]
        return unloaded, loaded

    @property
    def friction(self) -> NDArray[np.intp]:
        """Indices of base parameters that are friction.

        Friction changes with load and temperature, so recordings with and without payload have
        separate friction parameters, which add no information on gains.
        """
        mechanism = self.unloaded.mechanism
        terms = self.base.independent - mechanism.first_term
        kept = [term >= 0 and mechanism.terms[term].traits.dissipative for term in terms]
        return np.flatnonzero(kept)

    def with_loads(self, unknowns: Array) -> GainProblem:
        """Return the problem with load-dependent friction evaluated at these unknowns (m,)."""
        unloaded, loaded = self.standard(unknowns)
        return GainProblem(
            self.unloaded.with_parameters(unloaded),
            self.loaded.with_parameters(loaded),
            self.payload,
        )

    def gram(self) -> Array:
        """Return sums of ``[W, W_u, W_b pi_k, t]^T [...]`` of each joint, (n, m + 2, m + 2)."""
        without = self.unloaded.normal_equations().joint_gram
        with_it = _with_payload_columns(self.loaded).normal_equations().joint_gram
        k, unknown, friction = len(self.base.independent), self.payload.unknown, self.friction
        last = k + len(unknown)
        m = last + len(friction)
        mixing = np.zeros((k + 11, m + 2))
        mixing[:k, :k] = np.eye(k)
        mixing[k + unknown, k + np.arange(len(unknown))] = 1.0
        mixing[friction, last + np.arange(len(friction))] = 1.0
        mixing[k : k + 10, m] = self.payload.parameters
        mixing[-1, -1] = 1.0
        gram = mixing.T @ with_it @ mixing
        kept = [*range(k), m + 1]
        gram[np.ix_(range(len(gram)), kept, kept)] += without
        return np.asarray(gram)

    def rows(self) -> Array:
        """Count the rows of each joint, (n,)."""
        problems = (self.unloaded, self.loaded)
        return np.asarray(sum(np.sum(r.fitted, axis=0) for p in problems for r in p.rows))

    def residuals(self, inverse_gains: Array, unknowns: Array) -> Iterator[Array]:
        """Model minus recorded torque, (rows, n), one array per recording."""
        standards = self.standard(unknowns)
        for problem, standard in zip((self.unloaded, self.loaded), standards, strict=True):
            for rows in problem.rows:
                parallel = rows.parallel_filter
                model = model_torque(problem.mechanism, rows.signals, parallel, standard)
                yield parallel.decimate(model) * inverse_gains - rows.torque


def _with_payload_columns(problem: Problem) -> Problem:
    """Return the problem with the payload's ten columns after those of the base parameters."""
    mechanism = problem.mechanism
    columns = np.concatenate([problem.base.independent, payload_columns(mechanism)])
    wide = columns_alone(mechanism, columns)
    return Problem(mechanism, wide, problem.rows, problem.folds)
