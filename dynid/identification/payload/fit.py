"""The fit of a payload: ten columns of the regressor, and what the model without leaves of torque.

    tau - W pi = W_b pi_b,

with pi the model's parameters, held fixed, and W_b the columns of the body that bears the payload.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.body import Body
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.estimate import Estimate
from dynid.estimation.estimators import ESTIMATORS
from dynid.estimation.fitting import Fit, build_problem
from dynid.estimation.physical import is_physically_consistent
from dynid.estimation.regression import Problem, unfiltered_torque
from dynid.identification.payload.consistent import Belief, believe, consistent_body
from dynid.identification.settings import IdentificationSettings
from dynid.signals.signals import Signals

_ROUNDS = 6
_TOLERANCE = 0.05  # change of a parameter, in its standard deviations


@dataclass(frozen=True, eq=False)
class PayloadFit:
    """The regression as last posed and solved, what to believe after it, and the body."""

    fitted: Fit
    belief: Belief
    body: Body


def fit_payload(
    model: Mechanism,
    signals: Sequence[Signals],
    settings: IdentificationSettings,
    deviations: Mapping[str, float],
) -> PayloadFit:
    """Fit the payload, and repeat while load-dependent friction shifts what the model leaves.

    Args:
        model: of the robot without payload.
        signals: with payload.
        settings: of the identification.
        deviations: standard deviations of the model's base parameters by name, as far as known.

    Raises:
        EstimationError: the recordings hold no motion.
    """
    columns, own = payload_columns(model), model.parameters
    problem, estimate, body = _fit_once(model, own, signals, settings)
    for _ in range(_ROUNDS if any(term.traits.loaded for term in model.terms) else 0):
        previous, loaded = body, model.with_parameters(_with_body(own, columns, body))
        problem, estimate, body = _fit_once(loaded, own, signals, settings)
        allowed = _TOLERANCE * np.sqrt(np.diag(body.covariance))
        if np.all(np.abs(body.parameters - previous.parameters) <= allowed):
            break
    belief = _believe(estimate, _scatter_of_model(problem, estimate, deviations))
    body = consistent_body(belief)
    standard = _with_body(own, columns, body)
    determined = np.zeros(len(own), dtype=bool)
    determined[columns] = body.determined
    fitted = Fit(
        problem=problem,
        estimate=estimate,
        unconstrained=own + problem.base.lift(estimate.base, np.zeros(len(own))),
        standard=standard,
        determined=determined,
        essential=np.ones(len(columns), dtype=bool),
        consistent=is_physically_consistent(model, standard),
    )
    return PayloadFit(fitted, belief, body)


def _fit_once(
    loaded: Mechanism, own: Array, signals: Sequence[Signals], settings: IdentificationSettings
) -> tuple[Problem, Estimate, Body]:
    """Fit with the friction that the payload found last asks of a model's ``own`` parameters."""
    choice = columns_alone(loaded, payload_columns(loaded))
    problem = build_problem(loaded, choice, [_left(loaded, own, one) for one in signals], settings)
    estimate = ESTIMATORS[settings.estimator]().fit(problem, np.zeros(len(own)))
    return problem, estimate, consistent_body(_believe(estimate, np.zeros((10, 10))))


def payload_columns(mechanism: Mechanism) -> NDArray[np.intp]:
    """The ten columns of the regressor (10,) that a payload adds to."""
    first = 10 * mechanism.payload_body
    return np.arange(first, first + 10)


def _with_body(own: Array, columns: NDArray[np.intp], body: Body) -> Array:
    standard = np.array(own)
    standard[columns] += body.parameters
    return standard


def columns_alone(mechanism: Mechanism, columns: NDArray[np.intp]) -> BaseParameterization:
    """These standard parameters (k,) as they are, in place of base parameters."""
    regrouping = np.zeros((len(columns), len(mechanism.parameter_names)))
    regrouping[np.arange(len(columns)), columns] = 1.0
    names = tuple(mechanism.parameter_names[column] for column in columns)
    units = tuple(mechanism.parameter_units[column] for column in columns)
    return BaseParameterization(columns, regrouping, names, names, units)


def _left(loaded: Mechanism, own: Array, signals: Signals) -> Signals:
    """What the model without payload leaves of the torque, its friction that of the load."""
    known = unfiltered_torque(loaded, signals, own)
    return replace(signals, torque=signals.torque - known, raw_torque=signals.raw_torque - known)


def _believe(estimate: Estimate, scatter_of_model: Array) -> Belief:
    weight = 1 / estimate.joint_variance
    gram = estimate.equations.joint_gram
    extended = np.einsum("j,jik->ik", weight, gram)
    scatter = np.einsum("j,jik->ik", weight * estimate.correlation, gram)[:-1, :-1]
    return believe(extended[:-1, :-1], extended[:-1, -1], scatter + scatter_of_model)


def _scatter_of_model(
    problem: Problem, estimate: Estimate, deviations: Mapping[str, float]
) -> Array:
    """Covariance (10, 10) of the right-hand side from the uncertainty of the model.

    A model tells the deviations of its base parameters, not how they hang together; that is taken
    from this motion: as the inverse of its normal matrix has it.
    """
    mechanism = problem.mechanism
    base = base_parameterization(mechanism)
    known = [number for number, name in enumerate(base.names) if name in deviations]
    if not known:
        return np.zeros((10, 10))
    columns = np.concatenate([problem.base.independent, base.independent[known]])
    wide = replace(problem, base=columns_alone(mechanism, columns), _kept={})
    equations = wide.normal_equations()
    gram = np.einsum("j,jik->ik", 1 / estimate.joint_variance, equations.joint_gram)
    across, own = gram[:10, 10:-1], gram[10:-1, 10:-1]
    spread = across * np.array([deviations[base.names[number]] for number in known])
    return np.asarray(spread @ _correlation(own) @ spread.T)


def _correlation(normal: Array) -> Array:
    """Correlation matrix of what a normal matrix (k, k) determines."""
    norms = np.sqrt(np.diag(normal))
    scale = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1.0), 0.0)
    inverse = np.linalg.pinv(scale[:, None] * normal * scale, rcond=1e-10, hermitian=True)
    sizes = np.sqrt(np.maximum(np.diag(inverse), 0.0))
    sizes = np.where(sizes > 0, sizes, 1.0)
    return np.asarray(inverse / np.outer(sizes, sizes))
