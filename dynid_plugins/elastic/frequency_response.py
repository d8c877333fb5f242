"""Frequency response from the torque of a motor to its velocity, while it is excited."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy

from dynid.arrays import Array

_SEGMENTS = 6  # without overlap; more average more, with less resolution
_FEWEST_OF_A_SEGMENT = 64
_HALF_OVERLAP = 1.89  # independent averages for each segment, of Hann windows that overlap by half
_COHERENT = 0.8  # noise alone is not, with so many averages
_WINDOW = 1.0  # [s] in which one joint is excited
FEWEST_SAMPLES = _SEGMENTS * _FEWEST_OF_A_SEGMENT
"""Samples that a response needs."""


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


def excited_spans(position: Array, torque: Array, rate: float) -> list[slice]:
    """Return the longest span in which each joint is excited: its motor works more than others.

    Motors that hold their joints against another one's motion also have a coherent response, which
    is that of the arm.

    Args:
        position: (N, n) of the motors [rad or m].
        torque: (N, n) of the motors [N*m or N].
        rate: sampling rate [Hz].
    """
    starts = np.arange(0, len(position), max(1, round(_WINDOW * rate)))
    parts = [np.split(values, starts[1:]) for values in (position, torque)]
    work = [np.std(moved, axis=0) * np.std(by, axis=0) for moved, by in zip(*parts, strict=True)]
    strongest = np.argmax(work, axis=1)
    bounds = np.concatenate([[0], np.flatnonzero(np.diff(strongest)) + 1, [len(strongest)]])
    ends = np.append(starts, len(position))[bounds]
    spans = [slice(0, 0)] * position.shape[1]
    for joint, (begin, end) in zip(strongest[bounds[:-1]], pairwise(ends.tolist()), strict=True):
        if end - begin > spans[joint].stop - spans[joint].start:
            spans[joint] = slice(begin, end)
    return spans


def frequency_response(position: Array, torque: Array, rate: float) -> FrequencyResponse:
    """Return the response of a motor's velocity to its torque (Welch's method, Hann windows).

    Args:
        position: (N,) of the motor, at least ``FEWEST_SAMPLES`` [rad or m].
        torque: (N,) of the motor [N*m or N].
        rate: sampling rate [Hz].
    """
    length = len(position) // _SEGMENTS
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
