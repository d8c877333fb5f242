"""Motion that a robot with these limits cannot have made: positions in another unit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.errors import RecordingError
from dynid.recording.model import source_names
from dynid.recording.settings import RecordingSettings
from dynid.robot.urdf_joints import movable_joints

if TYPE_CHECKING:
    from dynid.arrays import Array
    from dynid.recording.model import Recording
    from dynid.robot.robot import Robot

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


class _Excess(NamedTuple):
    """What positions exceed: words, the limit's name, and how many times too much they are."""

    words: str
    limit: str
    ratio: float


def check_motion_is_possible(recording: Recording, robot: Robot) -> None:
    """Raise if positions exceed the robot's limits so far that they must be in another unit.

    Positions somewhat beyond the limits are legitimate, and any of a joint that turns without end.

    Raises:
        RecordingError: a joint moves further or faster than it can, or is where it cannot be.
    """
    if robot.coupling is not None and robot.settings(RecordingSettings).side == "joint":
        return  # the limits are those of the motors
    kinds = {} if robot.coupling is not None else movable_joints(robot.urdf_xml)
    for joint, name in enumerate(robot.joints):
        kind = kinds[name].kind if name in kinds else "revolute"
        unit = "m" if kind == "prismatic" else "rad"
        excess = None
        limits = robot.limits.range_of("position", joint)
        if limits is not None and kind != "continuous":
            excess = _too_far(recording.position[:, joint], limits, unit)
        fastest = robot.limits.range_of("velocity", joint)
        if excess is None and fastest is not None:
            excess = _too_fast(recording, joint, fastest[1], unit)
        if excess is not None:
            where = source_names(recording.sources) or "the recording"
            raise RecordingError(_sentence(where, robot.name, name, excess, unit))


def _too_far(position: Array, limits: tuple[float, float], unit: str) -> _Excess | None:
    low, middle, high = np.quantile(
        position, [(1 - _USUAL_SHARE) / 2, 0.5, (1 + _USUAL_SHARE) / 2]
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


def _too_fast(recording: Recording, joint: int, fastest: float, unit: str) -> _Excess | None:
    steps = min(max(1, round(_STEP * recording.sampling_rate)), len(recording.time) - 1)
    moved = np.abs(recording.position[steps:, joint] - recording.position[:-steps, joint])
    speed = float(np.quantile(moved, _USUAL_SHARE)) * recording.sampling_rate / steps
    if speed <= max(_SPEED * fastest, _HIGHEST_SPEED[unit]):
        return None
    shown = f"its velocity limit of {fastest:.3g} {unit}/s"
    words = f"moves at {speed:.4g} {unit}/s, far faster than {shown} allows"
    return _Excess(words, "velocity", speed / fastest)


def _sentence(where: str, robot: str, joint: str, excess: _Excess, unit: str) -> str:
    factor, other = _OTHER_UNITS[unit]
    # what is even then too much is in yet another unit
    likely = other if excess.ratio * factor < _RANGE else "encoder counts, or of the motor"
    example = f" (from {other}: {factor:.6g})"
    return (
        f"{where}: joint '{joint}' {excess.words}; positions must be in {unit} at the "
        f"joint, and these are most likely in {likely}: convert them by 'factor' of position in "
        f"recording.columns{example}. If they are right, correct limits.{excess.limit} of profile "
        f"'{robot}' (null: no limit)."
    )
