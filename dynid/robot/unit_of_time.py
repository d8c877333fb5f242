"""Times in another unit than seconds, which speeds far from a robot's limits show."""

from __future__ import annotations

import numpy as np

from dynid.errors import RecordingError
from dynid.recording.corrections import Correction, correction_yaml
from dynid.recording.model import Recording, source_names
from dynid.recording.settings import RecordingSettings
from dynid.robot.robot import Robot

_UNITS = {1.0: "seconds", 1e-3: "milliseconds", 1e-6: "microseconds", 1e-9: "nanoseconds"}
_FACTORS = (1e-3, 1e-6, 1e-9, 1e3, 1e6, 1e9)  # from the times as read to seconds
_USUAL_RATES = (10.0, 20e3)  # [Hz] of recordings of motion
_UNUSUAL_RATES = (5.0, 20e3)  # [Hz] below or above which times are doubted
_USUAL_SPEEDS = (0.03, 2.0)  # highest speed over the velocity limit; 2.0 in a recording of a dVRK
_LEAST_TRAVEL = 0.02  # [s] at the velocity limit: a drift at rest has no unit
_USUAL_SHARE = 0.99  # share of the samples: a few wrong ones are repaired later
_STEP = 0.02  # [s] over which a speed is measured, so that encoder counts do not matter


def check_unit_of_time(recording: Recording, robot: Robot) -> None:
    """Raise if times in milli-, micro- or nanoseconds explain speed and rate, and seconds do not.

    The same is true of a factor that is given for times in seconds. Joints without a velocity limit
    say nothing, and neither do joints at rest.

    Raises:
        RecordingError: times are in another unit.
    """
    rate = recording.sampling_rate
    if _UNUSUAL_RATES[0] < rate < _UNUSUAL_RATES[1]:
        return
    for factor in _FACTORS:
        if not _USUAL_RATES[0] <= rate / factor <= _USUAL_RATES[1]:
            continue
        speed = _highest_speed(recording, robot, rate / factor)
        if _USUAL_SPEEDS[0] <= speed <= _USUAL_SPEEDS[1]:
            raise RecordingError(_sentence(recording, robot, factor, speed))


def _highest_speed(recording: Recording, robot: Robot, rate: float) -> float:
    """Return the highest speed over the velocity limit at a rate [Hz]; 0 if no joint moves far."""
    steps = min(max(1, round(_STEP * rate)), len(recording.time) - 1)
    highest = 0.0
    for joint, name in enumerate(robot.joints):
        limits = robot.limits.range_of("velocity", joint)
        if limits is None or name not in recording.joint_names:
            continue
        position = recording.position[:, recording.joint_names.index(name)] / limits[1]
        low, high = np.quantile(position, [1 - _USUAL_SHARE, _USUAL_SHARE]).tolist()
        if high - low >= _LEAST_TRAVEL:
            moved = np.abs(position[steps:] - position[:-steps])
            highest = max(highest, float(np.quantile(moved, _USUAL_SHARE)) * rate / steps)
    return highest


def _sentence(recording: Recording, robot: Robot, factor: float, speed: float) -> str:
    rate = recording.sampling_rate
    columns = robot.settings(RecordingSettings).columns
    time = None if columns is None else columns.time
    total = float(f"{factor * (1.0 if time is None else time.factor):.9g}")
    key = correction_yaml([Correction(signal="time", factor=factor)])
    shown = f"{total:g}" if total >= 1e-4 else f"{total:.1e}"  # YAML takes 1e-06 as text
    if time is not None and time.nanoseconds is None:
        key = f"recording.columns.time: {{column: {time.column}, factor: {shown}}}"
    unit = _UNITS.get(total, f"units of {total:g} s")
    return (
        f"{source_names(recording.sources) or 'the recording'}: times look like {unit}: as they "
        f"are read, samples are at {rate:.4g} Hz and the fastest joint moves at "
        f"{100 * speed * factor:.2g} % of its velocity limit; in {unit}, at {rate / factor:.4g} Hz "
        f"and {100 * speed:.2g} %. Set {key} in profile '{robot.name}'. If the times are right, "
        "correct limits.velocity (null: no limit)."
    )
