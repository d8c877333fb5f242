"""Collision thresholds from free motion: as low as a wanted rate of false alarms allows."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack

from dynid.arrays import Array
from dynid.control.free_motion import free_motion, joined
from dynid.control.residual import with_collision
from dynid.control.tail import rare_level
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dynid.control.free_motion import FreeMotion
    from dynid.control.residual import Residual
    from dynid.control.tail import Level
    from dynid.robot.robot import Robot

_LARGEST_FIT = 3000  # blocks of motion
_FEWEST_MOVING = 50  # of them
_SHAPE_QUANTILE = 0.95  # of the errors, that the threshold's shape follows
_MARGIN = 0.05  # over the largest error that was seen
_RESOLUTION = 1e-3  # of a threshold, relative to the largest error
_SHORTEST = 5.0  # [s]
_DIGITS = 3
_TUNED = ("torque_error_max", "velocity_factor", "acceleration_factor", "reversal_boost")
_DATA_SHARE = 0.01  # false alarms in as much motion as there is, below which it says little


@dataclass(frozen=True)
class TunedJoint:
    """A joint's threshold, and the errors that it follows from.

    Attributes:
        joint: its name.
        torque_error_max: [N m or N].
        velocity_factor: [N m s/rad or N s/m].
        acceleration_factor: [N m s^2/rad or N s^2/m].
        reversal_boost: [N m or N].
        largest: filtered torque error in the recordings [N m or N].
        moving: the level that ``torque_error_max`` is [N m or N].
        resting: the level that ``reversal_boost`` is [N m or N]; None where it never acts.
    """

    joint: str
    torque_error_max: float
    velocity_factor: float
    acceleration_factor: float
    reversal_boost: float
    largest: float
    moving: Level
    resting: Level | None


@dataclass(frozen=True)
class Tuning:
    """Thresholds of all joints.

    Attributes:
        joints: in drive order.
        hours: length of the recordings together [h].
        false_alarms_per_hour: that were asked for, of all joints together.
        held_out_alarms: that thresholds from the other recordings would have given in each; empty
            where there is only one.
        warnings: sentences.
    """

    joints: tuple[TunedJoint, ...]
    hours: float
    false_alarms_per_hour: float
    held_out_alarms: tuple[int, ...]
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        """How much motion, the thresholds of each joint, and warnings."""
        rows = [
            f"{joint.joint}: "
            + ", ".join(f"{name} {_rounded_up(getattr(joint, name)):g}" for name in _TUNED)
            for joint in self.joints
        ]
        first = f"Collision thresholds from {60 * self.hours:.3g} min of free motion"
        return "\n".join([first, *rows, *self.warnings])

    def settings(self) -> dict[str, tuple[float, ...]]:
        """The tuned keys of a profile's ``collision``, rounded up, one value for each joint."""
        return {
            name: tuple(_rounded_up(getattr(joint, name)) for joint in self.joints)
            for name in _TUNED
        }


def tune(
    robot: Robot,
    residuals: Sequence[Residual],
    *,
    false_alarms_per_hour: float,
    control_rate: float = 1000.0,
) -> Tuning:
    """Find thresholds for a wanted rate of false alarms.

    In motion a joint's threshold has the shape of the high quantiles of its filtered torque error
    over speed and acceleration (quantile regression: Koenker, Bassett 1978), scaled so that
    :func:`rare_level` passes it seldom enough; what errors are larger by near standstill becomes
    the boost. No threshold is below the largest error seen.

    Args:
        robot: its ``collision`` has the detector's filter, debounce, low_speed and boost_time.
        residuals: of free motion.
        false_alarms_per_hour: of all joints together [1/h].
        control_rate: cycles per second that filter and debounce are given for [Hz].

    Raises:
        ConfigurationError: there is too little motion, or the rate is not above 0.
    """
    if not 0 < false_alarms_per_hour < np.inf:
        message = (
            f"--false-alarms-per-hour {false_alarms_per_hour:g}: must be above 0 and finite; no "
            "threshold is never passed."
        )
        raise ConfigurationError(message)
    hours = _hours(residuals)
    if hours * 3600 < _SHORTEST:
        message = (
            f"{hours * 3600:.3g} s of motion are too little to tune on; record {_SHORTEST:g} s at "
            "least, and minutes for thresholds to rely on."
        )
        raise ConfigurationError(message)
    parts = [free_motion(robot, one, control_rate=control_rate) for one in residuals]

    def tuned(motions: Sequence[FreeMotion], *held_out: int) -> Tuning:
        return _tune(robot, joined(motions), false_alarms_per_hour, held_out)

    held_out = [
        count_alarms(robot, tuned([*parts[:k], *parts[k + 1 :]]), one, control_rate=control_rate)
        for k, one in enumerate(residuals)
        if len(residuals) > 1 and _hours([*residuals[:k], *residuals[k + 1 :]]) * 3600 >= _SHORTEST
    ]
    return tuned(parts, *held_out)


def count_alarms(
    robot: Robot, tuning: Tuning, residual: Residual, *, control_rate: float = 1000.0
) -> int:
    """Return how often thresholds would have stopped a robot that was touching nothing."""
    tuned = with_collision(robot, **tuning.settings())
    _, _, found = residual.watch(tuned, control_rate=control_rate)
    return len(found)


