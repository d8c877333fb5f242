"""The threshold of the sequential test, from simulated years of the robot without any change."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid_plugins.fleet.drift.between_days import BetweenDays
from dynid_plugins.fleet.drift.history import History
from dynid_plugins.fleet.drift.reference import Span
from dynid_plugins.fleet.drift.scan import Contrasts, evaluate_stage, stages

_HORIZON = 366  # recordings of a simulated year at most
_DISTINCT = 12  # covariances of recordings that are used
_BLOCK = 30  # recordings in which one alarm is counted at most
_TAIL = 0.1  # share of the simulated blocks whose excess is taken as exponential, and
# their number at most: the tail of a mixture of variances is not exponential as a whole
_VALUES = 30


def find_threshold(
    history: History,
    reference: int,
    between: BetweenDays,
    contrasts: Contrasts,
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
        false_alarms_per_year: accepted, of all causes together.
        simulations: number of years.
        seed: of the random numbers.
        share: called with the share of the years that are simulated.
    """
    random = np.random.default_rng(seed)
    per_year, warmth = history.per_year, history.temperatures
    horizon = int(np.clip(round(per_year), 1, _HORIZON))
    count = reference + horizon
    chosen = np.unique(np.linspace(0, len(history.times) - 1, _DISTINCT).round().astype(int))
    within = history.covariances[chosen]
    roots = _roots(within)
    starts = np.linspace(0, horizon, max(1, round(horizon / _BLOCK)) + 1)[:-1].astype(int)
    years = []
    for year in range(simulations):
        share(year / simulations)
        kind = random.integers(len(within), size=count)
        values = _drawn(random, between.drawn(random), roots, kind)
        temperatures = None if warmth is None else random.choice(warmth, size=count)
        span = Span(values, within, kind, np.arange(float(count)), temperatures)
        surprises = [
            evaluate_stage(span, one.edges(0), between.groups, contrasts, one).surprise
            for one in stages(reference, count)
        ]
        years.append(np.maximum.reduceat(np.concatenate(surprises).max(axis=1), starts))
    largest = np.array(years)
    blocks = largest.size / simulations
    chance = -np.expm1(-false_alarms_per_year * horizon / per_year / blocks)
    tail = min(_TAIL, _VALUES / largest.size)
    if chance >= tail:
        return float(np.quantile(largest, 1 - chance))
    start = np.quantile(largest, 1 - tail)
    return float(start + np.mean(largest[largest > start] - start) * np.log(tail / chance))


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
