"""State-variable filters: a low-pass and derivatives with the same phase."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from dynid.identification.online.state_variable_filter import StateVariableFilter

RATE, LAG = 1000.0, 0.02


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("derivative", [0, 1])
def test_is_the_bilinear_transform_of_its_transfer_function(order: int, derivative: int) -> None:
    denominator = np.polynomial.polynomial.polypow([1.0, LAG], order)[::-1]
    numerator = np.eye(derivative + 1)[0]
    b, a = signal.bilinear(numerator, denominator, fs=RATE)
    values = np.concatenate([[0.0], np.random.default_rng(0).standard_normal(500)])
    expected = signal.lfilter(b, a, values)
    found = StateVariableFilter(LAG, order, RATE)(values)[derivative]
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


def test_derivatives_are_those_of_the_filtered_signal() -> None:
    time = np.arange(4000) / RATE
    filtered, slope, curvature = StateVariableFilter(LAG, 3, RATE)(np.sin(7 * time))
    settled = slice(1000, -2)
    gradient = np.gradient(filtered, 1 / RATE)
    np.testing.assert_allclose(slope[settled], gradient[settled], atol=1e-3)
    np.testing.assert_allclose(curvature[settled], -49 * filtered[settled], atol=1e-2)


def test_result_does_not_depend_on_the_block_size() -> None:
    values = np.random.default_rng(1).standard_normal((60, 2)) + 5.0
    whole = StateVariableFilter(LAG, 3, RATE)(values)
    one = StateVariableFilter(LAG, 3, RATE)
    parts = [one(part) for part in (values[:1], values[1:1], values[1:40], *values[40:, None])]
    np.testing.assert_allclose(np.concatenate(parts, axis=1), whole, rtol=1e-10, atol=1e-8)


def test_begins_in_the_steady_state_of_the_first_sample() -> None:
    values, slopes, _ = StateVariableFilter(LAG, 3, RATE)(np.full((50, 1), 3.0))
    np.testing.assert_allclose(values, 3.0, rtol=1e-12)
    np.testing.assert_allclose(slopes, 0.0, atol=1e-10)


def test_reset_clears_the_state() -> None:
    one = StateVariableFilter(LAG, 2, RATE)
    one(np.arange(10.0))
    one.reset()
    np.testing.assert_allclose(one(np.full(5, -2.0))[0], -2.0)


def test_refuses_a_time_constant_of_zero() -> None:
    with pytest.raises(ValueError, match="must be positive"):
        StateVariableFilter(0.0, 3, RATE)
