"""The period of a motion that repeats, and parts of a motion to leave out of a fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.signals.signals import Signals

_EXAMINED = 4_000  # samples for the repetition
_DISTANCE_OF_A_CANDIDATE = 0.5  # mean squared distance over variance at a possible repetition
_DISTANCE_OF_A_REPETITION = 0.01  # median squared distance over variance at a repetition


def folds_of_motion(
    signals: Signals, folds: int, shortest: float, *, gaps: int = 2
) -> NDArray[np.intp]:
    """Return the fold of each sample, (N,) from 0, for cross-validation.

    Folds are parts of the motion that follow each other. Of a motion that repeats they divide its
    period, so that what is left out of a fit is left out of all repetitions. One gap can be all the
    motion in which a joint moves by itself, so that the error of other motion is less than that of
    a single long one.

    Args:
        signals: of a recording.
        folds: number of folds.
        shortest: duration [s] that a part of a period must have.
        gaps: parts of a period that are left out at a time, where they are long enough.
    """
    samples = np.arange(len(signals.time))
    period = repetition_period(signals) if folds > 1 else None
    length = float(len(samples))
    if period is not None and period / folds > shortest:
        gaps = gaps if period / folds > gaps * shortest else 1
        length = period * signals.sampling_rate / gaps
    parts = np.minimum(samples % length * folds / length, folds - 1).astype(np.intp)
    last = int(np.flatnonzero(np.diff(parts, prepend=-1))[-1])
    if last > 0 and 2 * (len(parts) - last) < length / folds:  # where the recording ends
        parts[last:] = parts[last - 1]
    return np.asarray(parts)


def repetition_period(signals: Signals) -> float | None:
    """Return the shortest period [s] of all joints' positions; None if there is none.

    The squared distance of x(t + T) and x(t) is used: its mean over t, from a Fourier transform,
    has a minimum at T. Its median there decides, because motion also begins and ends.
    """
    step = max(1, len(signals.time) // _EXAMINED)
    position = signals.position[::step] - signals.position.mean(axis=0)
    spread = position.std(axis=0)
    position = position[:, spread > 1e-6] / spread[spread > 1e-6]
    if position.shape[1] == 0:
        return None
    mean = _mean_distance(position)
    minima = 1 + np.flatnonzero((mean[1:-1] <= mean[:-2]) & (mean[1:-1] <= mean[2:]))
    for lag in minima[mean[minima] < _DISTANCE_OF_A_CANDIDATE]:
        distance = np.sum((position[lag:] - position[:-lag]) ** 2, axis=1)
        if np.median(distance) < _DISTANCE_OF_A_REPETITION * position.shape[1]:
            return float(lag * step / signals.sampling_rate)
    return None


def _mean_distance(position: Array) -> Array:
    """Return the mean over t of |x(t + T) - x(t)|² per joint, for lags T up to half the samples."""
    count, joints = position.shape
    spectrum = np.sum(np.abs(np.fft.rfft(position, 2 * count, axis=0)) ** 2, axis=1)
    lags = np.arange(count // 2)
    products = np.fft.irfft(spectrum)[lags]
    squares = np.concatenate([[0.0], np.cumsum(np.sum(position**2, axis=1))])
    early, late = squares[count - lags], squares[-1] - squares[lags]
    return np.asarray((early + late - 2 * products) / ((count - lags) * joints))
