"""Positions and times that a robot cannot have: in another unit, displaced, far beyond limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.errors import RecordingError
from dynid.recording.contradiction import Contradiction, Severity
from dynid.recording.corrections import Correction, correction_yaml
from dynid.recording.model import Recording, source_names
from dynid.recording.settings import RecordingSettings
from dynid.robot.robot import Robot
from dynid.robot.urdf_joints import movable_joints
from dynid.text import first_few

# a user may have set limits narrower than a robot's own, and a URDF may have numbers that were
# made up; degrees are 57 times as many, millimetres a thousand times
_RANGE = 6.0  # times the range of the position limits; 2.4 times is in a recording of a dVRK
_BEYOND = 3.0  # times this range, outside of the limits
_TURNS = {"rad": 5 * math.pi, "m": 0.0}  # and not less: homing may be off by a turn or two
_SPEED = 10.0  # times the velocity limit; twice is in a recording of a dVRK
_HIGHEST_SPEED = {"rad": 20.0, "m": 10.0}  # [rad/s, m/s] and not less
_USUAL_SHARE = 0.95  # share of the samples: a few wrong ones are repaired later
_STEP = 0.02  # [s] over which a speed is measured, so that encoder counts do not matter
_OTHER_UNITS = {"rad": (math.pi / 180, "degrees"), "m": (1e-3, "mm")}

_UNITS_OF_TIME = {1.0: "seconds", 1e-3: "milliseconds", 1e-6: "microseconds", 1e-9: "nanoseconds"}
_FACTORS = (1e-3, 1e-6, 1e-9, 1e3, 1e6, 1e9)  # from the times as read to seconds
_USUAL_RATES = (10.0, 20e3)  # [Hz] of recordings of motion
_UNUSUAL_RATES = (5.0, 20e3)  # [Hz] below or above which times are doubted
_USUAL_SPEEDS = (0.03, 2.0)  # highest speed over the velocity limit; 2.0 in a recording of a dVRK
_LEAST_TRAVEL = 0.02  # [s] at the velocity limit: a drift at rest has no unit
_USUAL_TRAVEL = 0.99  # share of the samples


class RecordedJoint(NamedTuple):
    """A joint of a recording, and the limits that its positions can be compared with.

    Attributes:
        unit: rad or m.
        position: (N,) as recorded.
        range: lower and upper limit; None without any, or where the joint turns without end.
        fastest: limit of its velocity, or None.
    """

    name: str
    unit: str
    position: Array
    range: tuple[float, float] | None
    fastest: float | None


def recorded_joints(recording: Recording, robot: Robot) -> Iterator[RecordedJoint]:
    """Yield the robot's joints in a recording; none where the limits are those of the motors."""
    if robot.coupling is not None and not robot.at_motors:
        return
    kinds = _kinds(robot)
    for number, name in enumerate(robot.joints):
        if name in recording.joint_names:
            kind = kinds.get(name, "revolute")
            fastest = robot.limits.range_of("velocity", number)
            yield RecordedJoint(
                name=name,
                unit="m" if kind == "prismatic" else "rad",
                position=recording.position[:, recording.joint_names.index(name)],
                range=None if kind == "continuous" else robot.limits.range_of("position", number),
                fastest=None if fastest is None else fastest[1],
            )


def endless_joints(robot: Robot) -> tuple[str, ...]:
    """Return the joints that turn without end; positions wrapped to a turn are unwrapped."""
    kinds = _kinds(robot)
    return tuple(name for name in robot.joints if kinds.get(name) == "continuous")


def _kinds(robot: Robot) -> dict[str, str]:
    if robot.coupling is not None:
        return {}
    return {name: joint.kind for name, joint in movable_joints(robot.urdf_xml).items()}


class _Excess(NamedTuple):
    """What positions exceed: words, the limit's name, and how many times too much they are."""

    words: str
    limit: str
    ratio: float


def check_motion_is_possible(recording: Recording, robot: Robot) -> None:
    """Raise if positions exceed the robot's limits so far that they must be in another unit.

    Positions somewhat beyond the limits are legitimate, and any of a joint that turns without end.

    Raises:
        RecordingError: a joint moves further or faster than it can, or is where it cannot be, or
            times are in another unit.
    """
    joints = list(recorded_joints(recording, robot))
    _check_unit_of_time(recording, robot, joints)
    for joint in joints:
        excess = _too_far(joint) or _too_fast(joint, recording.sampling_rate)
        if excess is not None:
            where = source_names(recording.sources) or "the recording"
            raise RecordingError(_sentence(where, robot.name, joint, excess))


