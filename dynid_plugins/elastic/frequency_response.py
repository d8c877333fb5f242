"""Frequency response from the torque of a motor to its velocity, with coherence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.errors import RecordingError

_SEGMENTS = 6  # without overlap; more average more, with less resolution
_FEWEST_SAMPLES = 64  # of a segment
_HALF_OVERLAP = 1.89  # independent averages for each segment, of Hann windows that overlap by half
_COHERENT = 0.8  # noise alone is not, with so many averages


class FrequencyResponse(NamedTuple):
    """Response of a motor.

    Attributes:
        frequency: (F,) [Hz].
        response: (F,) complex, velocity over torque [rad/s/(N*m) or m/s/N].
        coherence: (F,) between 0 and 1.
        deviation: (F,) relative standard deviation of the response.
    """

    frequency: Array
    response: Array
    coherence: Array
    deviation: Array

    @property
    def coherent(self) -> Array:
        """Frequencies (F,) at which most of the velocity follows from the torque."""
        return np.asarray(self.coherence > _COHERENT)


def frequency_response(position: Array, torque: Array, rate: float) -> FrequencyResponse:
    """Return the response of a motor's velocity to its torque (Welch's method, Hann windows).

    Args:
        position: (N,) of the motor [rad or m].
        torque: (N,) of the motor [N*m or N].
        rate: sampling rate [Hz].

    Raises:
        RecordingError: the recording is too short.
    """
    length = len(position) // _SEGMENTS
    if length < _FEWEST_SAMPLES:
        raise RecordingError(
            f"{len(position)} samples are too few for a frequency response; record at least "
            f"{_SEGMENTS * _FEWEST_SAMPLES}."
        )
    spectra = {
        name: scipy.signal.csd(one, other, rate, nperseg=length, detrend="linear")
        for name, (one, other) in {
            "input": (torque, torque),
            "output": (position, position),
            "cross": (torque, position),
        }.items()
    }
    band = slice(2, -1)  # a Hann window mixes the first line with the trend that is removed
    frequency = spectra["cross"][0][band]
    given, reached, cross = (spectra[name][1][band] for name in ("input", "output", "cross"))
    coherence = np.clip(np.abs(cross) ** 2 / np.maximum((given * reached).real, 1e-300), 0, 1)
    averages = _HALF_OVERLAP * _SEGMENTS
    spread = np.sqrt((1 - coherence) / np.maximum(2 * averages * coherence, 1e-12))
    response = 2j * np.pi * frequency * cross / np.maximum(given.real, 1e-300)
    return FrequencyResponse(frequency, response, coherence, spread)
