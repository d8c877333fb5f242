"""Tests of projections from inner products, against those from singular values."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.arrays import Array
from dynid.evaluation.diagnosis.projection import (
    basis_of,
    beyond,
    of_unit_norm,
    products_beyond,
    without,
)


def columns(*, dependent: bool = False) -> Array:
    """Five columns of very different sizes; one the sum of two others, and one zero, if asked."""
    made = np.random.default_rng(1).normal(size=(200, 5)) * [1e-3, 1.0, 1e4, 5.0, 1.0]
    if dependent:
        made[:, 3] = made[:, 0] + made[:, 1]
        made[:, 4] = 0.0
    return made


def remainder(values: Array, of: Array) -> Array:
    """What least squares by singular values leaves of values."""
    norms = np.linalg.norm(of, axis=0)
    scaled = of / np.where(norms > 0, norms, 1.0)
    return np.asarray(values - scaled @ np.linalg.lstsq(scaled, values, rcond=1e-10)[0])


@pytest.mark.parametrize("dependent", [False, True])
@pytest.mark.parametrize("shape", [(200,), (200, 3)])
def test_what_is_left_of_values_is_that_of_least_squares(dependent, shape):
    of, values = columns(dependent=dependent), np.random.default_rng(2).normal(size=shape)
    expected = remainder(values, of)
    np.testing.assert_allclose(without(values, of), expected, atol=1e-12)
    np.testing.assert_allclose(beyond(basis_of(of), values), expected, atol=1e-10)


def test_nothing_is_left_of_values_in_the_span():
    of = columns(dependent=True)
    values = of @ [3.0, -2.0, 1e-3, 0.5, 7.0]
    assert np.linalg.norm(without(values, of)) < 1e-13 * np.linalg.norm(values)


def test_without_any_column_all_is_left():
    values = np.arange(4.0)
    np.testing.assert_array_equal(without(values, np.zeros((4, 2))), values)
    np.testing.assert_array_equal(without(values, np.zeros((4, 0))), values)
    assert basis_of(np.zeros((0, 3))).shape[0] == 0


@pytest.mark.parametrize("dependent", [False, True])
def test_inner_products_beyond_columns_are_those_of_what_is_left(dependent):
    of, others = columns(dependent=dependent), np.random.default_rng(3).normal(size=(200, 2))
    rows = np.column_stack([of, others])
    products, norms = of_unit_norm(rows.T @ rows)
    left = remainder(others, of) / norms[-2:]
    several = np.stack([products, products])
    np.testing.assert_allclose(products_beyond(several, 5)[1], left.T @ left, atol=1e-12)
