"""Days that resemble each other: how much is estimated, and what it adds to variances."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

from dynid.arrays import Array
from dynid_plugins.fleet.drift.baseline import Series, fit_baseline
from dynid_plugins.fleet.drift.change import weighted_mean
from dynid_plugins.fleet.drift.persistence import (
    GRID,
    Directions,
    Persistence,
    decay,
    estimate_persistence,
)
from dynid_plugins.fleet.drift.scan import LENGTHS, scan

ONE_CAUSE = np.zeros(1, dtype=np.intp)


def drawn_days(
    correlation: float, count: int, width: int, seed: int, *, within: float = 0.01
) -> Directions:
    """Draw days of variance 1 that resemble each other."""
    random = np.random.default_rng(seed)
    shocks = random.standard_normal((count, width))
    shocks[1:] *= np.sqrt(1 - correlation**2)
    days = lfilter([1.0], [1.0, -correlation], shocks, axis=0)
    noise = np.sqrt(within) * random.standard_normal((count, width))
    covariances = np.repeat(within * np.eye(width)[None], count, axis=0)
    return Directions(5 + days + noise, covariances, np.ones((count, 1)), np.arange(float(count)))


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.8])
def test_the_correlation_of_many_days_is_found(correlation: float) -> None:
    span = drawn_days(correlation, 60, 5, seed=1)
    mean = span.values.mean(axis=0)
    found = estimate_persistence([span], np.diag(np.var(span.values - mean, axis=0, ddof=1)))
    # 300 values: a standard deviation of 0.06
    assert abs(found.mean - correlation) < 0.2
    assert found.most >= found.mean


@pytest.mark.parametrize("variance", [0.3, 1.0, 3.0])
def test_short_references_are_not_biased_towards_independence(variance: float) -> None:
    """Whatever variance between days was estimated before."""
    true = 0.6
    found = [
        estimate_persistence([drawn_days(true, 10, 6, seed)], variance * np.eye(6)).mean
        for seed in range(40)
    ]
    # each of 60 values has a standard deviation of about 0.12; their mean's is 0.02
    assert abs(np.mean(found) - true) < 0.1


def test_few_days_leave_the_correlation_open() -> None:
    short = estimate_persistence([drawn_days(0.0, 5, 1, seed=2)], np.eye(1))
    long = estimate_persistence([drawn_days(0.0, 50, 6, seed=2)], np.eye(6))
    assert short.most > 0.5
    assert long.most < 0.3


def test_two_references_are_evaluated_together() -> None:
    spans = [drawn_days(0.7, 10, 6, seed) for seed in (1, 2)]
    each, both = (
        [estimate_persistence([one], np.eye(6) * 0.4) for one in spans],
        estimate_persistence(spans, np.eye(6) * 0.4),
    )

    def spread(found: Persistence) -> float:
        return float(np.sqrt(found.chances @ (GRID - found.mean) ** 2))

    assert spread(both) < max(spread(one) for one in each)


def test_variances_are_inflated_by_what_the_mean_of_resembling_days_hides() -> None:
    """Against the expectation of the squares about the mean, written out."""
    count = 10
    found = estimate_persistence([drawn_days(0.5, count, 2, seed=1)], np.eye(2))
    centred = np.eye(count) - 1 / count
    for rho, inflation in zip(GRID, found.inflation, strict=True):
        left = np.trace(centred @ decay(np.arange(float(count)), rho))
        np.testing.assert_allclose(inflation, (count - 1) / left, rtol=1e-12)


def gappy_series(count: int, width: int, *, warm: bool, rho: float, seed: int = 3) -> Series:
    random = np.random.default_rng(seed)
    days = 0.5 + random.random((count, width))
    return Series(
        random.standard_normal((count, width)),
        days**2 + random.random((count, width)),
        days,
        np.cumsum(random.integers(1, 4, size=count)).astype(float),
        20 + random.standard_normal(count) if warm else None,
        rho,
    )


def covariance_of(series: Series, column: int) -> Array:
    """Return the covariance (T, T) of all recordings of a contrast."""
    days = series.days[:, column]
    matrix = decay(series.steps, series.correlation) * np.outer(days, days)
    np.fill_diagonal(matrix, series.variances[:, column])
    return matrix


@pytest.mark.parametrize("warm", [False, True])
def test_windows_have_the_variance_of_their_sum(warm: bool) -> None:
    """Against the quadratic form with the covariance of all recordings."""
    reference, count = 7, 30
    series = gappy_series(count, 1, warm=warm, rho=0.7)
    no_prior = np.array([1e6])
    baseline = fit_baseline(series.part(0, reference), no_prior)
    found = scan(series.part(reference), baseline, ONE_CAUSE)[:, 0]
    covariance = covariance_of(series, 0)
    design = baseline.design(series.temperatures, count)
    weights = 1 / series.variances[:, 0]
    first = design[:reference] * weights[:reference, None]
    gains = np.linalg.solve(design[:reference].T @ first, first.T)
    expected = np.zeros(count - reference)
    for last in range(reference, count):
        for length in LENGTHS:
            begin = last + 1 - length
            if begin < reference:
                continue
            row = np.zeros(count)
            row[begin : last + 1] = weights[begin : last + 1]
            row[:reference] -= (row @ design) @ gains
            score = (row @ series.sizes[:, 0]) ** 2 / (row @ covariance @ row)
            expected[last - reference] = max(expected[last - reference], score)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_mean_of_resembling_days_has_the_variance_of_its_sum() -> None:
    """Against the quadratic form with the covariance of all recordings."""
    random = np.random.default_rng(1)
    count, width, rho = 4, 3, 0.6
    root = random.standard_normal((width, width))
    days = np.repeat((root @ root.T)[None], count, axis=0)
    total = days + np.array([np.diag(random.random(width) + 0.1) for _ in range(count)])
    together = decay(np.arange(float(count)), rho)
    values = random.standard_normal((count, width))
    mean, covariance = weighted_mean(values, total, days, together)
    information = np.linalg.inv(total)
    gains = np.linalg.inv(information.sum(axis=0)) @ information
    expected = sum(
        gains[i] @ (total[i] if i == j else together[i, j] * days[i]) @ gains[j].T
        for i in range(count)
        for j in range(count)
    )
    np.testing.assert_allclose(mean, np.einsum("rkl,rl->k", gains, values), rtol=1e-9)
    np.testing.assert_allclose(covariance, expected, rtol=1e-9)


def test_a_known_correlation_is_drawn_as_it_is() -> None:
    rho, inflation = Persistence.fixed(0.7).drawn(np.random.default_rng(0))
    assert rho == pytest.approx(0.7)
    assert inflation == 1.0
