"""Projections onto the span of a few columns, from their inner products.

Eigenvectors of the inner products take several times less time than a singular value decomposition
of the columns. What is lost are directions of less than ``_RANK`` of the largest one, which no
cause depends on.
"""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array

_RANK = 1e-5  # smallest over largest singular value, columns of unit norm


def basis_of(columns: Array) -> Array:
    """Return an orthonormal basis (r, k) of the span of columns (r, c)."""
    return np.asarray(columns @ _directions(columns))


def beyond(basis: Array, values: Array) -> Array:
    """Return values (r,) or (r, c) minus their projection onto a basis (r, k)."""
    return np.asarray(values - basis @ (basis.T @ values))


def without(values: Array, columns: Array) -> Array:
    """Return values (r,) or (r, c) minus their projection onto columns (r, k)."""
    directions = _directions(columns)
    for _ in range(2):  # the second time removes what rounding left
        values = values - columns @ (directions @ (directions.T @ (columns.T @ values)))
    return np.asarray(values)


def of_unit_norm(products: Array) -> tuple[Array, Array]:
    """Return inner products (…, c, c) of columns scaled to unit norm, and their norms (…, c)."""
    norms = np.sqrt(np.diagonal(products, axis1=-2, axis2=-1))
    scale = 1 / np.where(norms > 0, norms, 1.0)
    return scale[..., :, None] * products * scale[..., None, :], norms


def products_beyond(products: Array, count: int) -> Array:
    """Return inner products (…, r, r) of the columns behind ``count`` others, without their span.

    Args:
        products: (…, count + r, count + r), of columns of about unit norm or less.
        count: of the columns in front, those in whose span nothing is left.
    """
    values, vectors = np.linalg.eigh(products[..., :count, :count])
    known = values > _RANK**2
    scale = np.where(known, 1 / np.sqrt(np.where(known, values, 1.0)), 0.0)
    shared = (vectors * scale[..., None, :]).swapaxes(-1, -2) @ products[..., :count, count:]
    return np.asarray(products[..., count:, count:] - shared.swapaxes(-1, -2) @ shared)


def _directions(columns: Array) -> Array:
    """Return D (c, k) with which the columns (r, c) times D are orthonormal, of full rank."""
    scaled, norms = of_unit_norm(columns.T @ columns)
    squares, vectors = np.linalg.eigh(scaled)
    kept = squares > _RANK**2 * squares[-1:]
    return np.asarray(
        vectors[:, kept] / np.sqrt(squares[kept]) / np.where(norms > 0, norms, 1.0)[:, None]
    )
