"""Faults that a diagnosis finds by refits: of signs, channels, zeros, contact and recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from faulty_robots import Subject, Trial, any_joint

from dynid.arrays import Array

_DISTURBANCE = 0.8  # of the standard deviation of effort
_PUSH = 1.0  # of the largest effort
_PUSHED = (0.4, 0.43)  # of the recording
_UNLIKE = 1.4  # factor of the torque in one of two recordings
_ZERO = 0.6  # [rad]
_RATIO = 1.25  # of positions
_CLOCK = 1.05  # of the time between samples
_LEAD = 0.01  # [m] per turn
_ECCENTRIC = 0.3  # of the standard deviation of effort
_PLAYS = (0.1, 0.2, 0.4, 0.8)  # of the same


def reversed_joint(subject: Subject, seed: int) -> Trial:
    """Count position, velocity and effort of the heavy joint the other way."""
    recording = subject.recorded(seed)
    sign = np.where(np.arange(subject.joints) == subject.heavy, -1.0, 1.0)
    velocity = None if recording.velocity is None else recording.velocity * sign
    position, effort = recording.position * sign, recording.effort * sign
    return subject.trial(
        replace(recording, position=position, velocity=velocity, effort=effort, position_step=None)
    )


def swapped_channels(subject: Subject, seed: int) -> Trial:
    """Exchange the efforts of the first two joints."""
    recording = subject.recorded(seed)
    order = [1, 0, *range(2, subject.joints)]
    return subject.trial(replace(recording, effort=recording.effort[:, order]))


def moved_zero(subject: Subject, seed: int) -> Trial:
    """Count the position of the second joint from another zero."""
    recording = subject.recorded(seed)
    zero = _at_second(subject, _ZERO, 0.0)
    return subject.trial(replace(recording, position=recording.position + zero))


def stretched(subject: Subject, seed: int) -> Trial:
    """Count the position of the second joint with another gear ratio."""
    recording = subject.recorded(seed)
    ratio = _at_second(subject, _RATIO, 1.0)
    velocity = None if recording.velocity is None else recording.velocity * ratio
    position = recording.position * ratio
    return subject.trial(
        replace(recording, position=position, velocity=velocity, position_step=None)
    )


def geared(subject: Subject, seed: int) -> Trial:
    """Compute position and torque of the second joint with another gear ratio."""
    trial = stretched(subject, seed)
    ratio = _at_second(subject, _RATIO, 1.0)
    return subject.trial(replace(trial.recording, effort=trial.recording.effort / ratio))


def _at_second(subject: Subject, value: float, others: float) -> Array:
    return np.where(np.arange(subject.joints) == 1, value, others)


def pushed(subject: Subject, seed: int) -> Trial:
    """Push one joint for a short time."""
    recording, joint = subject.recorded(seed), any_joint(subject, seed)
    effort = recording.effort.copy()
    first, past = (round(share * len(effort)) for share in _PUSHED)
    effort[first:past, joint] += _PUSH * np.abs(effort[:, joint]).max()
    return subject.trial(replace(recording, effort=effort))


def unlike_recordings(subject: Subject, seed: int) -> Trial:
    """Record a second time with another torque factor of the heavy joint."""
    first, second = subject.recorded(seed), subject.recorded(seed + 1)
    factors = np.where(np.arange(subject.joints) == subject.heavy, _UNLIKE, 1.0)
    return replace(subject.trial(first), others=(replace(second, effort=second.effort * factors),))


def disturbed(subject: Subject, seed: int) -> Trial:
    """Add a slow random torque, that nothing explains, to one joint."""
    recording, joint = subject.recorded(seed), any_joint(subject, seed)
    random = np.random.default_rng(seed).standard_normal(len(recording.time))
    shape = np.hanning(round(0.5 * recording.sampling_rate))
    slow = np.convolve(random, shape, mode="same")
    effort = recording.effort.copy()
    effort[:, joint] += _DISTURBANCE * effort[:, joint].std() * slow / slow.std()
    return subject.trial(replace(recording, effort=effort))


def slow_clock(subject: Subject, seed: int) -> Trial:
    """Record a second time by a clock that is a twentieth too slow, without velocities."""
    first, second = subject.recorded(seed), subject.recorded(seed + 1)
    time, rate = second.time / _CLOCK, second.sampling_rate * _CLOCK
    slow = replace(second, time=time, velocity=None, sampling_rate=rate)
    return replace(subject.trial(replace(first, velocity=None)), others=(slow,))


def swapped_once(subject: Subject, seed: int) -> Trial:
    """Record a second time with the efforts of the first two joints exchanged."""
    first, second = subject.recorded(seed), subject.recorded(seed + 1)
    swapped = replace(second, effort=second.effort[:, [1, 0, *range(2, subject.joints)]])
    return replace(subject.trial(first), others=(swapped,))


def before_a_screw(subject: Subject, seed: int) -> Trial:
    """Record slides at the motor before a screw of 10 mm per turn."""
    recording, slides = subject.recorded(seed), np.array(subject.robot.mechanism().prismatic)
    ratio = np.where(slides, 2 * np.pi / _LEAD, 1.0)
    position, effort = recording.position * ratio, recording.effort / ratio
    velocity = None if recording.velocity is None else recording.velocity * ratio
    return subject.trial(
        replace(recording, position=position, velocity=velocity, effort=effort, position_step=None)
    )


def eccentric(subject: Subject, seed: int) -> Trial:
    """Let the friction of the heavy joint rise and fall once per turn."""
    recording, joint = subject.recorded(seed), subject.heavy
    position, effort = recording.position[:, joint], recording.effort.copy()
    sign = np.sign(np.gradient(position))
    effort[:, joint] += _ECCENTRIC * effort[:, joint].std() * np.cos(position) * sign
    return subject.trial(replace(recording, effort=effort))


def hysteresis(subject: Subject, seed: int) -> Trial:
    """Measure the effort of the heavy joint behind plays of several widths."""
    recording, joint = subject.recorded(seed), subject.heavy
    effort, size = recording.effort.copy(), float(recording.effort[:, joint].std())
    parts = [behind_play(effort[:, joint], share * size) for share in _PLAYS]
    effort[:, joint] = np.mean(parts, axis=0)
    return subject.trial(replace(recording, effort=effort))


def behind_play(values: Array, half: float) -> Array:
    """Return what follows values (N,) only when they are more than ``half`` away."""
    followed, state = np.empty_like(values), float(values[0])
    for row, value in enumerate(values.tolist()):
        state = min(max(state, value - half), value + half)
        followed[row] = state
    return followed
