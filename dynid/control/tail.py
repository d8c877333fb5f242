"""Extrapolation of the rare, large values of a signal from recorded ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynid.arrays import Array

TAIL_QUANTILE = 0.9  # of the values, above which they are the tail
APART = 0.5  # [s] between independent excesses
_RANGE = (0.05, 0.95)
_RESAMPLED = 200  # times

SAFE = 0.9
"""Share of other recordings of the same kind that a level is sufficient for."""
RAREST, MOST_FREQUENT = 1e-9, 1e6
"""Rates of false alarms for which levels can be found [1/h]."""


class Level(NamedTuple):
    """A level that is exceeded at a wanted rate.

    Attributes:
        value: the level.
        low: lower bound of its 90 % bootstrap interval.
        high: upper bound of that interval.
        peaks: number of independent excesses that it is based on.
    """

    value: float
    low: float
    high: float
    peaks: int

    def scaled(self, factor: float) -> Level:
        """Return the level of a signal ``factor`` times as large."""
        return Level(factor * self.value, factor * self.low, factor * self.high, self.peaks)


def rare_level(
    values: Array, time: Array, wanted: float, *, least: float, quantile: float = SAFE
) -> Level:
    """Return the level that ``values`` exceed ``wanted`` times in as much time.

    Values above their 0.9 quantile are modelled as a Poisson process with a Pareto tail (peaks over
    threshold: Davison, Smith 1990). Resampling the independent excesses (bootstrap) gives the
    uncertainty, of which the level is a quantile.

    Args:
        values: (M,).
        time: of each [s], increasing.
        wanted: number of times; below 1 the tail is extrapolated.
        least: lower bound of the level.
        quantile: of the resampled levels.
    """
    beyond = float(np.quantile(values, TAIL_QUANTILE))
    tail = values > beyond
    excesses = values[tail] - beyond
    if len(excesses) == 0:
        return Level(least, least, least, 0)
    peaks = 1 + int(np.count_nonzero(np.diff(time[tail]) > APART))
    random = np.random.default_rng(0)
    drawn = random.choice(excesses, (_RESAMPLED, peaks))
    often = len(excesses) / wanted
    levels = np.maximum(beyond + _passed_once_in(often, drawn), least)
    low, value, high = np.quantile(levels, [_RANGE[0], quantile, _RANGE[1]])
    return Level(float(value), float(low), float(high), peaks)


def _passed_once_in(often: float, excesses: Array) -> Array:
    """Return the values (K,) that one excess in ``often`` exceeds, of K samples (K, M).

    By the generalised Pareto distribution with these probability-weighted moments (Hosking, Wallis
    1987), restricted to tails that are at most exponential.
    """
    if often <= 1:
        return np.zeros(len(excesses))
    ordered = np.sort(excesses, axis=1)
    count = ordered.shape[1]
    mean = ordered.mean(axis=1)
    weighted = ordered @ (count - 0.65 - np.arange(count)) / count**2
    shape = 2.0 - mean / np.maximum(mean - 2.0 * weighted, 1e-12 * mean)
    exponential = mean * np.log(often)
    bounded = np.minimum(shape, -1e-9)
    limited: Array = mean * (1.0 - bounded) / bounded * (often**bounded - 1.0)
    return np.where(shape >= 0.0, exponential, limited)
