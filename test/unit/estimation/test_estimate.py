"""Variance and correlation in time of torque errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import signal

from dynid.estimation.estimate import autocorrelation, error_correlation, joint_variance
from dynid.estimation.regression import NormalEquations

seeds = st.integers(0, 2**32 - 1)


def equations_of(stacked: np.ndarray) -> NormalEquations:
    """Normal equations of [W_j, tau_j], (n, m, k + 1)."""
    gram = np.einsum("jmi,jmk->jik", stacked, stacked)
    return NormalEquations(gram[None], np.full((1, len(stacked)), float(stacked.shape[1])))


@pytest.mark.parametrize("pole", [0.0, 0.5, 0.9, 0.97])
def test_correlation_of_an_autoregression_agrees_with_its_formula(pole: float) -> None:
    white = np.random.default_rng(0).standard_normal((200_000, 1))
    errors = signal.lfilter([1.0], [1.0, -pole], white, axis=0)
    # the sum over all lags of pole^|lag|
    expected = (1 + pole) / (1 - pole)
    assert error_correlation([errors])[0] == pytest.approx(expected, rel=0.1)


def test_variance_of_a_mean_of_errors_is_that_of_their_correlation() -> None:
    """The variance of a mean of N errors is their variance times the correlation over N."""
    kernel = np.ones(12) / np.sqrt(12)
    drawn = np.random.default_rng(1).standard_normal((400, 1200))
    errors = np.array([np.convolve(one, kernel, "same") for one in drawn])
    scatter = errors.mean(axis=1).var() / errors.var() * errors.shape[1]
    assert error_correlation([errors[:40].T]).mean() == pytest.approx(scatter, rel=0.25)


def test_recordings_are_weighted_by_their_length_for_each_joint() -> None:
    random = np.random.default_rng(2)
    long, short = random.standard_normal((9000, 2)), random.standard_normal((1000, 2))
    short[:, 1] = np.repeat(short[:50, 1], 20)
    alone = np.array([error_correlation([one]) for one in (long, short)])
    assert alone[1, 1] > 10 * alone[1, 0]
    together = error_correlation([long, short])
    np.testing.assert_allclose(together, 0.9 * alone[0] + 0.1 * alone[1])


@pytest.mark.parametrize("value", [0.0, 3.0])
def test_constant_errors_count_as_white(value: float) -> None:
    assert error_correlation([np.full((100, 1), value)]).tolist() == [1.0]


@given(seeds)
def test_alternating_errors_are_never_better_than_white(seed: int) -> None:
    errors = np.random.default_rng(seed).standard_normal((64, 1))
    errors *= (-1.0) ** np.arange(64)[:, None]
    assert error_correlation([np.abs(errors) * np.sign(errors)])[0] >= 1.0


@given(seeds, st.integers(1, 4), st.integers(1, 3))
def test_variance_is_squared_error_over_rows_minus_a_share_of_the_parameters(
    seed: int, joints: int, parameters: int
) -> None:
    random = np.random.default_rng(seed)
    stacked = random.standard_normal((joints, 20, parameters + 1))
    base = random.standard_normal(parameters)
    errors = stacked[:, :, :-1] @ base - stacked[:, :, -1]
    expected = np.sum(errors**2, axis=1) / (20 - parameters / joints)
    np.testing.assert_allclose(joint_variance(equations_of(stacked), base), expected)


def test_variance_is_unbiased() -> None:
    """One joint, noise with standard deviation 2: rows minus parameters are counted."""
    random, found = np.random.default_rng(3), []
    for _ in range(400):
        regressor = random.standard_normal((8, 4))
        torque = 2.0 * random.standard_normal(8)
        base = np.linalg.lstsq(regressor, torque, rcond=None)[0]
        stacked = np.column_stack([regressor, torque])[None]
        found.append(joint_variance(equations_of(stacked), base)[0])
    # each of 400 has the standard deviation 4 sqrt(2 / 4): 4 % for their mean
    assert np.mean(found) == pytest.approx(4.0, rel=0.15)


def test_variance_of_a_joint_without_rows_or_error_is_not_zero() -> None:
    stacked = np.zeros((2, 10, 2))
    stacked[0, :, 0] = np.arange(10.0)
    stacked[0, :, 1] = 2 * np.arange(10.0)
    exact, silent = joint_variance(equations_of(stacked), np.array([2.0]))
    assert exact == pytest.approx(1e-12 * np.mean(stacked[0, :, 1] ** 2))
    assert silent == 1.0
    none = NormalEquations(np.zeros((1, 2, 2, 2)), np.zeros((1, 2)))
    np.testing.assert_array_equal(joint_variance(none, np.array([2.0])), 1.0)


def test_autocorrelation_equals_the_sum_of_products() -> None:
    values = np.random.default_rng(1).normal(size=(57, 2))
    centred = values - values.mean(axis=0)
    expected = [
        (centred[: 57 - lag] * centred[lag:]).sum(axis=0) / (centred**2).sum(axis=0)
        for lag in range(20)
    ]
    assert np.allclose(autocorrelation(values, 19), expected, atol=1e-12)


def test_a_constant_signal_has_no_autocorrelation() -> None:
    assert np.array_equal(autocorrelation(np.full((9, 1), 3.0), 4), np.zeros((5, 1)))
