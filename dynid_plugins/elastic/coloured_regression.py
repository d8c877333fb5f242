"""Linear regression whose errors resemble their neighbours, with calibrated covariance.

Errors are taken as an autoregression, whose order and coefficients follow from the residual by
Burg's method, run by run, so that samples left out between the runs do not count as errors of 0. A
residual has less power than the errors where the columns have theirs; the autoregression is
corrected by what it would lose itself. The estimate is that of ordinary least squares, the
covariance that of these errors, wider by Student's distribution for a spectrum that is estimated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array

_HIGHEST_ORDER = 40  # of the autoregression
_SAMPLES_OF_AN_ORDER = 5  # fewest products that determine a coefficient
_DEPENDENT = 1e-6  # of a column's length that the columns before do not explain
_LARGEST_CORRECTION = 4.0  # of the power, where columns leave next to nothing of the errors
_FEWEST_FREEDOMS = 4.0


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


def coloured_fit(
    columns: list[Array], values: list[Array], used: list[Array], expected: Array | None = None
) -> ColouredFit:
    """Fit values of several recordings, each uniformly sampled.

    Args:
        columns: (N, c) of each recording.
        values: (N,) of each recording.
        used: (N,) of each recording: samples that are fitted.
        expected: (r, c) rows whose products with the coefficients are 0 but for an error.
    """
    if expected is not None and len(expected):
        still = np.zeros(len(expected))
        more = [*columns, expected], [*values, still], [*used, still == 0]
        fitted = coloured_fit(*more)
        return fitted._replace(residual=fitted.residual[:-1])
    kept = [np.where(use[:, None], one, 0.0) for one, use in zip(columns, used, strict=True)]
    wanted = [np.where(use, one, 0.0) for one, use in zip(values, used, strict=True)]
    matrix, target = np.concatenate(kept), np.concatenate(wanted)
    sizes = np.linalg.norm(matrix, axis=0)
    scale = np.where(sizes > 0, sizes, 1.0)
    unexplained = np.abs(np.diag(np.linalg.qr(matrix / scale, mode="r")))
    determined = np.zeros(len(scale), dtype=bool)
    determined[: len(unexplained)] = unexplained > _DEPENDENT
    basis, triangle = np.linalg.qr((matrix / scale)[:, determined])
    inverse = np.linalg.inv(triangle)
    coefficients = np.zeros(len(scale))
    coefficients[determined] = inverse @ (basis.T @ target)
    coefficients /= scale
    residual = tuple(value - one @ coefficients for value, one in zip(wanted, kept, strict=True))
    bases = np.split(basis, np.cumsum([len(one) for one in wanted])[:-1])
    middle = sum(
        _coloured_products(one, rest, use)
        for one, rest, use in zip(bases, residual, used, strict=True)
    )
    covariance = np.zeros((len(scale), len(scale)))
    covariance[np.ix_(determined, determined)] = inverse @ middle @ inverse.T
    return ColouredFit(coefficients, covariance / np.outer(scale, scale), determined, residual)


def _coloured_products(basis: Array, residual: Array, used: Array) -> Array:
    """Return Q' Ω Q (c, c) of orthonormal columns with the covariance Ω of the errors."""
    length = scipy.fft.next_fast_len(2 * len(residual))
    coefficients, variance = _autoregression(residual, used)
    power = _power(coefficients, variance, length)
    coloured = _correlated(basis, power) * used[:, None]
    power = power * _lost_power(coefficients, basis, coloured, power, used)
    widened = _widening(int(used.sum()), len(coefficients)) ** 2
    return np.asarray(basis.T @ _correlated(basis, power)) * widened


def _widening(count: int, order: int) -> float:
    """Return the factor by which two standard deviations of an estimated spectrum cover 95.4 %.

    The variance of an autoregression's spectrum near frequency 0 is 4 p/N of its square (Berk, The
    Annals of Statistics 1974), which is that of a variance from N / 2p degrees of freedom.
    """
    freedoms = max(count / (2 * max(order, 1)), _FEWEST_FREEDOMS)
    return float(scipy.stats.t.ppf(scipy.stats.norm.cdf(2.0), freedoms) / 2.0)


