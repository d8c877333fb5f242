"""Physical quantities with their standard deviations, or why they are not identifiable."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.identification.quantity_expression import Dual, parse_expression
from dynid.json_text import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynid.dynamics.base_parameters import BaseParameterization
    from dynid.dynamics.mechanism import Mechanism
    from dynid.estimation.estimate import Estimate
    from dynid.identification.settings import QuantitySettings

_GRAVITY = "g"
_ROUNDING = 1e-6  # of a coefficient


@dataclass(frozen=True)
class Quantity:
    """A physical quantity; its numbers are NaN if it is not identifiable.

    Attributes:
        name, of, unit, meaning: as in the profile.
        value: at the estimated base parameters.
        standard_deviation: of the value.
        unknown: sentence on why it is not identifiable; empty if it is.
    """

    name: str
    of: str
    unit: str
    meaning: str
    value: Figure
    standard_deviation: Figure
    unknown: str = ""


def check_quantities(wanted: Mapping[str, QuantitySettings], mechanism: Mechanism) -> None:
    """Check that every name is one of the mechanism's parameters, or ``g``.

    Raises:
        ConfigurationError: a name is unknown, or a quantity has no parameter.
    """
    known = mechanism.parameter_names
    for quantity, settings in wanted.items():
        _, names = parse_expression(settings.of)
        for name in names:
            if name not in (_GRAVITY, *known):
                near = get_close_matches(name, known, n=1)
                hint = f"did you mean '{near[0]}'" if near else "see the profile's terms"
                message = f"quantity '{quantity}': this model has no parameter '{name}'; {hint}."
                raise ConfigurationError(message)
        if not set(names) - {_GRAVITY}:
            raise ConfigurationError(
                f"quantity '{quantity}': '{settings.of}' must contain a parameter, such as M1."
            )


def find_quantities(
    wanted: Mapping[str, QuantitySettings],
    mechanism: Mechanism,
    base: BaseParameterization,
    estimate: Estimate,
) -> tuple[Quantity, ...]:
    """Compute quantities and their standard deviations from estimated base parameters.

    A quantity f of the standard parameters π is a function of the base parameters β = K π if its
    gradient is Kᵀ c with the derivatives c by the leading parameters. Its variance is then cᵀ Σ c
    to first order (delta method), with the covariance Σ of β.

    ``g`` is the size of the mechanism's gravity [m/s^2].

    Args:
        wanted: checked by :func:`check_quantities`.
        mechanism: gives names, gravity, and the URDF's parameters.
        base: K.
        estimate: β and Σ.
    """
    names = mechanism.parameter_names
    standard = base.lift(estimate.base, mechanism.urdf_parameters)
    gradients = np.eye(len(names))
    variables = {n: Dual(standard[i], gradients[i]) for i, n in enumerate(names)}
    gravity = np.float64(np.linalg.norm(mechanism.gravity))
    variables[_GRAVITY] = Dual(gravity, np.zeros(len(names)))
    quantities = []
    for name, settings in wanted.items():
        expression, _ = parse_expression(settings.of)
        with np.errstate(all="ignore"):
            result = expression(variables)
        value = standard_deviation = float("nan")
        unknown = _unknown(result, mechanism, base, estimate)
        if not unknown:
            by_base = result.gradient[base.independent]
            value = float(result.value)
            variance = float(by_base @ estimate.covariance @ by_base)
            standard_deviation = float(np.sqrt(max(variance, 0.0)))
        text = (name, settings.of, settings.unit, settings.meaning)
        quantities.append(Quantity(*text, value, standard_deviation, unknown))
    return tuple(quantities)


def _unknown(
    result: Dual, mechanism: Mechanism, base: BaseParameterization, estimate: Estimate
) -> str:
    """Return a sentence on why a quantity is not identifiable; empty if it is."""
    if not (np.isfinite(result.value) and np.isfinite(result.gradient).all()):
        return "it has no finite value or derivative at the identified parameters."
    by_base = result.gradient[base.independent]
    parts = by_base[:, None] * base.regrouping
    missed = result.gradient - parts.sum(axis=0)
    size = np.abs(result.gradient) + np.abs(parts).sum(axis=0)
    beyond = np.abs(missed) > _ROUNDING * size
    if beyond.any():
        return _only_in_sums(beyond, mechanism, base)
    silent = [base.names[i] for i in np.flatnonzero(by_base) if not estimate.determined[i]]
    if silent:
        return f"{', '.join(silent)} cannot be identified from this motion."
    return ""


def _only_in_sums(beyond: Array, mechanism: Mechanism, base: BaseParameterization) -> str:
    """Return the sums in which parameters are identifiable, or those without effect on torque."""
    sums = np.flatnonzero(np.abs(base.regrouping[:, beyond]).max(axis=1))
    if len(sums):
        sums_text = "; ".join(base.expressions[i] for i in sums)
        return f"torque depends on its parameters only in {sums_text}."
    silent = [name for name, b in zip(mechanism.parameter_names, beyond, strict=True) if b]
    return f"torque does not depend on {', '.join(silent)}."
