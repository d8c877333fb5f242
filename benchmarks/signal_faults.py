"""Signals that contradict each other, in simulated recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from faulty_robots import Subject, Trial, any_joint, changed

from dynid.arrays import Array
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording

_DEAD_BAND = 0.3  # of the standard deviation of effort
_LOST = 12  # samples at a time
_HELD = 3  # samples
_COARSE = 10  # samples
_JITTER = 0.005  # [s]
_PLAY = 0.05  # [rad or m]


def _with_measured_velocity(subject: Subject, recording: Recording) -> Trial:
    model = changed(subject.robot, IdentificationSettings, velocity="measured")
    if recording.velocity is None:
        velocity = np.gradient(recording.position, recording.time, axis=0)
        recording = replace(recording, velocity=velocity)
    return subject.trial(recording, model)


def flipped_velocity(subject: Subject, seed: int) -> Trial:
    """Invert the sign of one joint's velocity, which is used as measured."""
    trial = _with_measured_velocity(subject, subject.recorded(seed))
    signs = np.where(np.arange(subject.joints) == any_joint(subject, seed), -1.0, 1.0)
    velocity = np.asarray(trial.recording.velocity) * signs
    return subject.trial(replace(trial.recording, velocity=velocity), trial.robot)


def stretched_time(subject: Subject, seed: int) -> Trial:
    """Stretch all stamps by a fifth."""
    trial = _with_measured_velocity(subject, subject.recorded(seed))
    time, rate = 1.2 * trial.recording.time, trial.recording.sampling_rate / 1.2
    return subject.trial(replace(trial.recording, time=time, sampling_rate=rate), trial.robot)


def backlash(subject: Subject, seed: int) -> Trial:
    """Let the position of one joint, not its velocity, be that of the motor before a loose gear."""
    recording, joint = subject.recorded(seed), any_joint(subject, seed)
    effort = recording.effort[:, joint]
    position, velocity = recording.position.copy(), recording.velocity
    if velocity is None:
        velocity = np.gradient(position, recording.time, axis=0)
    position[:, joint] += _PLAY / 2 * np.tanh(effort / (0.05 * effort.std()))
    return subject.trial(
        replace(recording, position=position, velocity=velocity, position_step=None)
    )


def slipped_encoder(subject: Subject, seed: int) -> Trial:
    """Let the encoder of one joint slip by a tenth of its range in the middle of the motion."""
    trial = _with_measured_velocity(subject, subject.recorded(seed))
    recording, joint = trial.recording, any_joint(subject, seed)
    position = recording.position.copy()
    position[len(position) // 2 :, joint] += 0.1 * np.ptp(position[:, joint])
    return subject.trial(replace(recording, position=position, position_step=None), trial.robot)


def wrapped_position(subject: Subject, seed: int) -> Trial:
    """Let the position of one joint jump back by a turn in the middle of its range."""
    recording, joint = subject.recorded(seed), any_joint(subject, seed)
    position = recording.position.copy()
    position[position[:, joint] > np.median(position[:, joint]), joint] -= 2 * np.pi
    return subject.trial(replace(recording, position=position, position_step=None))


def beyond_limits(subject: Subject, seed: int) -> Trial:
    """Let the zero of the first joint, whose axis is vertical, be off by more than its range."""
    recording, limits = subject.recorded(seed), np.asarray(subject.robot.limits.position)
    position = recording.position.copy()
    position[:, 0] += 1.2 * np.ptp(limits[0])
    return subject.trial(replace(recording, position=position, position_step=None))


def unsigned_effort(subject: Subject, seed: int) -> Trial:
    """Record the magnitude of all efforts."""
    recording = subject.recorded(seed)
    return subject.trial(replace(recording, effort=np.abs(recording.effort)))


def copied_effort(subject: Subject, seed: int) -> Trial:
    """Record the effort of one drive for another one too."""
    recording, (first, second) = subject.recorded(seed), subject.pair
    effort = recording.effort.copy()
    effort[:, second] = effort[:, first]
    return subject.trial(replace(recording, effort=effort))


def lost_behind_stamps(subject: Subject, seed: int) -> Trial:
    """Lose samples at several places, and count the others as if there were all of them."""
    recording = subject.recorded(seed)
    kept = np.ones(len(recording.time), dtype=bool)
    speed = np.abs(np.gradient(recording.position, axis=0))
    fast = (speed / speed.max(axis=0)).min(axis=1)
    for part in np.array_split(np.arange(len(kept)), 12)[1:-1]:
        first = int(part[np.argmax(fast[part])])
        kept[first : first + _LOST] = False
    return subject.trial(
        replace(
            recording,
            time=recording.time[: kept.sum()],
            position=recording.position[kept],
            velocity=None if recording.velocity is None else recording.velocity[kept],
            effort=recording.effort[kept],
        )
    )


def jittering(subject: Subject, seed: int) -> Trial:
    """Sample every tenth time, up to 5 ms earlier or later than counted."""
    recording = subject.recorded(seed)
    time = recording.time[::_COARSE]
    late = np.random.default_rng(seed).uniform(-_JITTER, _JITTER, len(time))
    at = np.clip(time + late, time[0], time[-1])

    def sampled(values: Array) -> Array:
        return np.column_stack([np.interp(at, recording.time, column) for column in values.T])

    return subject.trial(
        replace(
            recording,
            time=time,
            position=sampled(recording.position),
            velocity=None if recording.velocity is None else sampled(recording.velocity),
            effort=sampled(recording.effort),
            sampling_rate=recording.sampling_rate / _COARSE,
        )
    )


def dead_band(subject: Subject, seed: int) -> Trial:
    """Report small efforts of one drive as 0."""
    recording, joint = subject.recorded(seed), any_joint(subject, seed)
    effort = recording.effort.copy()
    column = effort[:, joint]
    column[np.abs(column) < _DEAD_BAND * column.std()] = 0.0
    return subject.trial(replace(recording, effort=effort))


def held_position(subject: Subject, seed: int) -> Trial:
    """Update positions in every third cycle only, beside velocities of every cycle."""
    trial = _with_measured_velocity(subject, subject.recorded(seed))
    last = np.arange(len(trial.recording.time)) // _HELD * _HELD
    position = trial.recording.position[last]
    held = replace(trial.recording, position=position, position_step=None)
    return subject.trial(held)
