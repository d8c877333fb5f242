"""Predicted uncertainty of each base parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array

if TYPE_CHECKING:
    from dynid.dynamics.base_parameters import BaseParameterization
    from dynid.excitation.prediction.precision import Precision


POOR = 0.3
"""Relative standard deviation above which a parameter counts as poorly determined."""
_ROUNDING = 1e-9


@dataclass(frozen=True)
class PredictedParameter:
    """A base parameter and its predicted uncertainty.

    Attributes:
        name, unit, expression: as an identification names it.
        lead: index of the standard parameter that leads it.
        value: from the current parameters.
        standard_deviation: inf if the motion does not determine it.
        signal: root mean square of the torque that it causes over the torque noise, at the joint
            where that is largest.
        mixed_with: name of the parameter with the most strongly correlated error.
        correlation: with that one, from -1 to 1.
    """

    name: str
    unit: str
    expression: str
    lead: int
    value: float
    standard_deviation: float
    signal: float
    mixed_with: str
    correlation: float

    @property
    def known(self) -> bool:
        """Whether its value is known: friction, which a URDF lacks, is 0 before identification."""
        return self.value != 0

    @property
    def relative(self) -> float:
        """Standard deviation relative to the value, NaN if that is not known."""
        return self.standard_deviation / abs(self.value) if self.known else np.nan

    @property
    def determined(self) -> bool:
        """Whether the motion determines it."""
        return bool(np.isfinite(self.standard_deviation))

    @property
    def poor(self) -> bool:
        """Whether its value is known and its predicted error is large."""
        return self.relative > POOR


def predicted_parameters(
    base: BaseParameterization,
    precision: Precision,
    standard: Array,
    noise: Array,
    between: Array | float = 0.0,
) -> tuple[PredictedParameter, ...]:
    """Return the predicted uncertainty of each base parameter.

    Args:
        base: the base parameters.
        precision: of the motion.
        standard: (p,) current standard parameters.
        noise: (n,) standard deviation of torque [N m or N].
        between: (p,) relative standard deviation of standard parameters between two recordings.
    """
    values = base.project(standard)
    # a rounding error of terms that cancel is not a value
    values[np.abs(values) <= _ROUNDING * (np.abs(base.regrouping) @ np.abs(standard))] = 0.0
    signal = np.abs(values) * np.max(precision.column_rms / noise[:, None], axis=0)
    deviation = np.sqrt(np.maximum(np.diag(precision.covariance), 0))
    differing = np.broadcast_to(between, np.shape(standard))[base.independent] * values
    size = np.where(deviation > 0, deviation, 1.0)
    correlation = precision.covariance / size[:, None] / size
    np.fill_diagonal(correlation, 0.0)
    partner = np.argmax(np.abs(correlation), axis=0)
    return tuple(
        PredictedParameter(
            name=name,
            unit=base.units[k],
            expression=base.expressions[k],
            lead=int(base.independent[k]),
            value=float(values[k]),
            standard_deviation=float(np.hypot(deviation[k], differing[k]))
            if precision.determined[k]
            else np.inf,
            signal=float(signal[k]),
            mixed_with=base.names[partner[k]],
            correlation=float(correlation[k, partner[k]]),
        )
        for k, name in enumerate(base.names)
    )
