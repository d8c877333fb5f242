"""Comparison of model torque and measured torque along recordings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.regression import unfiltered_torque
from dynid.evaluation.verdict import Comparison
from dynid.signals.filters import ParallelFilter
from dynid.signals.settings import SignalSettings
from dynid.signals.signals import Signals


def compare(
    model: Mechanism, signals: Sequence[Signals], settings: SignalSettings
) -> tuple[Comparison, ...]:
    """Evaluate a model with its current parameters along every recording, with filters."""
    return tuple(_compare_one(model, one, settings) for one in signals)


def relative_errors(comparisons: Sequence[Comparison]) -> Array:
    """Return the norm of the torque error over that of the torque, over all recordings; (n,)."""
    error = sum(np.sum((c.model - c.measured) ** 2, axis=0) for c in comparisons)
    torque = sum(np.sum(c.measured**2, axis=0) for c in comparisons)
    return np.asarray(np.sqrt(error / np.where(torque > 0, torque, np.inf)))


def _compare_one(model: Mechanism, signals: Signals, settings: SignalSettings) -> Comparison:
    parallel = ParallelFilter.from_settings(settings.parallel_filter, signals.sampling_rate)
    raw_model = unfiltered_torque(model, signals, model.parameters)
    return Comparison(
        signals=signals,
        measured=parallel.smooth(signals.torque),
        model=parallel.smooth(raw_model),
        raw_model=raw_model,
        sliding=model.prismatic,
    )
