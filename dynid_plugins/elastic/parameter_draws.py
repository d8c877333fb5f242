"""Draws of a model's parameters by their uncertainty, each as physically consistent as the model.

Recordings leave much open that no bodies can have. An unconstrained covariance contains it, the
identified model does not: where errors of the estimate are drawn from that covariance, and each
drawn estimate is made consistent in turn, the draws scatter as the model does (parametric
bootstrap; Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 6.5).
"""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.estimation.physical import parameter_constraints, parameter_scale, solve_in_cones
from dynid.estimation.settings import PhysicalSettings
from dynid.identification.settings import IdentificationSettings
from dynid.robot.model import Model

_DRAWS = 40
_FEWEST_DRAWS = 10  # that the solver finds, for a scatter
_OPEN = 4.0  # information on a direction, below which it keeps the model's value: half its size
_SINGULAR = 1e-14  # of the largest variance


def parameter_changes(model: Model) -> Array:
    """Return changes (D, p) of a model's standard parameters by their uncertainty.

    None, (0, p), where no covariance is known. The mean of their squares includes what the
    constraints move the model itself.

    Args:
        model: with the covariance of its base parameters.

    Raises:
        EstimationError: most of the drawn estimates cannot be made consistent.
    """
    mechanism = model.mechanism
    base = base_parameterization(mechanism)
    known = [number for number, name in enumerate(base.names) if name in model.base.names]
    if not known:
        return np.zeros((0, len(mechanism.parameters)))
    names = [base.names[number] for number in known]
    places = [model.base.names.index(name) for name in names]
    values, vectors = np.linalg.eigh(model.base.covariance_of(names))
    deviations = vectors * np.sqrt(np.maximum(values, _SINGULAR * values[-1]))
    errors = np.random.default_rng(0).standard_normal((_DRAWS, len(known))) @ deviations.T
    drawn = model.base.values[places] + errors
    settings = model.robot.settings(IdentificationSettings).physical
    if not settings.enabled:
        return _lifted(base, known, drawn, mechanism.parameters)
    return _consistent(mechanism, base.regrouping[known], drawn, deviations, settings)


def _lifted(base: BaseParameterization, known: list[int], drawn: Array, near: Array) -> Array:
    changes = np.zeros((len(drawn), len(near)))
    changes[:, base.independent[known]] = drawn - base.project(near)[known]
    return changes


def _consistent(
    mechanism: Mechanism,
    regrouping: Array,
    drawn: Array,
    deviations: Array,
    settings: PhysicalSettings,
) -> Array:
    """Return the changes (D, p) to the consistent parameters nearest to drawn estimates.

    Args:
        mechanism: with the model's parameters.
        regrouping: (k, p) of the base parameters that are known.
        drawn: (D, k) estimates of these.
        deviations: (k, k) square root of their covariance.
        settings: bounds of the parameters.
    """
    near = mechanism.parameters
    scale = parameter_scale(mechanism)
    terms = np.abs(near[mechanism.first_term :])
    scale[mechanism.first_term :] = np.where(terms > 0, terms, 1.0)
    whitened = np.linalg.solve(deviations, regrouping * scale)
    information, directions = np.linalg.eigh(whitened.T @ whitened)
    unknown = directions[:, information < _OPEN]
    pull = unknown @ unknown.T
    constraints = parameter_constraints(mechanism, settings, scale)
    found = []
    for wanted in np.linalg.solve(deviations, drawn.T).T:
        linear = -(whitened.T @ wanted + pull @ (near / scale))
        try:
            scaled = solve_in_cones(whitened.T @ whitened + pull, linear, *constraints)
        except EstimationError:
            continue
        found.append(scaled * scale - near)
    if len(found) < _FEWEST_DRAWS:
        raise EstimationError(
            f"only {len(found)} of {_DRAWS} draws of the links' parameters can be made physically "
            "consistent; check identification.physical.bounds, or set physical.enabled: false."
        )
    return np.array(found)
