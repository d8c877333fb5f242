"""The threshold of the sequential test, from simulated years of the robot without any change."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid_plugins.fleet.drift.baseline import fit_baseline
from dynid_plugins.fleet.drift.between_days import BetweenDays
from dynid_plugins.fleet.drift.history import History
from dynid_plugins.fleet.drift.reference import Span, find_variation
from dynid_plugins.fleet.drift.scan import (
    Contrasts,
    contrast_series,
    scan_stage,
    stages,
    surprise,
)

_HORIZON = 366  # recordings of a simulated year at most
_DISTINCT = 12  # covariances of recordings that are used
_BLOCK = 30  # recordings in which one alarm is counted at most
_TAIL = 0.1  # share of the simulated blocks whose excess is taken as exponential, and
_VALUES = (
    30  # their number at most: the tail of a mixture of variances is not exponential as a whole
)


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
    share: Callable[[float], None] = lambda _: None,
) -> float:
    """Return the surprise that an unchanged robot exceeds at the stated rate.

    Each simulated year draws the component between days, with its correlation from day to day, from
    its distribution, as it is known from few recordings only. It draws parameters with it and with
    the covariances of the robot's own recordings, estimates everything again from the reference,
    and later from the blocks that are known then, and records the largest surprise of each month
    (30 recordings): a robot whose variation seemed smaller than it is raises several alarms a year,
    and all of them count. A rate below that of the simulated months is extrapolated by an
    exponential tail (Pickands, Ann. Stat. 3, 1975).

    Args:
        history: of the robot, for covariances, temperatures and recordings per year.
        reference: number of recordings of the reference.
        between: component between days.
        contrasts: of the causes.
        prior: (c,) of slopes over temperature.
        false_alarms_per_year: accepted, of all causes together.
        simulations: number of years.
        seed: of the random numbers.
        share: called with the share of the years that are simulated.
    """
    random = np.random.default_rng(seed)
    per_year = history.per_year
    horizon = int(np.clip(round(per_year), 1, _HORIZON))
    chosen = np.unique(np.linspace(0, len(history.times) - 1, _DISTINCT).round().astype(int))
    within = history.covariances[chosen]
    roots = _roots(within)
    years = []
    for year in range(simulations):
        share(year / simulations)
        years.append(
            _largest(random, reference, horizon, within, roots, history, between, contrasts, prior)
        )
    largest = np.array(years)
    blocks = largest.size / simulations
    chance = -np.expm1(-false_alarms_per_year * horizon / per_year / blocks)
    tail = min(_TAIL, _VALUES / largest.size)
    if chance >= tail:
        return float(np.quantile(largest, 1 - chance))
    start = np.quantile(largest, 1 - tail)
    return float(start + np.mean(largest[largest > start] - start) * np.log(tail / chance))


def _largest(
    random: np.random.Generator,
    reference: int,
    horizon: int,
    within: Array,
    roots: Array,
    history: History,
    between: BetweenDays,
    contrasts: Contrasts,
    prior: Array,
) -> Array:
    """Return the largest surprises of a simulated year after its reference, block by block."""
    count = reference + horizon
    kind = random.integers(len(within), size=count)
    values = _drawn(random, between.drawn(random), roots, kind)
    warmth = history.temperatures
    temperatures = None if warmth is None else random.choice(warmth, size=count)
    span = Span(values, within, kind, np.arange(float(count)), temperatures)
    surprises = np.empty(horizon)
    for stage in stages(reference, count):
        known = [span.part(*one) for one in stage.edges(0)]
        found = find_variation(known, between.groups)
        series = contrast_series(span, found, contrasts, reference)
        baseline = fit_baseline(series.part(0, reference), prior)
        statistic = scan_stage(series, baseline, contrasts.owner, stage)
        mine = slice(stage.begin - reference, stage.end - reference)
        surprises[mine] = surprise(statistic, contrasts.owner).max(axis=1)
    blocks = max(1, round(horizon / _BLOCK))
    starts = np.linspace(0, horizon, blocks + 1)[:-1].astype(int)
    return np.asarray(np.maximum.reduceat(surprises, starts))


def _drawn(
    random: np.random.Generator, truth: BetweenDays, roots: Array, kind: NDArray[np.intp]
) -> Array:
    """Draw parameters (T, k) of recordings, whose covariances within them have ``roots[kind]``."""
    groups, shape = truth.groups, (len(kind), roots.shape[1])
    noise, bodies = random.standard_normal(shape), _remembered(random, truth, shape)
    values = np.empty(shape)
    for number, root in enumerate(roots):
        mine = kind == number
        days = bodies[mine] @ root.T * (groups.number == 0)
        values[mine] = noise[mine] @ root.T + np.sqrt(truth.others) * days
    shares = np.append(0.0, truth.joints)[groups.number]
    each = _remembered(random, truth, shape)
    joints = _remembered(random, truth, (len(kind), len(groups.names)))
    every = _remembered(random, truth, (len(kind), 1))
    friction = (
        np.sqrt(shares * (1 - truth.correlation)) * each
        + np.sqrt(shares * truth.correlation) * joints[:, groups.number]
        + np.sqrt(truth.common) * every
    )
    return np.asarray(values + groups.sizes * friction)


def _remembered(random: np.random.Generator, truth: BetweenDays, shape: tuple[int, int]) -> Array:
    """Draw rows of unit variance, of which each resembles the one before."""
    rho = truth.persistence.mean
    shocks = random.standard_normal(shape)
    shocks[1:] *= np.sqrt(1 - rho**2)
    return np.asarray(scipy.signal.lfilter([1.0], [1.0, -rho], shocks, axis=0))


def _roots(covariances: Array) -> Array:
    """Return roots (m, k, k) of covariances, whose units may differ by orders of size."""
    sizes = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    values, vectors = np.linalg.eigh(covariances / (sizes[:, :, None] * sizes[:, None, :]))
    return np.asarray(sizes[:, :, None] * vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :])
