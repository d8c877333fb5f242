"""What the first recordings of a robot, taken as unchanged, say about its variation."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.drift.between_days import BetweenDays, Groups, estimate_between_days
from dynid.drift.scan import SLOPE, Baseline, fit_baseline

_USUAL = 0.1  # relative variation of friction, to weight recordings before it is estimated


def parameter_baseline(
    values: Array, within: Array, groups: Groups, temperatures: Array | None
) -> Baseline:
    """Fit the mean of each parameter (R, k), and of friction its slope over temperature."""
    own = np.diagonal(within, axis1=1, axis2=2)
    spread = own + (_USUAL * groups.sizes) ** 2
    return fit_baseline(values, spread, temperatures, SLOPE * groups.sizes)


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
    baseline = parameter_baseline(values, within, groups, temperatures)
    design = baseline.design(temperatures, len(values))
    residuals = values - design @ baseline.coefficients
    return estimate_between_days(residuals, within, groups, fitted=design.shape[1])