def _autoregression(residual: Array, used: Array) -> tuple[Array, float]:
    """Return coefficients (p,) and variance of an autoregression, by Burg's method.

    The order p has the least criterion of Schwarz. Prediction errors forwards and backwards are
    those within runs of used samples.
    """
    count = max(int(used.sum()), 1)
    forwards, backwards, together = residual, residual, used
    coefficients, variance = np.zeros(0), max(float(np.sum(residual**2)) / count, 1e-300)
    best = (count * np.log(variance), coefficients, variance)
    for order in range(1, min(_HIGHEST_ORDER, max(count // 20, 1)) + 1):
        together = together & np.concatenate([[False], together[:-1]])
        if int(together.sum()) < _SAMPLES_OF_AN_ORDER * order:
            break
        before = np.concatenate([[0.0], backwards[:-1]])
        ahead, behind = forwards[together], before[together]
        power = max(float(ahead @ ahead + behind @ behind), 1e-300)
        reflection = 2 * float(ahead @ behind) / power
        forwards, backwards = forwards - reflection * before, before - reflection * forwards
        coefficients = np.append(coefficients - reflection * coefficients[::-1], reflection)
        variance *= max(1 - reflection**2, 1e-12)
        criterion = count * np.log(variance) + np.log(count) * order
        if criterion < best[0]:
            best = (criterion, coefficients, variance)
    return best[1], best[2]


def _lost_power(
    coefficients: Array, basis: Array, coloured: Array, power: Array, used: Array
) -> Array:
    """Return by how much errors have more power (f,) than what the fit leaves of them.

    Errors with covariance Ω leave the residual covariance (1 - QQ') Ω (1 - QQ'). Autoregressions of
    equal order are fitted to the mean products of both at each lag; this is their ratio.

    Args:
        coefficients: (p,) of the autoregression of the residual, which is taken for the errors.
        basis: Q (N, c).
        coloured: Ω Q (N, c) at samples that are used.
        power: (f,) spectrum of Ω.
        used: (N,) samples that are fitted.
    """
    lags = len(coefficients) + 1
    length = scipy.fft.next_fast_len(2 * len(used))
    inside = _lag_products(used[:, None].astype(float), used[:, None].astype(float), lags)
    errors = scipy.fft.irfft(power, length)[:lags] * inside
    within = basis @ (basis.T @ coloured)
    taken = (
        _lag_products(basis, coloured, lags)
        + _lag_products(coloured, basis, lags)
        - _lag_products(within, basis, lags)
    )
    found = [_power(*_yule_walker(one), length) for one in (errors, errors - taken)]
    return np.asarray(np.minimum(found[0] / found[1], _LARGEST_CORRECTION))


def _yule_walker(covariance: Array) -> tuple[Array, float]:
    """Return coefficients (p,) and variance of the autoregression with covariances (p + 1,)."""
    if len(covariance) == 1:
        return np.zeros(0), float(covariance[0])
    coefficients = scipy.linalg.solve_toeplitz(covariance[:-1], covariance[1:])
    return coefficients, float(covariance[0] - coefficients @ covariance[1:])


def _lag_products(first: Array, second: Array, lags: int) -> Array:
    """Return Σ first[i] · second[i + k] of (N, c) for each lag k (lags,)."""
    length = scipy.fft.next_fast_len(len(first) + lags)
    left, right = (scipy.fft.rfft(one, length, axis=0) for one in (first, second))
    return np.asarray(scipy.fft.irfft(np.sum(left.conj() * right, axis=1), length)[:lags])


def _correlated(columns: Array, power: Array) -> Array:
    """Return Ω X (N, c) with the covariance Ω that has a power spectrum (f,)."""
    length = scipy.fft.next_fast_len(2 * len(columns))
    moved = scipy.fft.rfft(columns, length, axis=0)
    return np.asarray(scipy.fft.irfft(power[:, None] * moved, length, axis=0)[: len(columns)])


def _power(coefficients: Array, variance: float, length: int) -> NDArray[np.float64]:
    """Return the power spectrum of an autoregression (length // 2 + 1,)."""
    answer = scipy.fft.rfft(np.concatenate([[1.0], -coefficients]), length)
    return np.asarray(variance / np.abs(answer) ** 2)
