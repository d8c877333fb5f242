"""Harmonics of positions and torques in the recording of a multisine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.errors import RecordingError
from dynid.excitation.settings import FourierSettings
from dynid.recording.model import Recording, source_names
from dynid.robot.robot import Robot
from dynid_plugins.elastic.multisine import waves_of

_MOVING = 0.01  # of the largest distance from the start: the motion has begun
_NEIGHBOURS = 6  # harmonics left out that show the distortion around a wave
_STANDING_OUT = 3.0  # size of nearly all waves, over that of harmonics left out
_INEXACT = 0.05  # of the torque
_FEWEST_PERIODS = 2  # after the transient one
_SAMPLES_OF_WAVE = 4  # for each period, at least
_SAMPLES_OF_SIGN = 16  # likewise, of the fastest wave: a sign has harmonics without end


@dataclass(frozen=True, eq=False)
class Harmonics:
    """Even harmonics in the band of a multisine, as means over its periods.

    Attributes:
        joint: number of the one that is excited, from 0.
        frequency: (F,) [Hz].
        excited: (F,) whether a harmonic is a wave, or left out.
        position: (F, n) complex, of all motors [rad or m].
        torque: (F,) complex, of the excited joint [N*m or N].
        direction: (F,) complex, of the sign of the excited motor's velocity.
        scatter: (F,) standard deviation of the torque by its periods [N*m or N].
        positions: (K, n) samples of one period.
    """

    joint: int
    frequency: Array
    excited: NDArray[np.bool_]
    position: NDArray[np.complex128]
    torque: NDArray[np.complex128]
    direction: NDArray[np.complex128]
    scatter: Array
    positions: Array

    def deviation(self, error: NDArray[np.complex128]) -> Array:
        """Return the standard deviation (F,) of the torque by a model's error (F,).

        That at harmonics that are left out, next to each one: whatever a linear model does not
        explain there, such as friction, it does not at waves either. And the scatter of periods,
        and a share of the torque: inertia and gravity change with the swing.
        """
        out = np.flatnonzero(~self.excited)
        near = np.argsort(np.abs(out[:, np.newaxis] - np.arange(len(error))), axis=0)
        size = np.abs(error[out][near[:_NEIGHBOURS]]) ** 2
        inexact = (_INEXACT * np.abs(self.torque)) ** 2
        return np.asarray(np.sqrt(size.mean(axis=0) + self.scatter**2 + inexact))


def harmonics_of(recording: Recording, robot: Robot, multisine: FourierSettings) -> Harmonics:
    """Return the harmonics of the joint that moves most.

    Args:
        recording: of the whole motion, of the motors.
        robot: with the factors of its drives.
        multisine: of any joint; those of the other joints have the same waves.

    Raises:
        ConfigurationError: the excitation is no multisine.
        RecordingError: the recording is too short, sampled too slowly, or of another motion.
    """
    waves, name = waves_of(multisine), source_names(recording.sources) or "a recording"
    period, rate = 1 / multisine.base_frequency, recording.sampling_rate
    if rate < _SAMPLES_OF_WAVE * waves[-1] / period:
        raise RecordingError(
            f"{name} has {rate:.4g} samples in a second, expected at least "
            f"{_SAMPLES_OF_WAVE * waves[-1] / period:.4g} for waves of {waves[-1] / period:.4g} Hz."
        )
    span = _steady(recording, multisine)
    periods = int((span[1] - span[0]) / period + 1e-6)
    if periods < _FEWEST_PERIODS:
        raise RecordingError(
            f"{name} has {max(periods, 0)} whole periods of {period:g} s after the first "
            f"one, expected at least {_FEWEST_PERIODS}; record the whole motion."
        )
    count = int(np.ceil(rate * period))
    time = span[0] + period / count * np.arange(periods * count)
    joint = int(np.argmax(np.std(recording.position, axis=0)))
    torque = recording.effort[:, joint] * robot.drives.torque_factor(len(robot.joints))[joint]
    columns = np.column_stack([recording.position, torque])
    even = scipy.interpolate.CubicSpline(recording.time, columns)(time)
    spectra = np.fft.rfft(even.reshape(periods, count, -1), axis=1) * (2 / count)
    lines = np.arange(waves[0], waves[-1] + 1, 2)
    excited = np.isin(lines, waves)
    mean, scatter = spectra.mean(axis=0), spectra[:, lines, -1].std(axis=0, ddof=1)
    means, direction = mean[lines], _direction(mean[: lines[-1] + 1, joint])[lines]
    size = np.abs(means[:, joint]) * lines
    if _STANDING_OUT * np.median(size[~excited]) > np.percentile(size[excited], 10):
        raise RecordingError(
            f"{name} moves at other frequencies than the multisine; name the excitation that was "
            "played."
        )
    return Harmonics(
        joint,
        lines / period,
        excited,
        means[:, :-1],
        means[:, -1],
        direction,
        scatter / np.sqrt(periods),
        even[:count, :-1],
    )


def _direction(position: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Return harmonics (F,) of the sign of the velocity, of those of the position (F,)."""
    samples = 2 * _SAMPLES_OF_SIGN * len(position)
    velocity = np.fft.irfft(1j * np.arange(len(position)) * position, samples)
    return np.asarray(np.fft.rfft(np.sign(velocity))[: len(position)] * (2 / samples))


def _steady(recording: Recording, multisine: FourierSettings) -> tuple[float, float]:
    """Return begin and end of the periods after the first one [s]."""
    position = recording.position
    away = np.abs(position - position[0]).max(axis=1)
    moving = recording.time[np.flatnonzero(away > _MOVING * away.max())[[0, -1]]]
    half = 0.5 * multisine.periods / multisine.base_frequency
    middle = 0.5 * float(moving.sum())
    begin = max(middle - half, float(recording.time[0])) + 1 / multisine.base_frequency
    return begin, min(middle + half, float(moving[1]))
