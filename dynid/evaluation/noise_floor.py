"""Noise of the recorded torque, which no model can explain."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.signals.filters import ParallelFilter, low_pass

if TYPE_CHECKING:
    from dynid.signals.settings import SignalSettings
    from dynid.signals.signals import Signals

_ORDERS = range(2, 7)  # of differences
_FEWEST = 50  # samples: of fewer no noise is estimated
_EXAMINED = 50_000  # samples
_SCATTER = 1.05  # of the estimates of two orders, two standard deviations for 4000 samples
_NORMAL = 1.4826  # standard deviation over median absolute value of a normal distribution


def noise_floor(signals: Sequence[Signals], settings: SignalSettings) -> Array:
    """Estimate the noise that is left in the filtered torque of each joint, (n,) [N m or N], rms.

    The white noise of the unfiltered torque times the gain of the filters. Noise that the drive has
    filtered before it was recorded is not detected, so this is a lower bound.
    """
    samples = np.array([len(one.time) for one in signals], dtype=np.float64)
    power = [(white_noise(one.raw_torque) * _gain(one, settings)) ** 2 for one in signals]
    return np.asarray(np.sqrt(samples @ np.array(power) / samples.sum()))


def white_noise(torque: Array) -> Array:
    """Estimate the standard deviation (n,) of white noise on torque (N, n).

    A difference of order p has the variance C(2p, p) σ² for white noise (Gasser, Sroka and
    Jennen-Steinmetz, Biometrika 73, 1986). What varies smoothly adds to low orders, and high orders
    scatter more: of several orders the lowest is used whose estimate is not larger than the
    smallest one beyond this scatter. The median is not affected by friction at reversals and by
    spikes.
    """
    if len(torque) < _FEWEST:
        return np.zeros(torque.shape[1])
    values = torque[:_EXAMINED]
    levels = np.array(
        [
            _NORMAL
            * np.median(np.abs(np.diff(values, order, axis=0)), axis=0)
            / np.sqrt(comb(2 * order, order))
            for order in _ORDERS
        ]
    )
    lowest = np.argmax(levels <= _SCATTER * levels.min(axis=0), axis=0)
    return np.asarray(np.take_along_axis(levels, lowest[None], axis=0)[0])


def _gain(signals: Signals, settings: SignalSettings) -> float:
    """Return the gain of all filters of torque for the rms of white noise: that of an impulse."""
    parallel = ParallelFilter.from_settings(settings.parallel_filter, signals.sampling_rate)
    impulse = np.zeros((len(signals.time), 1))
    impulse[len(impulse) // 2] = 1.0
    if settings.filter_torque and settings.cutoff_hz is not None:
        impulse = low_pass(
            impulse, settings.cutoff_hz, settings.filter_order, signals.sampling_rate
        )
    return float(np.linalg.norm(parallel.smooth(impulse)))
