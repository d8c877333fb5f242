"""Positions beyond the limits of a robot: another zero, unit or direction, or narrow limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dynid.recording.contradiction import Contradiction, Severity
from dynid.recording.model import Recording
from dynid.robot.plausible_motion import RecordedJoint, recorded_joints
from dynid.robot.robot import Robot
from dynid.text import first_few

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
