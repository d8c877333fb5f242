"""The size of causes in each recording of a robot, for timelines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.arrays import Array
from dynid.drift.causes import Cause
from dynid.drift.change import size_weights
from dynid.drift.detection import Drift
from dynid.drift.reference import Span, parameter_baseline
from dynid.drift.scan import precision


def cause_sizes(drift: Drift, causes: Sequence[Cause]) -> tuple[Array, Array]:
    """Return the sizes (R, c) of causes in each recording, and their standard deviations (R, c).

    From the mean of the first reference, without the effect of temperature where it is recorded.
    Each is estimated as if the cause were the only one, by weights that are best for the recordings
    of the reference. Standard deviations include the variation between days. A mass that the
    recordings cannot show is NaN.
    """
    history, first = drift.history, slice(0, drift.reference)
    reference = Span.of_history(history).part(0, drift.reference)
    baseline = parameter_baseline(reference, drift.between_days.groups)
    usual = baseline.design(history.temperatures, len(history.times)) @ baseline.coefficients
    total = drift.between_days.covariance(history.covariances)
    information = precision(total[first]).mean(axis=0)
    weights = np.array([size_weights(one, information) for one in causes])
    variances = np.einsum("ck,rkl,cl->rc", weights, total, weights, optimize=True)
    return (history.values - usual) @ weights.T, np.sqrt(variances)
