"""What the first recordings of a robot, taken as unchanged, say about its variation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid_plugins.fleet.drift.baseline import SLOPE, Baseline, Series, fit_baseline
from dynid_plugins.fleet.drift.between_days import BetweenDays, Groups, estimate_between_days
from dynid_plugins.fleet.drift.history import History
from dynid_plugins.fleet.drift.persistence import Directions, estimate_persistence

# relative variation of friction, to weight recordings before it is estimated
_USUAL_FRICTION_VARIATION = 0.1
_SAME_WARMTH = 1e-6  # [°C] from the mean: closer temperatures do not show their effect


@dataclass(frozen=True, eq=False)
class Span:
    """Recordings one after another.

    Attributes:
        values: (R, k) parameters.
        within: (m, k, k) covariances within recordings.
        kind: (R,) which of these each recording has.
        steps: (R,) times in usual intervals between recordings.
        temperatures: (R,) or None.
    """

    values: Array
    within: Array
    kind: NDArray[np.intp]
    steps: Array
    temperatures: Array | None

    @classmethod
    def of_history(cls, history: History) -> Span:
        """Return all recordings of a history."""
        kind = np.arange(len(history.times))
        return cls(history.values, history.covariances, kind, history.steps, history.temperatures)

    @property
    def covariances(self) -> Array:
        """Covariances (R, k, k) within the recordings."""
        return np.asarray(self.within[self.kind])

    def part(self, begin: int, end: int) -> Span:
        """Return some of the recordings."""
        span, warmth = slice(begin, end), self.temperatures
        return Span(
            self.values[span],
            self.within,
            self.kind[span],
            self.steps[span],
            None if warmth is None else warmth[span],
        )


def parameter_baseline(reference: Span, groups: Groups) -> Baseline:
    """Fit the mean of each parameter, and of friction its slope over temperature."""
    own = np.diagonal(reference.covariances, axis1=1, axis2=2)
    series = Series(
        reference.values,
        own + (_USUAL_FRICTION_VARIATION * groups.sizes) ** 2,
        np.zeros_like(own),
        reference.steps,
        reference.temperatures,
    )
    return fit_baseline(series, SLOPE * groups.sizes)


def find_variation(references: Sequence[Span], groups: Groups) -> BetweenDays:
    """Estimate the component between days that is left after the effect of temperature."""
    baselines = [parameter_baseline(one, groups) for one in references]
    designs = [
        baseline.design(one.temperatures, len(one.values))
        for baseline, one in zip(baselines, references, strict=True)
    ]
    residuals = [
        one.values - design @ baseline.coefficients
        for one, design, baseline in zip(references, designs, baselines, strict=True)
    ]
    regressors = [_varying(one) for one in designs]
    found = estimate_between_days(
        np.concatenate(residuals),
        np.concatenate([one.covariances for one in references]),
        groups,
        fitted=sum(one.shape[1] for one in regressors),
    )
    weights, between = found.of_joints()
    directions = [
        Directions(residual @ weights, weights.T @ one.covariances @ weights, design, one.steps)
        for residual, one, design in zip(residuals, references, regressors, strict=True)
    ]
    return found.with_persistence(estimate_persistence(directions, between))


def _varying(design: Array) -> Array:
    """Return a design (R, d) without a temperature that was always the same."""
    same = np.abs(design[:, 1:]).max(axis=0, initial=0.0) < _SAME_WARMTH
    return design[:, [True, *~same]]