def _too_far(joint: RecordedJoint) -> _Excess | None:
    limits, unit = joint.range, joint.unit
    if limits is None:
        return None
    low, middle, high = np.quantile(
        joint.position, [(1 - _USUAL_SHARE) / 2, 0.5, (1 + _USUAL_SHARE) / 2]
    ).tolist()
    width = limits[1] - limits[0]
    shown = f"its position limits [{limits[0]:.3g}, {limits[1]:.3g}] {unit}"
    if high - low > _RANGE * width:
        words = f"moves over {high - low:.4g} {unit}, far more than {shown} allow"
        return _Excess(words, "position", (high - low) / width)
    beyond = max(middle - limits[1], limits[0] - middle)
    if beyond > max(_BEYOND * width, _TURNS[unit]):
        return _Excess(f"is at {middle:.4g} {unit}, far outside of {shown}", "position", 1.0)
    return None


def _too_fast(joint: RecordedJoint, rate: float) -> _Excess | None:
    fastest, unit = joint.fastest, joint.unit
    if fastest is None:
        return None
    speed = _usual_speed(joint.position, rate, _USUAL_SHARE)
    if speed <= max(_SPEED * fastest, _HIGHEST_SPEED[unit]):
        return None
    shown = f"its velocity limit of {fastest:.3g} {unit}/s"
    words = f"moves at {speed:.4g} {unit}/s, far faster than {shown} allows"
    return _Excess(words, "velocity", speed / fastest)


def _usual_speed(position: Array, rate: float, share: float) -> float:
    """Return the speed that a share of the samples (N,) at a rate [Hz] is not faster than."""
    steps = min(max(1, round(_STEP * rate)), len(position) - 1)
    moved = np.abs(position[steps:] - position[:-steps])
    return float(np.quantile(moved, share)) * rate / steps


def _sentence(where: str, robot: str, joint: RecordedJoint, excess: _Excess) -> str:
    factor, other = _OTHER_UNITS[joint.unit]
    # what is even then too much is in yet another unit
    likely = other if excess.ratio * factor < _RANGE else "encoder counts, or of the motor"
    example = f" (from {other}: {factor:.6g})"
    return (
        f"{where}: joint '{joint.name}' {excess.words}; positions must be in {joint.unit} at the "
        f"joint, and these are most likely in {likely}: convert them by 'factor' of position in "
        f"recording.columns{example}. If they are right, correct limits.{excess.limit} of profile "
        f"'{robot}' (null: no limit)."
    )


def _check_unit_of_time(recording: Recording, robot: Robot, joints: list[RecordedJoint]) -> None:
    """Raise if times in milli-, micro- or nanoseconds explain speed and rate, and seconds do not.

    The same is true of a factor that is given for times in seconds. Joints without a velocity limit
    say nothing, and neither do joints at rest.
    """
    rate = recording.sampling_rate
    if _UNUSUAL_RATES[0] < rate < _UNUSUAL_RATES[1]:
        return
    for factor in _FACTORS:
        if _USUAL_RATES[0] <= rate / factor <= _USUAL_RATES[1]:
            speed = max((_relative_speed(joint, rate / factor) for joint in joints), default=0.0)
            if _USUAL_SPEEDS[0] <= speed <= _USUAL_SPEEDS[1]:
                raise RecordingError(_sentence_on_time(recording, robot, factor, speed))


def _relative_speed(joint: RecordedJoint, rate: float) -> float:
    """Return a joint's highest speed over its limit at a rate [Hz]; 0 if it does not move far."""
    if joint.fastest is None:
        return 0.0
    position = joint.position / joint.fastest
    low, high = np.quantile(position, [1 - _USUAL_TRAVEL, _USUAL_TRAVEL]).tolist()
    return _usual_speed(position, rate, _USUAL_TRAVEL) if high - low >= _LEAST_TRAVEL else 0.0


def _sentence_on_time(recording: Recording, robot: Robot, factor: float, speed: float) -> str:
    rate = recording.sampling_rate
    columns = robot.settings(RecordingSettings).columns
    time = None if columns is None else columns.time
    total = float(f"{factor * (1.0 if time is None else time.factor):.9g}")
    key = correction_yaml([Correction(signal="time", factor=factor)])
    shown = f"{total:g}" if total >= 1e-4 else f"{total:.1e}"  # YAML takes 1e-06 as text
    if time is not None and time.nanoseconds is None:
        key = f"recording.columns.time: {{column: {time.column}, factor: {shown}}}"
    unit = _UNITS_OF_TIME.get(total, f"units of {total:g} s")
    return (
        f"{source_names(recording.sources) or 'the recording'}: times look like {unit}: as they "
        f"are read, samples are at {rate:.4g} Hz and the fastest joint moves at "
        f"{100 * speed * factor:.2g} % of its velocity limit; in {unit}, at {rate / factor:.4g} Hz "
        f"and {100 * speed:.2g} %. Set {key} in profile '{robot.name}'. If the times are right, "
        "correct limits.velocity (null: no limit)."
    )


