"""An error on the fitted motion that is much smaller than on other motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.text import percent

# held-out error over error of the fit: √((n + 1) / (n - 1)) for n independent values of each
# parameter, here of fewer than five (Akaike's final prediction error)
_TIMES = 1.22
_SMALLEST_ERROR_INCREASE = 0.02  # of the torque: smaller differences are ignored


def over_fit(case: Case) -> Iterator[Finding]:
    """Compare the errors of cross-validation with those of the fit."""
    if case.fit is None or case.held_out is None:
        return
    fitted = case.relative_errors
    held_out = np.array(case.held_out.of_blocks)
    worse = (held_out > _TIMES * fitted) & (held_out > fitted + _SMALLEST_ERROR_INCREASE)
    parameters = int(case.fit.estimate.determined.sum())
    essential = int(case.fit.essential.sum())
    for j in np.flatnonzero(worse):
        yield Finding(
            cause="over_fit",
            joints=(case.joints[j],),
            severity="warning",
            sentence=(
                f"{case.joints[j]}: the model predicts parts left out worse than those fitted: a "
                f"relative torque error of {percent(held_out[j])} against {percent(fitted[j])}. "
                f"Either it has too many parameters for this motion ({essential} of {parameters} "
                "are essential), or something that it does not describe acts on the joint, such "
                "as one that changes during the recording."
            ),
            advice=(
                "See in the report where the torque error is large: if at some times, look for "
                "what happened there; if everywhere, record longer and more varied motion, or "
                "remove terms (identification.essential: true drops parameters that are not "
                "essential)."
            ),
            evidence={
                "relative error": float(fitted[j]),
                "relative error held out": float(held_out[j]),
                "parameters": float(parameters),
                "essential parameters": float(essential),
            },
            plot=_plot(case, fitted, held_out),
            statement="held out worse",
        )


def _plot(case: Case, fitted: np.ndarray, held_out: np.ndarray) -> Plot:
    numbers = np.arange(1, len(case.joints) + 1, dtype=np.float64)
    return Plot(
        x_label="joint",
        y_label="relative error",
        traces=(
            Trace(numbers, fitted, "fitted", "dots"),
            Trace(numbers, held_out, "held out", "dots"),
        ),
    )
