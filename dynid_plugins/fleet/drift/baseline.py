"""The mean of weighted sums of parameters over a reference, and sums over windows after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from dynid.arrays import Array
from dynid_plugins.fleet.drift.persistence import decay

SLOPE = 0.02
"""Prior standard deviation of friction's relative change per kelvin: friction of robot joints falls
by a third to a half over 30 K (Bittencourt and Gunnarsson 2012)."""


@dataclass(frozen=True, eq=False)
class Series:
    """Weighted sums of parameters, recording by recording.

    Attributes:
        sizes: (T, c).
        variances: (T, c) of these.
        days: (T, c) standard deviations of their components between days.
        steps: (T,) times in usual intervals between recordings.
        temperatures: (T,) or None.
        correlation: of the component between days, from one recording to the next.
        freedom: (causes,) degrees of freedom of the variances over windows, by their length;
            none where variances are known.
    """

    sizes: Array
    variances: Array
    days: Array
    steps: Array
    temperatures: Array | None
    correlation: float = 0.0
    freedom: Mapping[int, Array] = field(default_factory=dict)

    @property
    def lasting_variances(self) -> Array:
        """Variances (T, c) of independent recordings whose mean over many is known as well."""
        factor = (1 + self.correlation) / (1 - self.correlation)
        return np.asarray(self.variances + (factor - 1) * self.days**2)

    def part(self, begin: int, end: int | None = None) -> Series:
        """Return some of the recordings."""
        span = slice(begin, end)
        return replace(
            self,
            sizes=self.sizes[span],
            variances=self.variances[span],
            days=self.days[span],
            steps=self.steps[span],
            temperatures=None if self.temperatures is None else self.temperatures[span],
        )


@dataclass(frozen=True, eq=False)
class Baseline:
    """Mean or regression on temperature over a reference.

    Attributes:
        coefficients: (d, c); d = 1, or 2 with temperature.
        covariance: (c, d, d) of them.
        carried: (d, c) covariance of them with a component between days of unit variance at
            ``end``.
        end: time of the reference's last recording [steps].
        middle: temperature at the reference's mean [°C].
    """

    coefficients: Array
    covariance: Array
    carried: Array
    end: float
    middle: float = 0.0

    def design(self, temperatures: Array | None, count: int) -> Array:
        """Return the regressors (count, d) of recordings."""
        return _design(count, temperatures, self.middle, len(self.coefficients))


def fit_baseline(reference: Series, prior: Array) -> Baseline:
    """Fit the mean, and with temperatures the slope.

    Args:
        reference: (R, c).
        prior: (c,) standard deviation of the slope before any data, 0 where temperature has no
            effect.
    """
    temperatures, steps = reference.temperatures, reference.steps
    width = 1 if temperatures is None else 2
    middle = 0.0 if temperatures is None else float(np.mean(temperatures))
    design = _design(len(steps), temperatures, middle, width)
    weighted = design[:, :, None] / reference.variances[:, None, :]
    normal = np.einsum("rdc,re->cde", weighted, design)
    if width == 2:
        normal[:, 1, 1] += 1 / np.maximum(prior, 1e-12) ** 2
    covariance = np.linalg.inv(normal)
    gains = np.einsum("cde,rec->rdc", covariance, weighted)
    shares = gains * reference.days[:, None, :]
    # besides the variance of each recording, which the inverse holds, those of any two together
    together = decay(steps, reference.correlation) - np.eye(len(steps))
    joint = np.tensordot(together, shares, axes=1)
    covariance = covariance + np.einsum("rdc,rec->cde", shares, joint)
    last = reference.correlation ** (steps[-1] - steps)
    return Baseline(
        np.einsum("rdc,rc->dc", gains, reference.sizes),
        covariance,
        np.einsum("rdc,r->dc", shares, last),
        float(steps[-1]),
        middle,
    )


class Resemblance:
    """What correlated days add to the variance of weighted sums over windows."""

    def __init__(self, series: Series, baseline: Baseline) -> None:
        """Prepare sums from which those of any window are differences."""
        rho, steps = series.correlation, series.steps
        self._known = rho > 0
        if not self._known:
            return
        own = series.days / series.variances
        fade = rho ** np.diff(steps)
        past, coming = np.zeros_like(own), np.zeros((len(own) + 1, own.shape[1]))
        for i in range(1, len(own)):
            past[i] = fade[i - 1] * (past[i - 1] + own[i - 1])
        coming[-2] = own[-1]
        for i in range(len(own) - 2, -1, -1):
            coming[i] = own[i] + fade[i] * coming[i + 1]
        self._rho, self._steps = rho, np.append(steps, np.inf)
        self._past, self._coming = past, coming
        self._pairs = cumulated(own * past)
        self._since = cumulated(own * (rho ** (steps - baseline.end))[:, None])
        self._carried = baseline.carried

    def of_windows(self, length: int, moment: Array) -> Array | float:
        """Return the addition (T - length + 1, c) for windows of a length.

        Args:
            length: number of recordings.
            moment: (T - length + 1, d, c) weighted sums of the regressors.
        """
        if not self._known:
            return 0.0
        first = slice(None, len(self._past) - length + 1)
        gap = self._rho ** (self._steps[length:] - self._steps[first])
        inside = self._coming[first] - gap[:, None] * self._coming[length:]
        pairs = self._pairs[length:] - self._pairs[:-length] - self._past[first] * inside
        since = self._since[length:] - self._since[:-length]
        return np.asarray(2 * (pairs - np.einsum("tdc,dc->tc", moment, self._carried) * since))


def cumulated(values: Array) -> Array:
    """Return cumulative sums (T + 1, …) that begin with 0."""
    return np.concatenate([np.zeros_like(values[:1]), np.cumsum(values, axis=0)])


def _design(count: int, temperatures: Array | None, middle: float, width: int) -> Array:
    ones = np.ones((count, 1))
    if width == 1 or temperatures is None:
        return ones
    return np.column_stack([ones, temperatures - middle])
