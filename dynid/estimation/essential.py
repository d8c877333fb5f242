"""Essential parameters: the base parameters a model can do without, left out step by step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.estimation.estimate import Estimate

_LARGE_DEVIATION = 0.3  # relative; a parameter known better than that stays
_ERROR_GROWTH = 0.01  # of the weighted squared error, all eliminations together


def essential_parameters(estimate: Estimate) -> tuple[NDArray[np.bool_], Array]:
    """Eliminate the parameter of largest relative standard deviation until none is left to spare.

    Stops when every parameter left is known to better than 30 %, or when leaving out the next one
    would raise the weighted squared error by more than 1 % in all (Gautier and Khalil; Janot).

    Returns:
        (k,) which parameters are essential, and (k,) their values, zero elsewhere.
    """
    weight = 1 / estimate.joint_variance
    extended = np.einsum("j,jik->ik", weight, estimate.equations.joint_gram)
    inflation = float(np.max(estimate.correlation))
    kept = estimate.determined.copy()
    values = _solve(extended, kept)
    allowed = (1 + _ERROR_GROWTH) * _squared_error(extended, values)
    while kept.sum() > 1:
        relative = _relative_deviation(extended, kept, values, inflation)
        worst = int(np.argmax(relative))
        if relative[worst] <= _LARGE_DEVIATION:
            break
        without = kept.copy()
        without[worst] = False
        reduced = _solve(extended, without)
        if _squared_error(extended, reduced) > allowed:
            break
        kept, values = without, reduced
    return kept, values


def _solve(extended: Array, kept: NDArray[np.bool_]) -> Array:
    values = np.zeros(len(kept))
    matrix = extended[:-1, :-1][np.ix_(kept, kept)]
    scale = 1 / np.sqrt(np.diag(matrix))
    scaled = scale[:, None] * matrix * scale
    values[kept] = scale * np.linalg.lstsq(scaled, scale * extended[:-1, -1][kept], rcond=None)[0]
    return values


def _squared_error(extended: Array, values: Array) -> float:
    vector = np.append(values, -1.0)
    return float(vector @ extended @ vector)


def _relative_deviation(
    extended: Array, kept: NDArray[np.bool_], values: Array, inflation: float
) -> Array:
    matrix = extended[:-1, :-1][np.ix_(kept, kept)]
    scale = 1 / np.sqrt(np.diag(matrix))
    variance = scale**2 * np.diag(np.linalg.pinv(scale[:, None] * matrix * scale))
    relative = np.zeros(len(kept))
    relative[kept] = np.sqrt(inflation * variance) / np.maximum(np.abs(values[kept]), 1e-300)
    return relative
