"""What the first recordings of a robot, taken as unchanged, say about its variation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.arrays import Array
from dynid.drift.between_days import BetweenDays, Groups, estimate_between_days
from dynid.drift.history import History
from dynid.drift.scan import SLOPE, Baseline, fit_baseline

_USUAL = 0.1  # relative variation of friction, to weight recordings before it is estimated


def parameter_baseline(
    values: Array, within: Array, groups: Groups, temperatures: Array | None
) -> Baseline:
    """Fit the mean of each parameter (R, k), and of friction its slope over temperature."""
    own = np.diagonal(within, axis1=1, axis2=2)
    spread = own + (_USUAL * groups.sizes) ** 2
    return fit_baseline(values, spread, temperatures, SLOPE * groups.sizes)


def reference_residuals(
    values: Array, within: Array, groups: Groups, temperatures: Array | None
) -> Array:
    """Return what the mean, and the effect of temperature, leave of a reference (R, k)."""
    baseline = parameter_baseline(values, within, groups, temperatures)
    design = baseline.design(temperatures, len(values))
    return np.asarray(values - design @ baseline.coefficients)


def find_variation(
    values: Array, within: Array, groups: Groups, temperatures: Array | None
) -> BetweenDays:
    """Estimate the component between days that is left after the effect of temperature.

    Args:
        values: (R, k) of the reference.
        within: (R, k, k) covariances within its recordings.
        groups: of the parameters.
        temperatures: (R,) or None.
    """
    residuals = reference_residuals(values, within, groups, temperatures)
    fitted = 1 if temperatures is None else 2
    return estimate_between_days(residuals, within, groups, fitted=fitted)


def pooled_variation(
    history: History, spans: Sequence[tuple[int, int]], groups: Groups
) -> BetweenDays:
    """Estimate the same from several references, each of recordings (begin, end)."""
    residuals = [
        reference_residuals(
            history.values[begin:end],
            history.covariances[begin:end],
            groups,
            None if history.temperatures is None else history.temperatures[begin:end],
        )
        for begin, end in spans
    ]
    within = [history.covariances[begin:end] for begin, end in spans]
    fitted = len(spans) * (1 if history.temperatures is None else 2)
    return estimate_between_days(
        np.concatenate(residuals), np.concatenate(within), groups, fitted=fitted
    )
