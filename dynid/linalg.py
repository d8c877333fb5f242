"""Normal matrices WᵀW as if the columns of W had unit norm: their directions and their inverse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array

_UNDETERMINED = 1e-10  # eigenvalue of the scaled matrix, relative to the largest
_ROUNDING = 1e-14  # norm of a column, relative to the largest: it is zero but for rounding
_HIDDEN = 1e-6  # share of a parameter in directions without information, squared


@dataclass(frozen=True, eq=False)
class ScaledSpectrum:
    """Eigenvalues and eigenvectors of a normal matrix (k, k) with scaled columns.

    Attributes:
        scale: (k,) one over the norm of each column of W; 0 for a column without information.
        values: (k,) eigenvalues, ascending.
        vectors: (k, k) eigenvectors, one a column.
    """

    scale: Array
    values: Array
    vectors: Array

    @classmethod
    def of(cls, matrix: Array) -> ScaledSpectrum:
        """Return that of WᵀW (k, k)."""
        scale = inverse_norms(matrix)
        return cls(scale, *np.linalg.eigh(scale[:, None] * matrix * scale))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Eigenvalues (k,) of directions in which there is information."""
        return np.asarray(self.values > _UNDETERMINED * self.values[-1])

    @property
    def basis(self) -> Array:
        """Directions (k, r) in which there is information, of unit length when scaled."""
        return np.asarray(self.scale[:, None] * self.vectors[:, self.known])

    @property
    def directions(self) -> Array:
        """Directions D (k, r) in which there is information; Dᵀ WᵀW D = 1."""
        return np.asarray(self.basis / np.sqrt(self.values[self.known]))

    @property
    def inverse(self) -> Array:
        """Pseudo-inverse (k, k) of WᵀW."""
        return np.asarray((self.basis / self.values[self.known]) @ self.basis.T)

    @property
    def determined(self) -> NDArray[np.bool_]:
        """Parameters (k,) that are in directions with information alone."""
        hidden = np.sum(self.vectors[:, ~self.known] ** 2, axis=1)
        return np.asarray((self.scale > 0) & (hidden < _HIDDEN))


def inverse_norms(matrix: Array) -> Array:
    """Return one over the norms of the columns of W (k,), from WᵀW (k, k); 0 where there is none.

    A norm of rounding errors is none: one over it would make information of them, and of their
    quotient a parameter of any size, as where a joint stands still.
    """
    norms = np.sqrt(np.diag(matrix))
    least = _ROUNDING * norms.max(initial=0.0)
    return np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > least)
