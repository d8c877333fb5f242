"""Linear regression whose errors resemble their neighbours, with calibrated covariance.

Errors are taken as an autoregression, whose order and coefficients follow from the residual; the
estimate is that of ordinary least squares, the covariance that of these errors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from dynid.arrays import Array

_HIGHEST_ORDER = 40  # of the autoregression
_DEPENDENT = 1e-6  # of a column's length that the columns before do not explain


class ColouredFit(NamedTuple):
    """Coefficients of a fit.

    Attributes:
        coefficients: (c,), 0 where the columns before explain a column.
        covariance: (c, c) of these.
        determined: (c,) which columns are independent of those before.
        residual: one (N,) for each recording.
    """

    coefficients: Array
    covariance: Array
    determined: Array
    residual: tuple[Array, ...]


def coloured_fit(columns: list[Array], values: list[Array], used: list[Array]) -> ColouredFit:
    """Fit values of several recordings, each uniformly sampled.

    Args:
        columns: (N, c) of each recording.
        values: (N,) of each recording.
        used: (N,) of each recording: samples that are fitted.
    """
    kept = [np.where(use[:, None], one, 0.0) for one, use in zip(columns, used, strict=True)]
    wanted = [np.where(use, one, 0.0) for one, use in zip(values, used, strict=True)]
    matrix, target = np.concatenate(kept), np.concatenate(wanted)
    sizes = np.linalg.norm(matrix, axis=0)
    scale = np.where(sizes > 0, sizes, 1.0)
    triangle = np.linalg.qr(matrix / scale, mode="r")
    determined = np.abs(np.diag(triangle)) > _DEPENDENT
    chosen = (matrix / scale)[:, determined]
    solution = np.linalg.lstsq(chosen, target, rcond=None)[0]
    coefficients = np.zeros(len(scale))
    coefficients[determined] = solution
    coefficients /= scale
    residual = tuple(value - one @ coefficients for value, one in zip(wanted, kept, strict=True))
    inverse = np.linalg.inv(chosen.T @ chosen)
    middle = sum(
        _coloured_products(one[:, determined] / scale[determined], rest, use)
        for one, rest, use in zip(kept, residual, used, strict=True)
    )
    freedom = max(sum(int(use.sum()) for use in used) - int(determined.sum()), 1)
    share = sum(int(use.sum()) for use in used) / freedom
    covariance = np.zeros((len(scale), len(scale)))
    covariance[np.ix_(determined, determined)] = inverse @ middle @ inverse * share
    return ColouredFit(coefficients, covariance / np.outer(scale, scale), determined, residual)


def _coloured_products(columns: Array, residual: Array, used: Array) -> Array:
    """Return X' Ω X (c, c) with the covariance Ω of an autoregression of the residual."""
    length = scipy.fft.next_fast_len(2 * len(residual))
    power = _spectrum(residual, used, length)
    moved = scipy.fft.rfft(columns, length, axis=0)
    weight = np.full(len(power), 2.0)
    weight[0] = 1.0
    if length % 2 == 0:
        weight[-1] = 1.0
    products = (moved.conj() * (weight * power)[:, None]).T @ moved
    return np.asarray(products.real / length)


def _spectrum(residual: Array, used: Array, length: int) -> Array:
    """Return the power spectrum of the autoregression with the least criterion of Akaike."""
    count = int(used.sum())
    spectrum = np.abs(scipy.fft.rfft(residual, length)) ** 2
    covariance = scipy.fft.irfft(spectrum, length)[: _HIGHEST_ORDER + 1] / max(count, 1)
    order_limit = min(_HIGHEST_ORDER, max(count // 20, 1))
    coefficients, variance = np.zeros(0), max(float(covariance[0]), 1e-300)
    best = (count * np.log(variance), coefficients, variance)
    for order in range(1, order_limit + 1):  # Levinson's recursion
        rest = covariance[order] - coefficients @ covariance[order - 1 : 0 : -1]
        reflection = float(rest / variance)
        coefficients = np.append(coefficients - reflection * coefficients[::-1], reflection)
        variance *= max(1 - reflection**2, 1e-12)
        criterion = count * np.log(variance) + 2 * order
        if criterion < best[0]:
            best = (criterion, coefficients, variance)
    _, coefficients, variance = best
    answer = scipy.fft.rfft(np.concatenate([[1.0], -coefficients]), length)
    return np.asarray(variance / np.abs(answer) ** 2)