# limits of a profile may be narrower than those of the robot: in recordings of a dVRK up to 0.63 of
# the samples are beyond them by up to 0.94 of the range, on both sides, or by 0.24 on one, and of
# the other robots' only wrong samples are, in 0.01 of them
_LEAST_SHARE = 0.05  # share of the samples
_OVERSHOOT = 0.05  # of the range of the limits: of a controller, or by a rounded limit
_DISPLACEMENT = 0.25  # of the range of the limits, on one side only
_SHIFTS = {"a quarter turn": math.pi / 2, "half a turn": math.pi, "a turn": 2 * math.pi}
_SHOWN_JOINTS = 8  # joints in one sentence


class _Beyond(NamedTuple):
    """How a joint's positions leave its limits; ``usual``: without the rarest samples."""

    joint: str
    unit: str
    limits: tuple[float, float]
    usual: tuple[float, float]
    share: float
    is_displaced: bool

    def words(self) -> str:
        """Return the range, the limits and the share of samples beyond them."""
        (low, high), (least, most) = self.usual, self.limits
        return (
            f"{self.joint} from {low:.4g} to {high:.4g} {self.unit} with limits "
            f"[{least:.4g}, {most:.4g}] ({100 * self.share:.0f} % of the samples)"
        )

    def fits(self, shift: float) -> bool:
        """Return whether the positions would be within the limits with an offset [rad]."""
        margin = _OVERSHOOT * (self.limits[1] - self.limits[0])
        low, high = self.usual[0] + shift, self.usual[1] + shift
        return self.unit == "rad" and self.limits[0] - margin <= low <= high <= (
            self.limits[1] + margin
        )


def beyond_limits(recording: Recording, robot: Robot) -> Iterator[Contradiction]:
    """Find joints that are beyond their position limits more often and further than by overshoot.

    It is a warning where positions are displaced or those of most joints are beyond, as of another
    zero, unit or direction, and otherwise a note: the profile's limits may be narrow.
    """
    joints = recorded_joints(recording, robot)
    limited = [(joint, joint.range) for joint in joints if joint.range is not None]
    found = [one for one in (_beyond(joint, limits) for joint, limits in limited) if one]
    most = 2 * len(found) > len(limited)
    displaced = [one for one in found if one.is_displaced or most]
    others = [one for one in found if one not in displaced]
    if displaced:
        yield _contradiction(displaced, "warning")
    if others:
        yield _contradiction(others, "note")


def _beyond(joint: RecordedJoint, limits: tuple[float, float]) -> _Beyond | None:
    position = joint.position[np.isfinite(joint.position)]
    if not len(position):
        return None
    low, middle, high = np.quantile(
        position, [_LEAST_SHARE / 2, 0.5, 1 - _LEAST_SHARE / 2]
    ).tolist()
    width = limits[1] - limits[0]
    below, above = (limits[0] - low) / width, (high - limits[1]) / width
    share = float(np.mean((position < limits[0]) | (position > limits[1])))
    if max(below, above) <= _OVERSHOOT or share < _LEAST_SHARE:
        return None
    one_side = min(below, above) <= 0
    is_outside = not limits[0] <= middle <= limits[1]
    is_displaced = one_side and (is_outside or max(below, above) > _DISPLACEMENT)
    return _Beyond(joint.name, joint.unit, limits, (low, high), share, is_displaced)


def _contradiction(group: Sequence[_Beyond], severity: Severity) -> Contradiction:
    names = first_few([one.words() for one in group], _SHOWN_JOINTS, "{} joints more")
    return Contradiction(
        kind="beyond_limits",
        joints=tuple(one.joint for one in group),
        severity=severity,
        sentence=f"Positions are beyond limits.position: {', '.join(names)}.{_shift(group)}",
        remedy=(
            "Check the zero of the encoder (offset), the unit (factor) and the direction (sign) of "
            "position in recording.columns, or of position in recording.corrections; if the "
            "positions are right, correct limits.position of the profile."
        ),
        evidence={f"share beyond of {one.joint}": one.share for one in group},
    )


def _shift(group: Sequence[_Beyond]) -> str:
    """Return a sentence on the usual offset that puts all positions within their limits."""
    for words, size in _SHIFTS.items():
        for shift in (-size, size):
            if all(one.fits(shift) for one in group):
                which = "all of them" if len(group) > 1 else "it"
                return f" An offset of {shift:.4f} rad ({words}) would put {which} within."
    return ""