def _hours(residuals: Sequence[Residual]) -> float:
    return sum(residual.hours for residual in residuals)


def _tune(
    robot: Robot, motion: FreeMotion, false_alarms_per_hour: float, held_out: Sequence[int]
) -> Tuning:
    wanted = motion.hours * false_alarms_per_hour / len(robot.joints)
    joints = tuple(
        _tune_joint(motion, number, name, wanted) for number, name in enumerate(robot.joints)
    )
    warnings = [
        *_warnings(motion.hours, false_alarms_per_hour, sum(held_out)),
        *_poor_joints(joints, robot),
    ]
    return Tuning(joints, motion.hours, false_alarms_per_hour, tuple(held_out), tuple(warnings))


def _poor_joints(joints: Sequence[TunedJoint], robot: Robot) -> Iterator[str]:
    """Say where thresholds are of little use, or rest on little."""
    limit = robot.limits.torque_max
    largest = np.full(len(joints), np.inf) if limit is None else np.broadcast_to(limit, len(joints))
    for joint, torque_max in zip(joints, largest, strict=True):
        if joint.resting is None:
            yield (
                f"joint '{joint.joint}' hardly moves or hardly rests in the recordings: one "
                "threshold is for both; record both."
            )
        elif joint.torque_error_max + joint.reversal_boost > 0.5 * torque_max:
            yield (
                f"joint '{joint.joint}': at rest its threshold is more than half of torque_max, "
                "and few collisions will be found; record more starts and stops, ask for more "
                "false alarms, or improve the model."
            )


def _tune_joint(motion: FreeMotion, number: int, name: str, wanted: float) -> TunedJoint:
    """Tune for ``wanted`` false alarms in as much motion."""
    size, features = motion.size[:, number], motion.features[:, number]
    largest = float(size.max())
    if largest == 0.0:
        message = f"joint '{name}' has no torque error at all: its recorded effort is the model's."
        raise ConfigurationError(message)
    resting = motion.boosted[:, number]
    if np.count_nonzero(~resting) < _FEWEST_MOVING:
        resting = np.zeros_like(resting)
    if resting.any():
        wanted /= 2  # one half each
    moving = ~resting
    shape = _shape(size[moving], features[moving])
    shape[0] += _RESOLUTION * largest
    ratio = size / (features @ shape)
    at_speed = rare_level(
        ratio[moving], motion.time[moving], wanted, least=(1 + _MARGIN) * float(ratio[moving].max())
    )
    constant, velocity, acceleration = (float(part) for part in at_speed.value * shape)
    at_rest = None
    if resting.any():
        above = size[resting] - at_speed.value * (features[resting] @ shape)
        least = max(0.0, float(above.max()) + _MARGIN * largest)
        at_rest = rare_level(above, motion.time[resting], wanted, least=least)
    return TunedJoint(
        joint=name,
        torque_error_max=constant,
        velocity_factor=velocity,
        acceleration_factor=acceleration,
        reversal_boost=0.0 if at_rest is None else at_rest.value,
        largest=largest,
        moving=at_speed.scaled(float(shape[0])),
        resting=at_rest,
    )


def _shape(size: Array, features: Array) -> Array:
    """Coefficients (3,) >= 0 of the features (M, 3), by linear programming.

    min sum q u + (1 - q) w with features @ x + u - w = size; u, w, x >= 0.
    """
    step = -(-len(size) // _LARGEST_FIT)
    size, features = size[::step], features[::step]
    count, parts = features.shape
    scale = np.maximum(features.max(axis=0), 1e-12)
    one = eye_array(count, format="csr")
    above, below = np.full(count, _SHAPE_QUANTILE), np.full(count, 1 - _SHAPE_QUANTILE)
    found = linprog(
        np.concatenate([np.zeros(parts), above, below]),
        A_eq=hstack([csr_array(features / scale), one, -one], format="csr"),
        b_eq=size,
        method="highs",
    )
    if not found.success:
        message = f"the threshold's shape cannot be fitted: {found.message}"
        raise ConfigurationError(message)
    shape: Array = np.maximum(found.x[:parts], 0.0) / scale
    return shape


def _warnings(hours: float, false_alarms_per_hour: float, held_out: int) -> list[str]:
    warnings = []
    if hours * false_alarms_per_hour <= _DATA_SHARE:
        warnings.append(
            f"one false alarm in {1 / false_alarms_per_hour:.3g} h is asked for, but the "
            f"recordings have {60 * hours:.3g} min: the thresholds rest on how the tail of the "
            "errors goes on; record more free motion to rely on them."
        )
    if held_out > max(1.0, hours * false_alarms_per_hour):
        warnings.append(
            f"thresholds from the other recordings would have given {held_out} alarms in "
            f"{60 * hours:.3g} min: motion of another kind than recorded will give more alarms "
            "than asked for; record more kinds."
        )
    return warnings


def _rounded_up(value: float) -> float:
    if value <= 0:
        return 0.0
    step = 10.0 ** (floor(log10(value)) - _DIGITS + 1)
    return float(f"{ceil(value / step - 1e-9) * step:.{_DIGITS}g}")
