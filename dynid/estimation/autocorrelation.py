"""Autocorrelation of torque errors."""

from __future__ import annotations

import numpy as np
import scipy

from dynid.arrays import Array


def autocorrelation(values: Array, lags: int) -> Array:
    """Return the autocorrelation of signals (N, n) at the lags 0 to ``lags``, (lags + 1, n).

    That of a constant signal is 0.
    """
    centred = values - values.mean(axis=0)
    count = scipy.fft.next_fast_len(len(values) + lags, real=True)
    power_spectrum = np.abs(scipy.fft.rfft(centred, count, axis=0)) ** 2
    products = scipy.fft.irfft(power_spectrum, count, axis=0)[: lags + 1]
    power = products[0]
    return np.asarray(products / np.where(power > 0, power, np.inf))
