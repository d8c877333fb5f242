"""What noise of positions does to accelerations, and these to the torque that they explain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.errors import relative_errors
from dynid.evaluation.hypotheses.trial import FLOOR
from dynid.signals.settings import SignalSettings

_MATTERING_SHARE = 0.5  # of the model's error at a joint


def acceleration_gain(case: Case) -> float:
    """Return the rms of filtered accelerations over that of white noise of positions [1/s^2].

    A low-pass of f leaves (2 π)² √(2 f⁵ / 5) times the root of the spectral density; without one,
    differences are of neighbouring samples.
    """
    rate = min(signals.sampling_rate for signals in case.signals)
    cutoff = case.robot.settings(SignalSettings).motion_cutoff_hz or rate
    filtered = (2 * np.pi) ** 2 * np.sqrt(2 / rate * cutoff**5 / 5)
    return float(min(filtered, np.sqrt(6) / 4 * rate**2))


def share_of_torque(case: Case, noise: Array) -> Array:
    """Return the torque of noise of accelerations over all torque, (n,), both rms.

    Args:
        case: with the model; else with the URDF's masses.
        noise: (m, n) of the decimated samples' accelerations.
    """
    position, velocity, acceleration = case.decimated.motion
    mechanism = case.model or case.mechanism
    moved = mechanism.inverse_dynamics(position, velocity, acceleration + noise)
    error = moved - mechanism.inverse_dynamics(position, velocity, acceleration)
    size, torque = (
        np.sqrt(np.mean(values**2, axis=0)) for values in (error, case.decimated.torque)
    )
    return np.asarray(np.divide(size, torque, out=np.zeros_like(size), where=torque > 0))


def matters(case: Case, share: Array) -> NDArray[np.bool_]:
    """Whether such a share of the torque (n,) is a large part of the model's error, (n,)."""
    error = relative_errors(case.comparisons) if case.comparisons else np.zeros_like(share)
    return np.asarray((share > FLOOR) & (share > _MATTERING_SHARE * error))
