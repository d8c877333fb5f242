"""Whether the model explains the motion it was fitted to much better than other motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace

_TIMES = 1.4  # as large an error on what was held out; parameters fit noise, not the robot
_MORE = 0.02  # of the torque: a difference below that is of no concern


def over_fit(case: Case) -> Iterator[Finding]:
    """Compare the errors of cross-validation with those of the fit."""
    if case.fit is None or case.held_out is None:
        return
    fitted = case.relative_errors
    held_out = np.array(case.held_out.relative_error)
    worse = (held_out > _TIMES * fitted) & (held_out > fitted + _MORE)
    parameters = int(case.fit.estimate.determined.sum())
    essential = int(case.fit.essential.sum())
    for j in np.flatnonzero(worse):
        yield Finding(
            cause="over_fit",
            joint=case.joints[j],
            severity="warning",
            sentence=(
                f"{case.joints[j]}: torque is off by {fitted[j]:.1%} on the motion fitted, but by "
                f"{held_out[j]:.1%} on parts of it that were held out: the model has learnt this "
                f"motion rather than the robot ({essential} of {parameters} parameters are "
                "essential)."
            ),
            remedy=(
                "Record more and richer motion, or leave terms out (identification.essential = "
                "true drops parameters that do not pay)."
            ),
            evidence={
                "relative error": float(fitted[j]),
                "relative error held out": float(held_out[j]),
                "parameters": float(parameters),
                "essential parameters": float(essential),
            },
            plot=_plot(case, fitted, held_out),
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
