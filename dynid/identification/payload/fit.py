"""Fit of a payload to the torque residual of the model without payload.

    tau - W pi = W_b pi_b,

with the fixed parameters pi of the model and the columns W_b of the body that carries the payload.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.rigid_body import Body
from dynid.estimation.block_jackknife import block_equations, jackknife_variance, raised
from dynid.estimation.estimate import Estimate
from dynid.estimation.estimators import make_estimator
from dynid.estimation.fitting import Fit, build_problem
from dynid.estimation.physical import is_physically_consistent
from dynid.estimation.regression import Problem, unfiltered_torque
from dynid.estimation.row_memory import RowMemory
from dynid.identification.payload.consistent import Posterior, consistent_body, find_posterior
from dynid.identification.settings import IdentificationSettings
from dynid.robot.provenance import BaseEstimate
from dynid.signals.signals import Signals

_ROUNDS = 6
_TOLERANCE = 0.05  # change of a parameter over its standard deviation


@dataclass(frozen=True, eq=False)
class PayloadFit:
    """The last regression and its fit, the posterior, and the body.

    Attributes:
        excess: by which the variances are larger because torque errors are larger than expected.
    """

    fitted: Fit
    posterior: Posterior
    body: Body
    excess: float


def fit_payload(
    model: Mechanism,
    signals: Sequence[Signals],
    settings: IdentificationSettings,
    known: BaseEstimate,
    expected: Array,
) -> PayloadFit:
    """Fit the payload; iterate for load-dependent friction.

    Where errors are larger than expected, something besides the payload differs, which does not
    average out: deviations are larger in that ratio (Birge 1932).

    Args:
        model: of the robot without payload.
        signals: with payload.
        settings: of the identification.
        known: the model's base parameters with their covariance.
        expected: (n,) RMS torque errors of the model, and noise [N m or N]; 0: not known.

    Raises:
        EstimationError: the recordings contain no motion.
    """
    columns, parameters = payload_columns(model), model.parameters
    problem, estimate, body = _fit_once(model, parameters, signals, settings)
    for _ in range(_ROUNDS if any(term.traits.loaded for term in model.terms) else 0):
        previous, loaded = body, model.with_parameters(_with_body(parameters, columns, body))
        problem, estimate, body = _fit_once(loaded, parameters, signals, settings)
        allowed = _TOLERANCE * np.sqrt(np.diag(body.covariance))
        if np.all(np.abs(body.parameters - previous.parameters) <= allowed):
            break
    blocks = np.concatenate(block_equations(problem, estimate))
    within = raised(estimate.covariance, jackknife_variance(blocks))
    usual = np.where(expected > 0, expected**2, np.inf)
    excess = float(np.mean(np.maximum(estimate.joint_variance / usual, 1.0)))
    estimate = replace(estimate, covariance=excess * within)
    posterior = _posterior(estimate, _scatter_of_model(problem, estimate, known, settings))
    body = consistent_body(posterior)
    standard = _with_body(parameters, columns, body)
    determined = np.zeros(len(parameters), dtype=bool)
    determined[columns] = body.determined
    fitted = Fit(
        problem=problem,
        estimate=estimate,
        unconstrained=parameters + problem.base.lift(estimate.base, np.zeros(len(parameters))),
        standard=standard,
        determined=determined,
        essential=np.ones(len(columns), dtype=bool),
        consistent=is_physically_consistent(model, standard),
    )
    return PayloadFit(fitted, posterior, body, excess)


def _fit_once(
    loaded: Mechanism,
    parameters: Array,
    signals: Sequence[Signals],
    settings: IdentificationSettings,
) -> tuple[Problem, Estimate, Body]:
    """Fit with the model's ``parameters`` and the friction under the last payload."""
    choice = columns_alone(loaded, payload_columns(loaded))
    problem = build_problem(
        loaded, choice, [_left(loaded, parameters, recording) for recording in signals], settings
    )
    estimate = make_estimator(settings.estimator).fit(problem, np.zeros(len(parameters)))
    return problem, estimate, consistent_body(_posterior(estimate, np.zeros((10, 10))))


def payload_columns(mechanism: Mechanism) -> NDArray[np.intp]:
    """Return the ten columns of the regressor (10,) of the body that carries a payload."""
    first = 10 * mechanism.payload_body
    return np.arange(first, first + 10)


def _with_body(parameters: Array, columns: NDArray[np.intp], body: Body) -> Array:
    standard = np.array(parameters)
    standard[columns] += body.parameters
    return standard


def columns_alone(mechanism: Mechanism, columns: NDArray[np.intp]) -> BaseParameterization:
    """Return a parameterisation by standard parameters (k,) instead of base parameters."""
    regrouping = np.zeros((len(columns), len(mechanism.parameter_names)))
    regrouping[np.arange(len(columns)), columns] = 1.0
    names = tuple(mechanism.parameter_names[column] for column in columns)
    units = tuple(mechanism.parameter_units[column] for column in columns)
    return BaseParameterization(columns, regrouping, names, names, units)


def _left(loaded: Mechanism, parameters: Array, signals: Signals) -> Signals:
    """Return signals with the residual of the model without payload as torque."""
    known = unfiltered_torque(loaded, signals, parameters)
    return replace(signals, torque=signals.torque - known, raw_torque=signals.raw_torque - known)


def _posterior(estimate: Estimate, scatter_of_model: Array) -> Posterior:
    weight = 1 / estimate.joint_variance
    extended = np.einsum("j,jik->ik", weight, estimate.equations.joint_gram)
    matrix = extended[:-1, :-1]
    scatter = matrix @ estimate.covariance @ matrix
    return find_posterior(matrix, extended[:-1, -1], scatter + scatter_of_model)


def _scatter_of_model(
    problem: Problem, estimate: Estimate, known: BaseEstimate, settings: IdentificationSettings
) -> Array:
    """Return the covariance (10, 10) of the right-hand side from the model's uncertainty.

    It consists of the covariance of the model's base parameters, which includes the variation of
    friction between recordings, and that of the torque per effort: a joint's error scales the
    whole torque that it carries, not only the payload's.
    """
    mechanism = problem.mechanism
    base = base_parameterization(mechanism)
    columns = np.concatenate([problem.base.independent, base.independent])
    wide = replace(problem, base=columns_alone(mechanism, columns), memory=RowMemory())
    gram = (
        wide.normal_equations(estimate.row_weights).joint_gram
        / estimate.joint_variance[:, None, None]
    )
    across = gram[:, :10, 10:-1].sum(axis=0)
    of_parameters = across @ known.covariance_of(base.names) @ across.T
    carried = gram[:, :10, :10] @ estimate.base
    carried += gram[:, :10, 10:-1] @ base.project(mechanism.parameters)
    return np.asarray(of_parameters + settings.torque_repeatability**2 * carried.T @ carried)
