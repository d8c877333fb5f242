"""Noise of the recorded torque, which no model can explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.signals.filters import ParallelFilter, low_pass

if TYPE_CHECKING:
    from dynid.signals.settings import SignalSettings
    from dynid.signals.signals import Signals


def noise_floor(signals: Sequence[Signals], settings: SignalSettings) -> Array:
    """Estimate the noise that is left in the filtered torque of each joint, (n,) [N m or N], rms.

    The white noise of the unfiltered torque times the gain of the filters. Noise that the drive has
    filtered before it was recorded is not detected, so this is a lower bound.
    """
    samples = np.array([len(recording.time) for recording in signals], dtype=np.float64)
    power = [(recording.white_noise * _gain(recording, settings)) ** 2 for recording in signals]
    return np.asarray(np.sqrt(samples @ np.array(power) / samples.sum()))


def _gain(signals: Signals, settings: SignalSettings) -> float:
    """Return the gain of all filters of torque for the rms of white noise: that of an impulse."""
    parallel = ParallelFilter.of(settings, signals.sampling_rate)
    impulse = np.zeros((len(signals.time), 1))
    impulse[len(impulse) // 2] = 1.0
    if settings.filter_torque and settings.motion_cutoff_hz is not None:
        impulse = low_pass(
            impulse, settings.motion_cutoff_hz, settings.filter_order, signals.sampling_rate
        )
    return float(np.linalg.norm(parallel.smooth(impulse)))
