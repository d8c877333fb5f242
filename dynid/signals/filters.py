"""Zero-phase filters along time (axis 0); design and application by scipy.signal."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, signal

from dynid.arrays import Array
from dynid.errors import PreprocessingError
from dynid.signals.settings import MedianSettings, ParallelFilterSettings

Sections = NDArray[np.float64]

_SETTLED = 1e-7  # share of its size to which a filter's slowest pole has decayed when it is over
_CHEBYSHEV_ORDER = 8
_CHEBYSHEV_RIPPLE_DB = 0.05


def low_pass(
    values: Array, cutoff_hz: float, order: int, sampling_rate: float, *, periodic: bool = False
) -> Array:
    """Zero-phase Butterworth low-pass of ``values`` (N, …), run forwards and backwards.

    With ``periodic`` the N samples are one period of an endless signal and are filtered as such.

    Raises:
        PreprocessingError: the cut-off is at or above the Nyquist frequency.
    """
    if cutoff_hz >= sampling_rate / 2:
        raise PreprocessingError(
            f"cutoff_hz = {cutoff_hz:g} Hz is not below the Nyquist frequency "
            f"{sampling_rate / 2:g} Hz of a recording sampled at {sampling_rate:g} Hz."
        )
    sections = _butterworth(cutoff_hz, order, sampling_rate)
    return _forwards_backwards(sections, values, sampling_rate / cutoff_hz, periodic)


def differentiate(values: Array, sampling_rate: float, *, periodic: bool = False) -> Array:
    """Central differences of ``values`` (N, n) over time; one-sided of second order at the ends."""
    if periodic:
        return (np.roll(values, -1, axis=0) - np.roll(values, 1, axis=0)) * sampling_rate / 2
    return np.asarray(np.gradient(values, 1 / sampling_rate, axis=0, edge_order=2))


def replace_outliers(values: Array, settings: MedianSettings) -> tuple[Array, int]:
    """Replace samples far from their running median by that median; returns also how many.

    "Far" is ``threshold`` robust standard deviations (1.4826 median absolute deviations): of the
    column, which tells spikes from noise, and of the samples beside it, which tells spikes from
    the bends of a smooth signal (Hampel's identifier). A thousandth of the column's range is never
    far: there a sensor shows its resolution.
    """
    median = ndimage.median_filter(values, size=(settings.order, 1), mode="nearest")
    difference = np.abs(values - median)
    threshold = 1.4826 * settings.threshold
    far = np.maximum(threshold * np.median(difference, axis=0), 1e-3 * np.ptp(median, axis=0))
    outlier = difference > far
    reach = settings.order // 2
    for column in range(values.shape[1]):
        at = np.flatnonzero(outlier[:, column])
        beside = np.clip(at[:, None] + np.arange(-reach, reach + 1), 0, len(values) - 1)
        deviation = np.abs(values[beside, column] - median[at, column, None])
        outlier[at, column] = difference[at, column] > threshold * np.median(deviation, axis=1)
    return np.where(outlier, median, values), int(outlier.sum())


def average_periods(values: Array, period: float, sampling_rate: float) -> tuple[Array, int]:
    """Mean over the whole periods that ``values`` (N, n) holds; returns it and their number.

    Where a period is no whole number of samples, every period is read off at the same phases.

    Raises:
        PreprocessingError: fewer than two whole periods.
    """
    length = period * sampling_rate
    periods = int(len(values) / length + 1e-9)
    if periods < 2:
        raise PreprocessingError(
            f"period = {period:g} s: the recording of {len(values) / sampling_rate:g} s holds "
            f"{periods} whole period(s); averaging needs at least 2."
        )
    samples = round(length)
    phases = np.arange(samples) * length / samples
    at = (phases[None, :] + length * np.arange(periods)[:, None]).ravel()
    index = np.arange(len(values))
    folded = np.stack([np.interp(at, index, column) for column in values.T], axis=1)
    return folded.reshape(periods, samples, -1).mean(axis=0), periods


@dataclass(frozen=True)
class ParallelFilter:
    """The same filter for torque and every regressor column, so that neither leads the other.

    A zero-phase Butterworth low-pass, then decimation behind an 8th-order Chebyshev low-pass
    (Gautier's parallel decimation). Without settings it passes everything through.
    """

    cutoff_hz: float | None
    order: int
    decimation: int
    sampling_rate: float

    @classmethod
    def from_settings(
        cls, settings: ParallelFilterSettings | None, sampling_rate: float
    ) -> ParallelFilter:
        """The filter that settings ask for, at a sampling rate [Hz]."""
        settings = settings or ParallelFilterSettings()
        return cls(settings.cutoff_hz, settings.order, settings.decimation, sampling_rate)

    @property
    def passes_through(self) -> bool:
        """Nothing is filtered and nothing left out."""
        return self.cutoff_hz is None and self.decimation == 1

    @property
    def margin(self) -> int:
        """Samples after which what came before no longer shows in the output."""
        settling = [0]
        if self.cutoff_hz is not None:
            sections = _butterworth(self.cutoff_hz, self.order, self.sampling_rate)
            settling.append(_settling_samples(sections))
        if self.decimation > 1:
            settling.append(_settling_samples(self._anti_alias()))
        return max(settling)

    def smooth(self, values: Array) -> Array:
        """Filter ``values`` (N, …) at the full rate."""
        if self.cutoff_hz is not None:
            values = low_pass(values, self.cutoff_hz, self.order, self.sampling_rate)
        if self.decimation > 1:
            values = _forwards_backwards(
                self._anti_alias(), values, 2.5 * self.decimation, periodic=False
            )
        return values

    def decimate(self, values: Array) -> Array:
        """Keep every ``decimation``-th of already smoothed samples."""
        return values[:: self.decimation]

    def _anti_alias(self) -> Sections:
        corner = 0.8 / self.decimation
        sections = signal.cheby1(_CHEBYSHEV_ORDER, _CHEBYSHEV_RIPPLE_DB, corner, output="sos")
        return np.asarray(sections)


def _butterworth(cutoff_hz: float, order: int, sampling_rate: float) -> Sections:
    return np.asarray(signal.butter(order, cutoff_hz, fs=sampling_rate, output="sos"))


def _settling_samples(sections: Sections) -> int:
    _, poles, _ = signal.sos2zpk(sections)
    return ceil(log(_SETTLED) / log(np.abs(poles).max()))


def _forwards_backwards(
    sections: Sections, values: Array, cutoff_period: float, periodic: bool
) -> Array:
    """Run second-order sections both ways, padded by what the slowest pole needs to settle."""
    pad = min(len(values) - 1, ceil(3 * cutoff_period))
    if periodic:
        repeats = 1 + ceil(_settling_samples(sections) / len(values))
        tiled = np.concatenate([values] * (2 * repeats + 1))
        start = repeats * len(values)
        return np.asarray(signal.sosfiltfilt(sections, tiled, axis=0))[start : start + len(values)]
    return np.asarray(signal.sosfiltfilt(sections, values, axis=0, padlen=pad))
