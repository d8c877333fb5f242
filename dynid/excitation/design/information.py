"""Information of a motion about the base parameters, and its derivatives by the motion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array, pieces
from dynid.dynamics.mechanism import Mechanism
from dynid.excitation.motion import Motion, central_difference

Objective = Literal["condition", "determinant", "both"]

_SMALLEST_EIGENVALUE = 1e-14
"""Eigenvalues below this share of the largest are rounding."""


@dataclass(frozen=True, eq=False)
class Information:
    """Smooth objective of a motion's base regressor W, to be minimised.

    With G = Wᵀ W and its eigenvalues λ, ``condition`` is log(λ_max / λ_min) = 2 log cond(W) with
    smooth extremes: (log Σ λ^p + log Σ λ^-p) / p, never less than the exact value and closer to it
    for larger sharpness p. ``determinant`` (D-optimal) is -log det(G) / k. ``both`` is their sum.

    Attributes:
        mechanism: its joint terms must be smooth and without memory.
        columns: indices (k,) of the regressor's columns that lead base parameters.
        row_weights: factor of each joint's rows (n,).
        scaled: columns are scaled to unit norm first.
        objective: which of these.
    """

    mechanism: Mechanism
    columns: NDArray[np.intp]
    row_weights: Array
    scaled: bool = True
    objective: Objective = "condition"

    def condition_number(self, motion: Motion) -> float:
        """Return the condition number of W, with rows and columns scaled as specified."""
        values = np.linalg.eigvalsh(self._scaled_gram(self._rows(motion))[0])
        return float(np.sqrt(values[-1] / max(values[0], _SMALLEST_EIGENVALUE**2 * values[-1])))

    def value(self, motion: Motion, sharpness: float) -> float:
        """Return the objective of a motion, arrays (N, n)."""
        return self._objective(self._rows(motion), sharpness)[0]

    def slopes(self, motion: Motion, sharpness: float) -> Motion:
        """Return the objective's derivatives by every sample's position, velocity, acceleration.

        With the derivative M of the objective by G, that by W is 2 W M; the derivatives of W by
        each sample's own state are central differences. Arrays (N, n).
        """
        rows = self._rows(motion)
        by_gram = self._objective(rows, sharpness)[1]
        slopes = Motion(*(np.empty_like(part) for part in motion))

        def regressor(state: Motion) -> Array:
            return self.mechanism.regressor(*state)

        for piece in self._pieces(motion):
            part_of_motion = Motion(*(part[piece] for part in motion))
            by_rows = 2 * rows[piece] @ by_gram
            by_regressor = np.zeros((*by_rows.shape[:2], len(self.mechanism.parameter_names)))
            by_regressor[:, :, self.columns] = by_rows * self.row_weights[:, np.newaxis]
            for order, joint in product(range(3), range(len(self.row_weights))):
                change = central_difference(regressor, part_of_motion, order, joint)
                slopes[order][piece, joint] = np.einsum("tij,tij->t", by_regressor, change)
        return slopes

    def _rows(self, motion: Motion) -> Array:
        """Return the weighted base regressor (N, n, k)."""
        rows = np.empty((*motion.position.shape, len(self.columns)))
        for piece in self._pieces(motion):
            regressor = self.mechanism.regressor(*(part[piece] for part in motion))
            rows[piece] = regressor[:, :, self.columns] * self.row_weights[:, np.newaxis]
        return rows

    def _pieces(self, motion: Motion) -> Iterator[slice]:
        """Yield pieces of the samples for which a regressor is computed at once."""
        samples, joints = motion.position.shape
        return pieces(samples, joints * len(self.mechanism.parameter_names))

    def _scaled_gram(self, rows: Array) -> tuple[Array, Array]:
        """Return Wᵀ W of scaled columns, and the scale factors of the columns (k,)."""
        stacked = rows.reshape(-1, rows.shape[2])
        gram = stacked.T @ stacked
        if not self.scaled:
            return gram, np.ones(len(gram))
        factors = 1 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
        return gram * factors * factors[:, np.newaxis], factors

    def _objective(self, rows: Array, sharpness: float) -> tuple[float, Array]:
        """Return the objective and its derivative by G = Wᵀ W before scaling (k, k)."""
        gram, factors = self._scaled_gram(rows)
        values, vectors = np.linalg.eigh(gram)
        values = np.maximum(values, _SMALLEST_EIGENVALUE * values[-1])
        total, by_log = 0.0, np.zeros_like(values)
        if self.objective in ("condition", "both"):
            largest, up = _soft_maximum(np.log(values), sharpness)
            smallest, down = _soft_maximum(-np.log(values), sharpness)
            total += largest + smallest
            by_log += up - down
        if self.objective in ("determinant", "both"):
            # columns of unit norm no longer contain their sizes, which the determinant needs
            total += float(2 * np.log(factors).sum() - np.log(values).sum()) / len(values)
        by_scaled = (vectors * (by_log / values)) @ vectors.T
        by_gram = by_scaled * factors * factors[:, np.newaxis]
        if self.scaled:
            by_gram -= np.diag(factors**2 * np.sum(by_scaled * gram, axis=1))
        if self.objective in ("determinant", "both"):
            inverse_gram = (vectors / values) @ vectors.T
            by_gram -= inverse_gram * factors * factors[:, np.newaxis] / len(values)
        return total, by_gram


def _soft_maximum(values: Array, sharpness: float) -> tuple[float, Array]:
    """Return a smooth upper bound of the largest value, and its derivative by each."""
    largest = values.max()
    powers = np.exp(sharpness * (values - largest))
    total = powers.sum()
    return float(largest + np.log(total) / sharpness), powers / total
