"""Comparison of model torque and measured torque along recordings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.regression import unfiltered_torque
from dynid.evaluation.verdict import TorqueComparison
from dynid.signals.filters import ParallelFilter
from dynid.signals.settings import SignalSettings
from dynid.signals.signals import Signals


def compare(
    model: Mechanism, signals: Sequence[Signals], settings: SignalSettings
) -> tuple[TorqueComparison, ...]:
    """Evaluate a model with its current parameters along every recording, with filters."""
    return tuple(_compare_one(model, recording, settings) for recording in signals)


def relative_errors(comparisons: Sequence[TorqueComparison]) -> Array:
    """Return the norm of the torque error over that of the torque, over all recordings; (n,)."""
    error = sum(np.sum((c.model - c.measured) ** 2, axis=0) for c in comparisons)
    torque = sum(np.sum(c.measured**2, axis=0) for c in comparisons)
    return np.asarray(np.sqrt(error / np.where(torque > 0, torque, np.inf)))


def urdf_errors(
    model: Mechanism,
    terms: Sequence[float],
    signals: Sequence[Signals],
    settings: SignalSettings,
) -> list[float] | None:
    """Return the relative errors (n,) with the URDF's bodies and joint terms fitted to them (t,).

    None for a URDF without masses, which predicts nothing, and without those terms: ().
    """
    bodies = model.urdf_parameters[: model.first_term]
    if not np.any(bodies) or len(terms) != len(model.terms):
        return None
    parameters = np.concatenate([bodies, terms])
    errors = relative_errors(compare(model.with_parameters(parameters), signals, settings))
    return [float(error) for error in errors]


def _compare_one(model: Mechanism, signals: Signals, settings: SignalSettings) -> TorqueComparison:
    parallel = ParallelFilter.of(settings, signals.sampling_rate)
    raw_model = unfiltered_torque(model, signals, model.parameters)
    return TorqueComparison(
        signals=signals,
        measured=parallel.smooth(signals.torque),
        model=parallel.smooth(raw_model),
        raw_model=raw_model,
        sliding=model.prismatic,
    )
