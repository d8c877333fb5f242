from __future__ import annotations

import numpy as np

from dynid.estimation.autocorrelation import autocorrelation


def test_it_equals_the_sum_of_products():
    values = np.random.default_rng(1).normal(size=(57, 2))
    centred = values - values.mean(axis=0)
    expected = [
        (centred[: 57 - lag] * centred[lag:]).sum(axis=0) / (centred**2).sum(axis=0)
        for lag in range(20)
    ]
    assert np.allclose(autocorrelation(values, 19), expected, atol=1e-12)


def test_a_constant_signal_has_none():
    assert np.array_equal(autocorrelation(np.full((9, 1), 3.0), 4), np.zeros((5, 1)))
