"""Regression of blocks of recordings, whose errors resemble those of the block before.

The errors are taken as an autoregression of first order in each recording, with an upper limit of
its correlation; the standard deviation and degrees of freedom of a coefficient are those for it
(Satterthwaite 1946).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array

_LARGEST_CORRELATION = 0.97  # correlation of neighbours


def last_coefficient(
    columns: Array, values: Array, scale: Array, order: tuple[NDArray[np.intp], NDArray[np.intp]]
) -> tuple[float, float, float]:
    """Return the last coefficient of a weighted fit, its standard deviation and its freedom.

    All are 0 where the columns do not determine it.

    Args:
        columns: (K, c).
        values: (K,).
        scale: (K,) square root of the weights.
        order: recording and number in it of each block (K,).
    """
    columns, values = columns * scale[:, None], values * scale
    sizes = np.linalg.norm(columns, axis=0)
    q, r = np.linalg.qr(columns / np.where(sizes > 0, sizes, 1.0))
    if np.abs(np.diag(r)).min() < 1e-6:
        return 0.0, 0.0, 0.0
    solution = np.linalg.solve(r, q.T @ values)
    rest = values - q @ (q.T @ values)
    direction = q @ np.linalg.solve(r.T, np.eye(r.shape[0])[:, -1]) / sizes[-1]
    shape = _correlation(rest, order)
    outer = np.eye(len(values)) - q @ q.T
    projected = outer @ shape
    trace = float(np.trace(projected))
    variance = float(rest @ rest) / trace * float(direction @ shape @ direction)
    freedom = trace**2 / float(np.sum(projected * projected.T))
    return float(solution[-1] / sizes[-1]), float(np.sqrt(variance)), freedom


def _correlation(rest: Array, order: tuple[NDArray[np.intp], NDArray[np.intp]]) -> Array:
    """Return the correlation (K, K) of blocks, from an upper limit of that of neighbours.

    The estimate is corrected for its bias in short series (Kendall 1954), and one standard
    deviation is added.
    """
    recording, number = order
    count = len(rest)
    near = (recording[1:] == recording[:-1]) & (number[1:] == number[:-1] + 1)
    power = float(rest @ rest)
    correlation = float(np.sum((rest[1:] * rest[:-1])[near])) / power if power > 0 else 0.0
    correlation += 1.5 * (1 + 3 * correlation) / count
    correlation += float(np.sqrt(max(1 - correlation**2, 0.0) / count))
    lag = np.abs(number[:, None] - number)
    same = recording[:, None] == recording
    return np.asarray(np.where(same, np.clip(correlation, 0.0, _LARGEST_CORRELATION) ** lag, 0.0))
