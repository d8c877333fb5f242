"""Uncertain variances make a statistic as unlikely as it is, and count as far as they matter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2, f

from dynid_plugins.fleet.drift.between_days import BetweenDays, Groups
from dynid_plugins.fleet.drift.freedom import as_estimated, as_if_known, freedom_of_windows
from dynid_plugins.fleet.drift.persistence import GRID, Persistence

GROUPS = Groups(
    np.array([0, 1, 1, 2, 2]), np.array([0.0, 2.0, 3.0, 1.0, 4.0]), ("others", "elbow", "wrist")
)
BETWEEN = BetweenDays(
    GROUPS, 0.5, np.array([0.01, 0.02]), 0.004, np.array([9.0, 12.0, 14.0, 8.0, 30.0]), 0.7
)
WITHIN = np.diag([1.0, 1e-4, 1e-4, 1e-4, 1e-4])


def freedom(between: BetweenDays, row: list[float], *, length: int = 1) -> float:
    found = freedom_of_windows(
        between, np.array([row]), WITHIN, np.zeros(1, dtype=np.intp), 10, [length]
    )
    return float(found[length][0])


@pytest.mark.parametrize(
    ("rows", "degrees"), [(1, 4.0), (3, 4.0), (1, 12.0), (10, 12.0), (3, 60.0), (10, 60.0)]
)
def test_an_estimated_variance_has_the_chance_of_an_f_distribution(
    rows: int, degrees: float
) -> None:
    statistic = np.array([1.0, 10.0, 40.0, 100.0])
    found = as_if_known(statistic, np.array(rows), np.array(degrees))
    expected = -f.logsf(statistic / rows, rows, degrees)
    # Bartlett's approximation: a tenth of the logarithm where degrees are few
    np.testing.assert_allclose(-chi2.logsf(found, rows), expected, rtol=0.1, atol=0.15)


def test_a_statistic_comes_back() -> None:
    statistic, rows, degrees = np.array([0.1, 30.0]), np.array([1, 10]), np.array([5.0, 1e6])
    there = as_if_known(statistic, rows, degrees)
    np.testing.assert_allclose(as_estimated(there, rows, degrees), statistic)
    assert there[1] == pytest.approx(30.0, rel=1e-3)


def test_the_parts_are_the_variance_between_days() -> None:
    weights = np.random.default_rng(0).standard_normal((4, 5))
    parts = BETWEEN.parts(weights, WITHIN)
    days = BETWEEN.days(WITHIN[None])[0]
    np.testing.assert_allclose(parts.sum(axis=0), np.diag(weights @ days @ weights.T))


def test_noise_alone_is_known_and_one_part_alone_has_its_own_freedom() -> None:
    quiet = replace(BETWEEN, others=0.0)
    assert freedom(quiet, [1.0, 0.0, 0.0, 0.0, 0.0]) > 1e6
    only_common = replace(BETWEEN, others=0.0, joints=np.zeros(2), common=1e6)
    assert freedom(only_common, [0.0, 1.0, 1.0, 1.0, 1.0]) == pytest.approx(8.0, rel=1e-3)


def test_an_uncertain_correlation_matters_over_long_windows() -> None:
    chances = np.full(len(GRID), 1 / len(GRID))
    open_ = replace(BETWEEN, persistence=Persistence(chances, np.ones(len(GRID))))
    known = replace(BETWEEN, persistence=Persistence.fixed(open_.persistence.mean))
    row = [0.0, 1.0, 1.0, 0.0, 0.0]
    ratio = [freedom(open_, row, length=one) / freedom(known, row, length=one) for one in (1, 34)]
    assert ratio[1] < ratio[0] < 1
