"""The threshold of the sequential test, from simulated years of the robot without any change."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.drift.between_days import BetweenDays
from dynid.drift.history import History
from dynid.drift.reference import find_variation
from dynid.drift.scan import Contrasts, fit_baseline, scan, surprise

_HORIZON = 366  # recordings of a simulated year at most
_DISTINCT = 12  # covariances of recordings that are used
_TAIL = 0.1  # share of the simulated years whose excess is taken as exponential


def find_threshold(
    history: History,
    reference: int,
    between: BetweenDays,
    contrasts: Contrasts,
    prior: Array,
    *,
    false_alarms_per_year: float,
    simulations: int,
    seed: int,
) -> float:
    """Return the surprise that an unchanged robot exceeds at the stated rate.

    Each simulated year draws the component between days from its distribution (it is known from few
    recordings only), draws parameters with it and with the covariances of the robot's own
    recordings, estimates everything again from the reference, and records the largest surprise. A
    rate below that of the simulated years is extrapolated by an exponential tail (Pickands, Ann.
    Stat. 3, 1975).

    Args:
        history: of the robot, for covariances, temperatures and recordings per year.
        reference: number of recordings of the reference.
        between: component between days.
        contrasts: of the causes.
        prior: (c,) of slopes over temperature.
        false_alarms_per_year: accepted, of all causes together.
        simulations: number of years.
        seed: of the random numbers.
    """
    random = np.random.default_rng(seed)
    per_year = history.per_year
    horizon = int(np.clip(round(per_year), 1, _HORIZON))
    chosen = np.unique(np.linspace(0, len(history.times) - 1, _DISTINCT).round().astype(int))
    within = history.covariances[chosen]
    largest = np.array(
        [
            _largest(random, reference, horizon, within, history, between, contrasts, prior)
            for _ in range(simulations)
        ]
    )
    chance = -np.expm1(-false_alarms_per_year * horizon / per_year)
    if chance >= _TAIL:
        return float(np.quantile(largest, 1 - chance))
    start = np.quantile(largest, 1 - _TAIL)
    return float(start + np.mean(largest[largest > start] - start) * np.log(_TAIL / chance))


def _largest(
    random: np.random.Generator,
    reference: int,
    horizon: int,
    within: Array,
    history: History,
    between: BetweenDays,
    contrasts: Contrasts,
    prior: Array,
) -> float:
    """Return the largest surprise of a simulated reference and the year after it."""
    kind = random.integers(len(within), size=reference + horizon)
    roots = np.linalg.cholesky(between.drawn(random).covariance(within))
    noise = random.standard_normal((len(kind), within.shape[1]))
    values = np.empty_like(noise)
    for number, root in enumerate(roots):
        values[kind == number] = noise[kind == number] @ root.T
    temperatures = None
    if history.temperatures is not None:
        temperatures = random.choice(history.temperatures, size=len(kind))
    before = None if temperatures is None else temperatures[:reference]
    after = None if temperatures is None else temperatures[reference:]
    found = find_variation(values[:reference], within[kind[:reference]], between.groups, before)
    spread = np.einsum(
        "ck,rkl,cl->rc",
        contrasts.matrix,
        found.covariance(within),
        contrasts.matrix,
        optimize=True,
    )[kind]
    sizes = values @ contrasts.matrix.T
    baseline = fit_baseline(sizes[:reference], spread[:reference], before, prior)
    statistic = scan(sizes[reference:], spread[reference:], after, baseline, contrasts.owner)
    return float(surprise(statistic.max(axis=0), contrasts.owner).max())
