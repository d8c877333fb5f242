"""Zero-phase filters along time (axis 0)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid._core import filter_zero_phase
from dynid.arrays import Array
from dynid.errors import PreprocessingError
from dynid.signals.settings import MedianSettings, ParallelFilterSettings, SignalSettings

Sections = NDArray[np.float64]

_SETTLED_RESPONSE = 1e-7  # to which the response of a filter's slowest pole has decayed
_CHEBYSHEV_ORDER = 8
_CHEBYSHEV_RIPPLE_DB = 0.05
_LEAST_PERIODS = 1e-4  # of a cut-off frequency, in all values
_DIFFERENCES = {
    2: np.array([-0.5, 0.0, 0.5]),
    6: np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / 60.0,
}
_ENDS = 3  # samples


def low_pass(
    values: Array, cutoff_hz: float, order: int, sampling_rate: float, *, periodic: bool = False
) -> Array:
    """Apply a Butterworth low-pass forwards and backwards, without a phase shift.

    Args:
        values: (N, …), time along axis 0.
        cutoff_hz: cut-off frequency [Hz], at which the amplitude is halved.
        order: of the filter.
        sampling_rate: [Hz].
        periodic: the N samples are one period of a periodic signal.

    Raises:
        PreprocessingError: the cut-off is at or above the Nyquist frequency, or far below any
            frequency of the values.
    """
    if cutoff_hz * len(values) < _LEAST_PERIODS * sampling_rate:
        raise PreprocessingError(
            f"cutoff_hz = {cutoff_hz:g} Hz leaves no motion of a recording that lasts "
            f"{len(values) / sampling_rate:.3g} s; it must be a frequency of the motion."
        )
    if cutoff_hz >= sampling_rate / 2:
        raise PreprocessingError(
            f"cutoff_hz = {cutoff_hz:g} Hz is not below the Nyquist frequency "
            f"{sampling_rate / 2:g} Hz of a recording sampled at {sampling_rate:g} Hz."
        )
    sections = _butterworth(cutoff_hz, order, sampling_rate)
    return _forwards_backwards(sections, values, sampling_rate / cutoff_hz, periodic)


def differentiate(
    values: Array, sampling_rate: float, *, periodic: bool = False, order: Literal[2, 6] = 2
) -> Array:
    """Differentiate ``values`` (N, n) over time by central differences.

    Args:
        values: (N, n).
        sampling_rate: [Hz].
        periodic: the samples are one period.
        order: of the differences (Fornberg, Mathematics of Computation 51, 1988, table 1). Of a
            sine with nine samples per cycle those of order 2 lose 8 %, those of order 6 0.1 %; of
            motion with jumps of the acceleration, as by dry friction, those of order 2 are nearer.
            At the ends, three samples each, they are of order 2.
    """
    weights = _DIFFERENCES[order] * sampling_rate
    mode = "wrap" if periodic else "nearest"
    slopes: Array = scipy.ndimage.correlate1d(values, weights, axis=0, mode=mode)
    if not periodic:
        for end, near in (
            (slice(_ENDS), slice(_ENDS + 1)),
            (slice(-_ENDS, None), slice(-_ENDS - 1, None)),
        ):
            plain = np.gradient(values[near], 1 / sampling_rate, axis=0, edge_order=2)
            slopes[end] = plain[end]
    return slopes


def replace_outliers(values: Array, settings: MedianSettings) -> tuple[Array, int]:
    """Replace outliers by their running median (Hampel's identifier).

    An outlier differs from the median by more than ``threshold`` robust standard deviations (1.4826
    median absolute deviations), both of the column, against noise, and of the adjacent samples,
    against curvature of a smooth signal. A difference below a thousandth of the column's range is
    sensor resolution and not an outlier.

    Args:
        values: (N, n).
        settings: order of the median, and threshold.

    Returns:
        The values (N, n) without outliers, and the number of outliers.
    """
    median = scipy.ndimage.median_filter(values, size=(settings.order, 1), mode="nearest")
    difference = np.abs(values - median)
    threshold = 1.4826 * settings.threshold
    far = np.maximum(threshold * np.median(difference, axis=0), 1e-3 * np.ptp(median, axis=0))
    outlier = difference > far
    reach = settings.order // 2
    for column in range(values.shape[1]):
        at = np.flatnonzero(outlier[:, column])
        beside = np.clip(at[:, None] + np.arange(-reach, reach + 1), 0, len(values) - 1)
        adjacent = np.abs(values[beside, column] - median[at, column, None])
        outlier[at, column] = difference[at, column] > threshold * np.median(adjacent, axis=1)
    return np.where(outlier, median, values), int(outlier.sum())


def average_periods(values: Array, period: float, sampling_rate: float) -> tuple[Array, int]:
    """Average the whole periods in ``values`` (N, n); return the mean period and their number.

    If a period is not a whole number of samples, every period is interpolated at the same phases.

    Raises:
        PreprocessingError: there are fewer than two whole periods.
    """
    length = period * sampling_rate
    periods = int(len(values) / length + 1e-9)
    if periods < 2:
        raise PreprocessingError(
            f"period = {period:g} s: the recording of {len(values) / sampling_rate:g} s contains "
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
    """The same filter for torque and every regressor column, so that there is no phase difference.

    A zero-phase Butterworth low-pass, then decimation after a Chebyshev low-pass of order 8
    (Gautier's parallel decimation). Without settings it does not change the signals.
    """

    cutoff_hz: float | None
    order: int
    decimation: int
    sampling_rate: float

    @classmethod
    def from_settings(
        cls, settings: ParallelFilterSettings | None, sampling_rate: float
    ) -> ParallelFilter:
        """Build the filter of the settings for a sampling rate [Hz]."""
        settings = settings or ParallelFilterSettings()
        return cls(settings.cutoff_hz, settings.order, settings.decimation, sampling_rate)

    @classmethod
    def of(cls, settings: SignalSettings, sampling_rate: float) -> ParallelFilter:
        """Build the filter of the signals' settings, of which it may be left to the data."""
        chosen = settings.explicit(sampling_rate).parallel_filter
        return cls.from_settings(None if chosen == "auto" else chosen, sampling_rate)

    @property
    def passes_through(self) -> bool:
        """Whether there is neither a low-pass nor decimation."""
        return self.cutoff_hz is None and self.decimation == 1

    @property
    def bandwidth_hz(self) -> float:
        """Lowest cut-off frequency [Hz]; infinity without a filter."""
        low = np.inf if self.cutoff_hz is None else self.cutoff_hz
        nyquist = self.sampling_rate / 2
        return (
            min(low, _anti_alias_corner(self.decimation) * nyquist) if self.decimation > 1 else low
        )

    @property
    def margin(self) -> int:
        """Length of the filter's transient [samples]."""
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
        """Keep every ``decimation``-th sample of smoothed values."""
        return values[:: self.decimation]

    def _anti_alias(self) -> Sections:
        return _chebyshev(_anti_alias_corner(self.decimation))


def _anti_alias_corner(decimation: int) -> float:
    """Return the corner of the Chebyshev low-pass over the Nyquist frequency."""
    return 0.8 / decimation


@lru_cache(maxsize=16)
def _chebyshev(corner: float) -> Sections:
    ripple = 10 ** (_CHEBYSHEV_RIPPLE_DB / 10) - 1
    angles = np.pi * (np.arange(1, _CHEBYSHEV_ORDER, 2) / (2 * _CHEBYSHEV_ORDER))
    poles = -np.sinh(np.arcsinh(ripple**-0.5) / _CHEBYSHEV_ORDER + 1j * angles)
    return _digital(poles, corner, (1 + ripple) ** -0.5)


@lru_cache(maxsize=16)
def _butterworth(cutoff_hz: float, order: int, sampling_rate: float) -> Sections:
    angles = np.pi * (np.arange(1 - order % 2, order, 2) / (2 * order))
    return _digital(-np.exp(1j * angles), 2 * cutoff_hz / sampling_rate, 1.0)


def _digital(poles: NDArray[np.complex128], corner: float, gain: float) -> Sections:
    """Return the sections (s, 6) of a low-pass by the bilinear transform.

    Not by scipy.signal, whose import alone takes as long as reading a recording.

    Args:
        poles: of the analogue low-pass with corner 1 rad/s, one of each pair; a real one first.
        corner: over the Nyquist frequency.
        gain: at 0 Hz.
    """
    warped = np.tan(np.pi * corner / 2) * poles
    roots = (1 + warped) / (1 - warped)
    real = np.abs(roots.imag) < 1e-12
    ones = np.ones(len(roots))
    below = np.column_stack(
        [ones, -np.where(real, 1, 2) * roots.real, np.where(real, 0, np.abs(roots) ** 2)]
    )
    above = np.column_stack([ones, np.where(real, 1, 2), np.where(real, 0, 1)])
    above *= (below.sum(axis=1) / above.sum(axis=1))[:, None]
    above[0] *= gain
    return np.hstack([above, below])


def _settling_samples(sections: Sections) -> int:
    first, second = sections[:, 4:].T  # of a pair of poles, or of a real one and 0
    radius = np.where(second > 0, np.sqrt(second), np.abs(first)).max()
    return ceil(log(_SETTLED_RESPONSE) / log(radius))


def _forwards_backwards(
    sections: Sections, values: Array, cutoff_period: float, periodic: bool
) -> Array:
    """Apply second-order sections forwards and backwards, padded by the transient."""
    rows = values.reshape(len(values), -1)
    if periodic:
        repeats = 1 + ceil(_settling_samples(sections) / len(values))
        start = repeats * len(values)
        tiled = np.concatenate([rows] * (2 * repeats + 1))
        filtered = filter_zero_phase(sections, tiled, 0)[start : start + len(values)]
    else:
        pad = min(len(values) - 1, ceil(3 * cutoff_period))
        filtered = filter_zero_phase(sections, rows, pad)
    return filtered.reshape(values.shape)
