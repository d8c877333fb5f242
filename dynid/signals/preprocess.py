"""Preprocessing: units, coupling, outliers, filters, derivatives, and detection of motion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.errors import PreprocessingError
from dynid.recording.gaps import gap_list
from dynid.recording.model import FEWEST_SAMPLES, Recording, source_names
from dynid.recording.settings import RecordingSettings
from dynid.robot.limits import Limits
from dynid.robot.robot import Robot
from dynid.signals.filters import average_periods, low_pass, replace_outliers
from dynid.signals.first_play import first_play
from dynid.signals.kalman_smoother import KalmanSmoother
from dynid.signals.motion_filter import DifferenceFilter, MotionFilter
from dynid.signals.settings import MedianSettings, SignalSettings, VelocityThreshold
from dynid.signals.signals import Signals
from dynid.signals.torque_delay import with_torque_delay
from dynid.signals.torque_spikes import bridged, brief_spikes
from dynid.text import percent

_STANDSTILL_SHARE = 0.005  # of the velocity limit: slower motion is noise
# [rad/s or m/s] higher limits, as in URDFs without real ones, say nothing
_HIGHEST_USABLE_LIMIT = 10.0
_MOST_UNSETTLED = 0.1  # of the samples, at each end
_STANDSTILL = 1e-6  # [rad/s or m/s] rounding errors of a filter at rest


@dataclass(frozen=True)
class _Track:
    """Motion and torque at the joints between the steps; all (N, n)."""

    position: Array
    velocity: Array | None
    torque: Array

    def cut(self, span: slice) -> _Track:
        velocity = None if self.velocity is None else self.velocity[span]
        return _Track(self.position[span], velocity, self.torque[span])


def preprocess(recording: Recording, robot: Robot, *, unsettled: bool = False) -> Signals:
    """Convert a recording to joint-side signals by the steps of the robot's settings.

    Args:
        recording: of the robot.
        robot: with the settings.
        unsettled: keep the ends of a recording cut in motion, where filters have not settled.

    Raises:
        PreprocessingError: a cut-off, period or threshold does not fit this recording.
    """
    rate = recording.sampling_rate
    settings = robot.settings(SignalSettings).explicit(rate)
    robot = robot.with_settings(settings)
    check_joints(recording, robot)
    _refuse_gaps(recording)
    _check_derivatives(settings)
    notes = list(recording.repairs)
    track = _joint_side(recording, robot)
    if settings.median is not None:
        track, outliers = _without_outliers(track, settings.median)
        order = settings.median.order
        notes.append(f"{outliers} outliers were replaced by the median of order {order}.")
    time = recording.time
    missing = recording.missing
    recorded = track.torque
    # a torque that follows from commands jumps with each of them
    measured = robot.drives.effort != "position_command"
    if measured and (spikes := brief_spikes(recorded, missing, rate)).any():
        missing = spikes if missing is None else missing | spikes
        track = replace(track, torque=bridged(recorded, missing))
        notes.append(
            f"{int(spikes.sum())} samples ({percent(float(spikes.mean()))}) were left out: the "
            "torque of a joint is far from that just before and after, for too short a time to "
            "move it."
        )
    if settings.period is not None:
        track, time, rate = _averaged(track, time, rate, settings.period, robot, notes)
        missing = None  # of one period or another, most are measured
    filtered = with_torque_delay(_filtered(track, time, rate, robot), settings.decided_torque_delay)
    signals = replace(filtered, missing=missing, piece=recording.piece)
    if settings.period is None:
        signals = replace(signals, raw_torque=recorded)
    notes += _smoother_note(signals)
    span = slice(0, len(time))
    if settings.trim_rest and settings.period is None:
        span = _moving_span(signals.moving)
        needed = 2 * settling_samples(settings, rate) + FEWEST_SAMPLES
        if recording.piece is not None and span.stop - span.start < needed:
            span = slice(0, len(time))  # of a piece between gaps that hardly moves
        notes += _trim_note(span, len(time), rate)
    border = round(min(settings.border * rate, len(recording.time)))
    first, last = (0, 0) if unsettled else _unsettled(signals, span, settings)
    if recording.piece is None:
        notes += _unsettled_note(first, last, border, rate)
    step = recorded_steps(recording, robot)
    play = first_play(track.position, step, rate)
    signals = replace(signals, notes=tuple(notes), position_step=step, first_play=play)
    signals = _cut(signals, span, max(first, border), max(last, border))
    if settings.period is None:
        return replace(signals, temperature=recording.temperature)
    if recording.temperature is not None:
        note = "Temperatures were left out: they do not belong to an averaged period."
        signals = replace(signals, notes=(*signals.notes, note))
    # the same period comes before a periodic motion
    return replace(signals, earlier_position=signals.position, earlier_velocity=signals.velocity)


def recorded_steps(recording: Recording, robot: Robot) -> Array:
    """Return the step between recorded positions at each joint (n,), 0 where there is none."""
    steps = np.asarray(recording.position_step)
    if robot.settings(RecordingSettings).side == "joint" or robot.coupling is None:
        return steps
    return np.asarray(np.abs(np.array(robot.coupling)) @ steps)


def _joint_side(recording: Recording, robot: Robot) -> _Track:
    torque = recording.effort * robot.drives.torque_factor(len(robot.joints))
    track = _Track(recording.position, recording.velocity, torque)
    if robot.settings(RecordingSettings).side == "joint" or robot.coupling is None:
        return track
    coupling = np.array(robot.coupling)  # q_j = T q_m, tau_j = T^-T tau_m
    velocity = None if track.velocity is None else track.velocity @ coupling.T
    return _Track(track.position @ coupling.T, velocity, track.torque @ np.linalg.inv(coupling))


def _without_outliers(track: _Track, settings: MedianSettings) -> tuple[_Track, int]:
    cleaned, outliers = {}, 0
    for name in ("position", "velocity", "torque"):
        values = getattr(track, name)
        if values is not None:
            cleaned[name], replaced = replace_outliers(values, settings)
            outliers += replaced
    return replace(track, **cleaned), outliers


def _averaged(
    track: _Track, time: Array, rate: float, period: float, robot: Robot, notes: list[str]
) -> tuple[_Track, Array, float]:
    """Return one mean period, its time and rate; append what was left out to ``notes``."""
    settings = robot.settings(SignalSettings)
    if settings.trim_rest:
        # the whole recording, with rest at its ends, is not periodic
        (_, velocity, _), _ = _motion(track, settings.model_copy(update={"period": None}), rate)
        _, moving = _moving(velocity, settings.velocity_threshold, robot.limits)
        span = _completed(_moving_span(moving), period * rate, len(time))
        notes += _trim_note(span, len(time), rate)
        track, time = track.cut(span), time[span]
    track, periods = _mean_period(track, period, rate)
    notes.append(f"{periods} periods of {period:g} s were averaged.")
    # the rate changes if a period is not a whole number of samples
    rate = len(track.position) / period
    return track, time[0] + np.arange(len(track.position)) / rate, rate


def _mean_period(track: _Track, period: float, rate: float) -> tuple[_Track, int]:
    position, periods = average_periods(track.position, period, rate)
    torque, _ = average_periods(track.torque, period, rate)
    velocity = None if track.velocity is None else average_periods(track.velocity, period, rate)[0]
    return _Track(position, velocity, torque), periods


def _filtered(track: _Track, time: Array, rate: float, robot: Robot) -> Signals:
    settings = robot.settings(SignalSettings)
    (position, velocity, acceleration), motion_filter = _motion(track, settings, rate)
    torque = track.torque
    cutoff = settings.motion_cutoff_hz
    if settings.filter_torque and cutoff is not None:
        torque = low_pass(
            torque, cutoff, settings.filter_order, rate, periodic=settings.period is not None
        )
    lower, moving = _moving(velocity, settings.velocity_threshold, robot.limits)
    factor = robot.drives.torque_factor(len(robot.joints))
    coupled = robot.coupling is not None and robot.settings(RecordingSettings).side == "motor"
    return Signals(
        joint_names=robot.joints,
        time=time,
        position=position,
        velocity=velocity,
        acceleration=acceleration,
        torque=torque,
        raw_position=track.position,
        raw_torque=track.torque,
        moving=moving,
        velocity_threshold=lower,
        # with a coupling an error belongs to no single drive, so it is given as torque
        torque_per_effort=np.ones_like(factor) if coupled else factor,
        effort_unit="N*m" if coupled else robot.drives.effort_unit,
        sampling_rate=rate,
        motion_filter=motion_filter,
    )


def _motion(
    track: _Track, settings: SignalSettings, rate: float
) -> tuple[tuple[Array, Array, Array], MotionFilter | None]:
    """Return position, velocity and acceleration, and their filter if only positions are used."""
    periodic = settings.period is not None
    if settings.derivatives == "kalman":
        smoother = KalmanSmoother.tuned(track.position, rate, periodic=periodic)
        return smoother.motion(track.position), smoother
    differences = DifferenceFilter(
        settings.motion_cutoff_hz,
        settings.filter_order,
        rate,
        periodic,
        settings.decided_difference_order,
    )
    if settings.velocity == "differentiated":
        return differences.motion(track.position), differences
    if track.velocity is None:
        raise PreprocessingError(
            "identification.velocity = measured: the recording contains no velocities; "
            "use 'differentiated'."
        )
    velocity = differences.smooth(track.velocity)
    return (differences.smooth(track.position), velocity, differences.slope(velocity)), None


def _moving(
    velocity: Array, threshold: VelocityThreshold, limits: Limits
) -> tuple[Array, NDArray[np.bool_]]:
    speed = np.abs(velocity)
    top = np.zeros(1) if limits.velocity is None else np.asarray(limits.velocity)
    # relative to the peak only, encoder noise at rest would count as motion
    floor = np.maximum(_STANDSTILL, _STANDSTILL_SHARE * np.minimum(top, _HIGHEST_USABLE_LIMIT))
    lower = np.maximum(threshold.fraction * speed.max(axis=0), floor)
    if threshold.absolute is not None:
        lower = np.broadcast_to(np.asarray(threshold.absolute, dtype=float), lower.shape).copy()
    moving = speed > lower
    if threshold.upper is not None:
        moving &= speed <= np.asarray(threshold.upper)
    return lower, moving


def _moving_span(moving: NDArray[np.bool_]) -> slice:
    """Return the span from the first to the last sample at which any joint moves, (N, n)."""
    samples = np.flatnonzero(moving.any(axis=1))
    if len(samples) == 0:  # a recording of poses can be used for a validation
        return slice(0, len(moving))
    return slice(int(samples[0]), int(samples[-1]) + 1)


def _completed(span: slice, length: float, samples: int) -> slice:
    """Extend a trimmed span to whole periods, as all joints may reverse at the same time."""
    whole = ceil(round((span.stop - span.start) / length) * length)
    if not 0 < whole - (span.stop - span.start) < 0.1 * length:
        return span
    start = max(0, (span.start + span.stop - whole) // 2)
    stop = min(samples, start + whole)
    return slice(max(0, stop - whole), stop)


def _trim_note(span: slice, samples: int, rate: float) -> list[str]:
    left_out = samples - (span.stop - span.start)
    if left_out < 0.02 * samples:
        return []
    return [f"{left_out / rate:.2f} s at rest before and after the motion were removed."]


def _unsettled(signals: Signals, span: slice, settings: SignalSettings) -> tuple[int, int]:
    """Return the samples at both ends at which filters of a recording cut in motion settle.

    A filter continues the motion beyond its end by a guess, whose curvature is wrong. It has
    settled after 1/f, f the cut-off of positions.
    """
    count = settling_samples(settings, signals.sampling_rate)
    if count == 0 or settings.period is not None:
        return 0, 0
    fast = np.any(np.abs(signals.velocity) > signals.velocity_threshold, axis=1)
    if signals.piece is None:
        count = min(count, int(_MOST_UNSETTLED * (span.stop - span.start)))
    first = count if span.start == 0 and fast[0] else 0
    return first, count if span.stop == len(fast) and fast[-1] else 0


def settling_samples(settings: SignalSettings, rate: float) -> int:
    """Return 1/f in samples at a rate [Hz], f the cut-off of positions; 0 without a low-pass."""
    cutoff = settings.motion_cutoff_hz
    return 0 if cutoff is None else ceil(rate / cutoff)


def _unsettled_note(first: int, last: int, border: int, rate: float) -> list[str]:
    ends = [end for end, count in (("begins", first), ("ends", last)) if count > border]
    if not ends:
        return []
    left_out = max(first, last) / rate
    return [
        f"The recording {' and '.join(ends)} in motion: {left_out:.2g} s there are left out, as "
        "the filters of position, velocity and acceleration have not settled."
    ]


def _cut(signals: Signals, span: slice, before: int, after: int) -> Signals:
    cut = signals.part(slice(span.start + before, max(span.stop - after, 0)))
    if len(cut.time) < 10:
        raise PreprocessingError(
            f"only {len(cut.time)} samples remain after removing rest and borders, but at least "
            "10 are needed; record a longer motion, or reduce identification.border."
        )
    return cut


def _refuse_gaps(recording: Recording) -> None:
    if recording.gaps:
        raise PreprocessingError(
            f"{source_names(recording.sources) or 'the recording'}: samples are missing for "
            f"{gap_list(recording.gaps, recording.sampling_rate)}, and this task needs a recording "
            "without gaps. Select a span without them (start, stop)."
        )


def check_joints(recording: Recording, robot: Robot) -> None:
    """Raise a PreprocessingError unless a recording's joints are those of the robot."""
    if recording.joint_names != robot.joints:
        raise PreprocessingError(
            f"the recording's joints are {', '.join(recording.joint_names)}, but the profile's are "
            f"{', '.join(robot.joints)}; load the recording with the joints of the profile."
        )


def _smoother_note(signals: Signals) -> list[str]:
    smoother = signals.motion_filter
    if not isinstance(smoother, KalmanSmoother):
        return []
    bandwidths = ", ".join(
        f"{name} {noise:.2g} and {hz:.3g} Hz"
        for name, noise, hz in zip(
            signals.joint_names, smoother.standard_deviation, smoother.bandwidth_hz, strict=True
        )
    )
    return [
        "The Kalman smoother estimated these standard deviations of position noise [rad or m] and "
        f"bandwidths of motion: {bandwidths}."
    ]


def _check_derivatives(settings: SignalSettings) -> None:
    if settings.derivatives == "kalman":
        if settings.velocity == "measured":
            raise PreprocessingError(
                "derivatives = kalman computes velocities from positions, but velocity is "
                "'measured'; use velocity 'differentiated', or derivatives 'differences'."
            )
        return
    excitation, cutoff = settings.excitation_hz, settings.motion_cutoff_hz
    if excitation is not None and cutoff is not None and cutoff <= excitation:
        raise PreprocessingError(
            f"cutoff_hz = {cutoff:g} Hz would remove the excitation, whose highest frequency is "
            f"{excitation:g} Hz; choose a much higher cut-off frequency."
        )
