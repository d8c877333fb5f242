"""Linear equations with instruments; least squares where these are the regressor itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.errors import EstimationError

_UNDETERMINED = 1e-10  # eigenvalue of the scaled information, relative to the largest


@dataclass(frozen=True)
class Solution:
    """Of ``matrix x = right``; ``inverse`` (k, k) has no say in directions without information."""

    base: Array
    inverse: Array
    determined: NDArray[np.bool_]
    condition_number: float


def solve(information: Array, matrix: Array, right: Array, start: Array) -> Solution:
    """Solve ``matrix x = right`` in the directions of which ``information`` (k, k) has any.

    With instruments Z: information Z^T Z, matrix Z^T W, right Z^T tau. Other directions keep the
    value of ``start`` (k,).

    Raises:
        EstimationError: there is no information, or instruments and regressor have none in common.
    """
    norms = np.sqrt(np.diag(information))
    scale = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1.0), 0.0)
    values, vectors = np.linalg.eigh(scale[:, None] * information * scale)
    known = values > _UNDETERMINED * values[-1]
    if not known.any():
        raise EstimationError("the recording holds no motion that a parameter could be read from.")
    directions = scale[:, None] * vectors[:, known]
    try:
        inverse = directions @ np.linalg.solve(directions.T @ matrix @ directions, directions.T)
    except np.linalg.LinAlgError:
        raise EstimationError(
            "the simulated motion has nothing in common with the measured one; check the "
            "recording's units and the order of its joints."
        ) from None
    return Solution(
        base=start + inverse @ (right - matrix @ start),
        inverse=inverse,
        determined=(norms > 0) & (np.sum(vectors[:, ~known] ** 2, axis=1) < 1e-6),
        condition_number=float(np.sqrt(values[-1] / values[known][0])),
    )
