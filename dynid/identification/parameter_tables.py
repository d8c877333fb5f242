"""The parameters of an identification with their uncertainties."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.block_bootstrap import Bootstrap
from dynid.estimation.fitting import Fit
from dynid.identification.result import BaseParameter, StandardParameter
from dynid.robot.provenance import BaseEstimate


def standard_table(mechanism: Mechanism, fitted: Fit) -> tuple[StandardParameter, ...]:
    """Return all parameters, with their values in the URDF."""
    columns = zip(
        mechanism.parameter_names,
        fitted.standard,
        mechanism.parameter_units,
        mechanism.urdf_parameters,
        fitted.determined,
        strict=True,
    )
    return tuple(StandardParameter(n, float(v), u, float(o), bool(d)) for n, v, u, o, d in columns)


def base_table(
    base: BaseParameterization, fitted: Fit, replicated: Bootstrap | None
) -> tuple[BaseParameter, ...]:
    """Return the base parameters, with intervals of the bootstrap where there is one."""
    consistent = base.project(fitted.standard)
    standard_deviations = np.sqrt(np.maximum(np.diag(fitted.estimate.covariance), 0.0))
    return tuple(
        BaseParameter(
            name=base.names[i],
            regrouping=base.expressions[i],
            value=float(fitted.estimate.base[i]),
            consistent_value=float(consistent[i]),
            unit=base.units[i],
            standard_deviation=float(standard_deviations[i]),
            relative_standard_deviation=_relative(standard_deviations[i], fitted.estimate.base[i]),
            essential=bool(fitted.essential[i]),
            determined=bool(fitted.estimate.determined[i]),
            interval=_interval(replicated, i) if fitted.estimate.determined[i] else None,
        )
        for i in range(len(base.names))
    )


def base_estimate(table: Sequence[BaseParameter], fitted: Fit) -> BaseEstimate:
    """Return the estimate of the base parameters with a known uncertainty."""
    known = [
        number
        for number, parameter in enumerate(table)
        if parameter.determined and np.isfinite(parameter.standard_deviation)
    ]
    return BaseEstimate(
        names=tuple(table[number].name for number in known),
        regroupings=tuple(table[number].regrouping for number in known),
        values=np.array([table[number].value for number in known]),
        consistent_values=np.array([table[number].consistent_value for number in known]),
        standard_deviations=np.array([table[number].standard_deviation for number in known]),
        covariance=fitted.estimate.covariance[np.ix_(known, known)],
        friction_repeatability=fitted.repeatability.relative,
        friction_repeatability_origin=fitted.repeatability.origin,
    )


def _interval(replicated: Bootstrap | None, number: int) -> tuple[float, float] | None:
    if replicated is None or not np.isfinite(replicated.intervals[number]).all():
        return None
    low, high = replicated.intervals[number]
    return float(low), float(high)


def _relative(standard_deviation: float, value: float) -> float:
    return float(standard_deviation / abs(value)) if value != 0 else float("inf")
