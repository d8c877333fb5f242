"""The noise of positions and velocities, below which no friction is sought."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.arrays import Array
from dynid.identification.dead_bands import finest_step
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals

_WINDOW = 1.0  # [s]
_STATIONARY = 1.5  # a window's range of positions over that of its halves; 2 in steady motion


def motion_noise(
    robot: Robot, recordings: Sequence[Recording], signals: Sequence[Signals]
) -> tuple[Array, Array]:
    """Return the noise of positions and velocities at rest, or else in motion; (n,) each."""
    # the robot's settings may remove rest
    settings = robot.settings(IdentificationSettings).model_copy(
        update={"trim_rest": False, "period": None}
    )
    whole = robot.with_settings(settings)
    position, velocity = noise_at_rest([preprocess(recording, whole) for recording in recordings])
    cutoff, rate = settings.motion_cutoff_hz, signals[0].sampling_rate
    if cutoff is None:
        return position, velocity
    # the low-pass removed the part of white noise above its cut-off
    removed = np.median([_spread(piece.raw_position - piece.position) for piece in signals], axis=0)
    share = cutoff / (0.5 * rate)
    passed = removed * np.sqrt(share / max(1.0 - share, share))
    speed = passed * 2 * np.pi * cutoff / np.sqrt(3)
    return (
        np.where(position > 0, position, 2 * passed),
        np.where(velocity > 0, velocity, speed),
    )


def _spread(values: Array) -> Array:
    """Return a robust standard deviation of each column."""
    return np.asarray(1.4826 * np.median(np.abs(values - np.median(values, axis=0)), axis=0))


def noise_at_rest(signals: Sequence[Signals]) -> tuple[Array, Array]:
    """Estimate half the range of positions at rest, and the velocity's root mean square.

    The range is at least a step of the positions.

    Windows in which a joint creeps are left out: there the range of the positions is twice that of
    each half of the window.

    Args:
        signals: one per recording, including rest.

    Returns:
        (n,) each [rad or m], [rad/s or m/s]; zeros if no recording contains a second of rest.
    """
    joints = len(signals[0].joint_names)
    widths, speeds = [np.zeros((0, joints))], [np.zeros((0, joints))]
    for piece in signals:
        half = max(1, round(0.5 * _WINDOW * piece.sampling_rate))
        count = len(piece.time) // (2 * half)
        shape = (count, 2, half, joints)
        rests = ~piece.moving[: count * 2 * half].reshape(shape).any(axis=(1, 2, 3))
        position = piece.position[: count * 2 * half].reshape(shape)[rests]
        velocity = piece.velocity[: count * 2 * half].reshape(shape)[rests]
        width, parts = np.ptp(position, axis=(1, 2)), np.ptp(position, axis=2).max(axis=1)
        still = width <= _STATIONARY * parts
        widths.append(np.where(still, 0.5 * width, np.nan))
        speeds.append(np.where(still, np.sqrt(np.mean(velocity**2, axis=(1, 2))), np.nan))
    width, speed = np.concatenate(widths), np.concatenate(speeds)
    steps = finest_step([s.position_step for s in signals if s.position_step is not None])
    return np.maximum(_median(width), steps / 2), _median(speed)


def _median(values: Array) -> Array:
    """Return the median of each column without NaN, 0 where there is none; (n,)."""
    known = [column[np.isfinite(column)] for column in values.T]
    return np.array([np.median(column) if len(column) else 0.0 for column in known])
