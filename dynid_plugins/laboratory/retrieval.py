"""Feasible standard parameters for given base parameters, such as those of a published table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.estimation.estimate import Estimate
from dynid.estimation.penalty import penalised_parameters
from dynid.estimation.physical import consistent_parameters
from dynid.estimation.regression import NormalEquations
from dynid.estimation.settings import PhysicalSettings
from dynid.excitation.motion import random_states
from dynid.robot.limits import Limits

FEASIBLE = 1e-3
"""Relative change of torque below which given parameters count as feasible."""

_SAMPLES = 1000  # of random motion
_ERROR = 2e-3  # torque error over torque assumed of the given parameters


@dataclass(frozen=True)
class Retrieval:
    """Physically consistent standard parameters, and their difference from the given ones.

    Attributes:
        parameters: (p,) standard parameters.
        given: (k,) base parameters, NaN where none was given.
        found: (k,) base parameters of ``parameters``.
        torque_change: (n,) rms torque difference over rms torque, on random motion within the
            robot's limits.
    """

    parameters: Array
    given: Array
    found: Array
    torque_change: Array

    @property
    def feasible(self) -> bool:
        """Whether the given parameters are physically consistent."""
        return bool(np.all(self.torque_change < FEASIBLE))


def retrieve(
    mechanism: Mechanism,
    base: BaseParameterization,
    given: Mapping[str, float],
    limits: Limits,
    settings: PhysicalSettings,
) -> Retrieval:
    """Find the physically consistent standard parameters nearest to given base parameters.

    Nearest means the smallest change of torque on random motion within the limits. Parameters that
    the given ones do not determine stay at the URDF's values.

    Args:
        mechanism: the robot, with the URDF's parameters.
        base: its base parameters.
        given: finite values by the names of ``base``.
        limits: of the random motion.
        settings: bounds, and the method: semidefinite program or penalty.

    Raises:
        EstimationError: nothing is given, or bounds contradict each other.
    """
    values = _values(base, given)
    equations = _equations(mechanism, base, values, limits)
    known = np.isfinite(values)
    torque = equations.squared_torque
    rows = np.maximum(equations.joint_rows, 1.0)
    k = len(values)
    estimate = Estimate(
        base=np.where(known, values, base.project(mechanism.urdf_parameters)),
        covariance=np.zeros((k, k)),
        determined=known,
        joint_variance=np.where(torque > 0, _ERROR**2 * torque / rows, 1.0),
        correlation=np.ones(len(torque)),
        equations=equations,
        plain_equations=equations,
        condition_number=float("nan"),
    )
    if settings.method == "penalty":
        parameters = penalised_parameters(mechanism, base, estimate, settings)
    else:
        parameters = consistent_parameters(mechanism, base, estimate, settings).parameters
    found = base.project(parameters)
    change = equations.squared_error(np.where(known, found, 0.0))
    return Retrieval(
        parameters=parameters,
        given=values,
        found=found,
        torque_change=np.sqrt(change / np.where(torque > 0, torque, np.inf)),
    )


def _values(base: BaseParameterization, given: Mapping[str, float]) -> Array:
    """Given values (k,) in the order of ``base``, NaN where there is none."""
    values = np.array([given.get(name, np.nan) for name in base.names], dtype=np.float64)
    if not np.any(values[np.isfinite(values)]):
        raise EstimationError(
            "no nonzero base parameter is given; give at least one to retrieve bodies from."
        )
    return values


def _equations(
    mechanism: Mechanism, base: BaseParameterization, values: Array, limits: Limits
) -> NormalEquations:
    """Build the normal equations of the given parameters' torque on random motion."""
    states = random_states(mechanism, limits, _SAMPLES)
    regressor = mechanism.regressor(*states)[:, :, base.independent]
    known = np.isfinite(values)
    torque = regressor @ np.where(known, values, 0.0)
    stacked = np.concatenate([regressor * known, torque[:, :, None]], axis=2)
    gram = np.einsum("tji,tjk->jik", stacked, stacked, optimize=True)
    return NormalEquations(gram[None], np.full((1, len(mechanism.joints)), float(_SAMPLES)))
