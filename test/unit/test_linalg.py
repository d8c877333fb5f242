"""Normal matrices with scaled columns, compared with plain linear algebra."""

from __future__ import annotations

import numpy as np

from dynid.linalg import ScaledSpectrum, inverse_norms

SIZES = np.array([1e6, 1.0, 1e-6])  # of columns, such as those of masses and inertias


def regressor() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(50, 3)) * SIZES


def test_the_inverse_of_columns_of_very_different_size_is_that_of_their_triangle() -> None:
    columns = regressor()
    triangle = np.linalg.inv(np.linalg.qr(columns / SIZES, mode="r")) / SIZES[:, None]
    spectrum = ScaledSpectrum.of(columns.T @ columns)
    np.testing.assert_allclose(spectrum.inverse, triangle @ triangle.T, rtol=1e-9)
    assert spectrum.determined.all()


def test_directions_have_unit_information() -> None:
    matrix = regressor().T @ regressor()
    directions = ScaledSpectrum.of(matrix).directions
    np.testing.assert_allclose(directions.T @ matrix @ directions, np.eye(3), atol=1e-9)


def test_equal_columns_and_a_column_of_zeros_are_not_determined() -> None:
    columns = np.column_stack([regressor(), regressor()[:, 1], np.zeros(50)])
    spectrum = ScaledSpectrum.of(columns.T @ columns)
    assert spectrum.known.sum() == 3
    assert spectrum.determined.tolist() == [True, False, True, False, False]
    assert spectrum.basis.shape == (5, 3)
    assert inverse_norms(columns.T @ columns)[-1] == 0.0


def test_a_column_of_rounding_errors_contains_no_information() -> None:
    rounding = 1e-16 * np.random.default_rng(1).normal(size=50)
    columns = np.column_stack([regressor(), rounding])
    spectrum = ScaledSpectrum.of(columns.T @ columns)
    assert spectrum.scale[-1] == 0
    assert spectrum.determined.tolist() == [True, True, True, False]
