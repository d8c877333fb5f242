"""Statistics of a torque residual over time: its bandwidth and spectrum, and what is white."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from dynid.arrays import Array
from dynid.signals.filters import ParallelFilter
from dynid.signals.settings import SignalSettings

_SEGMENT = 2048  # samples of which one spectrum is averaged, at most
_SEGMENTS = 8  # at least, if the recording is long enough
_CONFIDENCE = 1.96  # standard deviations of 95 %


def bandwidth(settings: SignalSettings, rate: float) -> float:
    """Return the highest frequency that the filters leave in the torque [Hz]."""
    parallel = ParallelFilter.of(settings, rate)
    cutoff_hz = settings.motion_cutoff_hz if settings.filter_torque else None
    return min(parallel.cutoff_hz or rate, cutoff_hz or rate, rate / 2)


def spectrum(values: Array, rate: float) -> tuple[Array, Array]:
    """Return the amplitude spectral density of signals by Welch's method.

    With windows of Hann that overlap by half, as scipy.signal, whose import takes longer.

    Args:
        values: (N, n).
        rate: of the samples [Hz].

    Returns:
        Frequencies above 0 (m,) [Hz], and the density (m, n) [unit of ``values`` per √Hz].
    """
    length = min(len(values), max(16, min(_SEGMENT, 2 * len(values) // _SEGMENTS)))
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)
    parts = sliding_window_view(values, length, axis=0)[:: length - length // 2]
    parts = (parts - parts.mean(axis=-1, keepdims=True)) * window
    power = np.mean(np.abs(np.fft.rfft(parts)) ** 2, axis=0).T / (rate * np.sum(window**2))
    number = np.arange(1, len(power))
    sides = np.where(number * 2 == length, 1, 2)  # Nyquist's frequency is its own
    frequency = np.asarray(number * (rate / length), dtype=np.float64)
    return frequency, np.asarray(np.sqrt(power[1:] * sides[:, None]))


def white_band(duration: float, band: float) -> float:
    """Return below which 95 % of the autocorrelations of white noise are, at lags above 0.

    Args:
        duration: of the signal [s].
        band: its highest frequency [Hz]: a signal of bandwidth f has 2 f independent values a
            second.
    """
    return min(1.0, _CONFIDENCE / sqrt(max(2 * band * duration, 1.0)))
