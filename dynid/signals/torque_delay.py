"""Motion at the instants of a torque that was recorded later or earlier than it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dynid.recording.interpolation import spline
from dynid.signals.signals import Signals

_WHOLE = 1e-6  # [samples] from a whole number of them
_MOTION = ("position", "velocity", "acceleration", "raw_position")


def with_torque_delay(signals: Signals, delay: float) -> Signals:
    """Return signals whose motion at each instant is that to which the recorded torque belongs.

    Torque stays as it was recorded: to interpolate it would reduce its noise. At the ends, where
    there is no motion to interpolate, the first or last one is held.

    Args:
        signals: as recorded.
        delay: by which torque is recorded later than motion; negative: earlier [s].
    """
    if delay == 0:
        return signals
    samples = np.arange(len(signals.time), dtype=np.float64)
    at = np.clip(samples - delay * signals.sampling_rate, 0.0, samples[-1])
    nearest = np.rint(at).astype(np.intp)
    whole = np.abs(at - nearest).max() < _WHOLE
    moved: dict[str, Any] = {
        name: values[nearest] if whole else spline(samples, values, at)
        for name, values in ((name, getattr(signals, name)) for name in _MOTION)
    }
    return replace(signals, **moved)
