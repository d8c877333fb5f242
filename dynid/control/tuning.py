"""Collision thresholds from free motion, as low as a given rate of false alarms permits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.control.free_motion import abrupt_acceleration, free_motion
from dynid.control.joint_thresholds import TUNED, TunedJoint, rounded_up, tune_joint
from dynid.control.residual import check_explained, with_collision
from dynid.control.tail import MOST_FREQUENT, RAREST
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dynid.control.residual import Residual
    from dynid.robot.robot import Robot

_SHORTEST = 5.0  # [s]
_DATA_SHARE = 0.01  # expected false alarms in the recordings, below which results are uncertain


@dataclass(frozen=True)
class Tuning:
    """Thresholds of all joints.

    Attributes:
        joints: in drive order.
        acceleration_step: (n,) above the abruptness of nearly all of the motion [rad/s^2 or m/s^2].
        hours: total length of the recordings [h].
        false_alarms_per_hour: requested rate, of all joints together.
        held_out_alarms: alarms in each recording of thresholds from the others; empty where there
            is only one.
        warnings: sentences for the user.
    """

    joints: tuple[TunedJoint, ...]
    acceleration_step: tuple[float, ...]
    hours: float
    false_alarms_per_hour: float
    held_out_alarms: tuple[int, ...]
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        """Return the length of the motion, the thresholds of each joint, and warnings."""
        rows = [
            f"{joint.joint}: "
            + ", ".join(f"{name} {rounded_up(getattr(joint, name)):g}" for name in TUNED)
            for joint in self.joints
        ]
        first = f"Collision thresholds from {60 * self.hours:.3g} min of free motion"
        return "\n".join([first, *rows, *self.warnings])

    def settings(self) -> dict[str, tuple[float, ...]]:
        """Return the tuned keys of a profile's ``collision``, rounded up, per joint."""
        return _Fit(self.joints, self.acceleration_step).settings()


def tune(
    robot: Robot,
    residuals: Sequence[Residual],
    *,
    false_alarms_per_hour: float,
    share: Callable[[float], None] = lambda _: None,
) -> Tuning:
    """Find thresholds for a wanted rate of false alarms.

    In motion a joint's threshold has the shape of the high quantiles of its filtered torque error
    over speed and acceleration (quantile regression: Koenker, Bassett 1978), scaled so that
    errors exceed it at the wanted rate (:func:`rare_level`); the additional error near standstill
    is the boost. No threshold is below the largest recorded error. Where a recording exceeds the
    thresholds from the others, a new one may as well, so they are raised by that factor.

    Args:
        robot: its ``collision`` has the detector's time constant, debounce time, low_speed and
            boost_time.
        residuals: of free motion.
        false_alarms_per_hour: of all joints together [1/h].
        share: called with the share of the fits that are done.

    Raises:
        ConfigurationError: there is too little motion, the rate is 0 or no rate, or the model
            does not explain the torque of a recording.
    """
    if not RAREST <= false_alarms_per_hour <= MOST_FREQUENT:
        message = (
            f"--false-alarms-per-hour {false_alarms_per_hour:g}: must be from {RAREST:g} to "
            f"{MOST_FREQUENT:g}."
        )
        raise ConfigurationError(message)
    hours = _hours(residuals)
    if hours * 3600 < _SHORTEST:
        message = (
            f"{hours * 3600:.3g} s of motion are too short for tuning; record at least "
            f"{_SHORTEST:g} s, and several minutes for reliable thresholds."
        )
        raise ConfigurationError(message)
    check_explained(robot.joints, residuals)
    rate = false_alarms_per_hour / len(robot.joints)
    found = _fit(robot, residuals, rate)
    held_out, raised = [], np.ones((len(robot.joints), 2))
    parts = list(_left_out(residuals))
    for number, (k, others) in enumerate(parts, 1):
        share(number / (1 + len(parts)))
        fit = _fit(robot, others, rate)
        held_out.append(_count(robot, fit, residuals[k]))
        motion = free_motion(with_collision(robot, **fit.settings()), residuals[k])
        raised = np.maximum(raised, [one.share(motion, j) for j, one in enumerate(fit.joints)])
    factors = raised.tolist()
    joints = tuple(one.higher(*both) for one, both in zip(found.joints, factors, strict=True))
    warnings = [
        *_warnings(hours, false_alarms_per_hour, sum(held_out)),
        *_poor_joints(joints, robot),
    ]
    return Tuning(
        joints,
        found.acceleration_step,
        hours,
        false_alarms_per_hour,
        tuple(held_out),
        tuple(warnings),
    )


class _Fit(NamedTuple):
    """Thresholds of all joints from some recordings."""

    joints: tuple[TunedJoint, ...]
    acceleration_step: tuple[float, ...]

    def settings(self) -> dict[str, tuple[float, ...]]:
        thresholds = {
            name: tuple(rounded_up(getattr(one, name)) for one in self.joints) for name in TUNED
        }
        steps = tuple(rounded_up(step) for step in self.acceleration_step)
        return {**thresholds, "acceleration_step": steps}


def _fit(robot: Robot, residuals: Sequence[Residual], alarms_per_hour: float) -> _Fit:
    steps = abrupt_acceleration(robot, residuals)
    robot = with_collision(robot, acceleration_step=steps)
    motions = [free_motion(robot, one) for one in residuals]
    joints = tuple(
        tune_joint(motions, number, name, alarms_per_hour)
        for number, name in enumerate(robot.joints)
    )
    return _Fit(joints, steps)


def _left_out(residuals: Sequence[Residual]) -> Iterator[tuple[int, list[Residual]]]:
    """Yield each recording's number and the others, where those are long enough for tuning."""
    for k in range(len(residuals)):
        others = [*residuals[:k], *residuals[k + 1 :]]
        if others and _hours(others) * 3600 >= _SHORTEST:
            yield k, others


def count_alarms(robot: Robot, tuning: Tuning, residual: Residual) -> int:
    """Return how often thresholds would have stopped a robot in free motion."""
    return _count(robot, tuning, residual)


def _count(robot: Robot, found: Tuning | _Fit, residual: Residual) -> int:
    _, _, alarms = residual.run_detector(with_collision(robot, **found.settings()))
    return len(alarms)


def _hours(residuals: Sequence[Residual]) -> float:
    return sum(residual.hours for residual in residuals)


def _poor_joints(joints: Sequence[TunedJoint], robot: Robot) -> Iterator[str]:
    """Yield sentences on thresholds that are too high, or based on too few data."""
    limit = robot.limits.torque_max
    largest = np.full(len(joints), np.inf) if limit is None else np.broadcast_to(limit, len(joints))
    for joint, torque_max in zip(joints, largest, strict=True):
        if joint.resting is None:
            yield (
                f"joint '{joint.joint}' hardly moves or is hardly at rest in the recordings, so "
                "it has one threshold for both; record both."
            )
        if joint.torque_error_max + joint.reversal_boost > 0.5 * torque_max:
            yield (
                f"joint '{joint.joint}': its threshold at rest is more than half of torque_max, "
                "so few collisions will be detected; record more starts and stops, allow more "
                "false alarms, or improve the model."
            )


def _warnings(hours: float, false_alarms_per_hour: float, held_out: int) -> list[str]:
    warnings = []
    if hours * false_alarms_per_hour <= _DATA_SHARE:
        warnings.append(
            f"one false alarm in {1 / false_alarms_per_hour:.3g} h is requested, but the "
            f"recordings have {60 * hours:.3g} min: the thresholds extrapolate the tail of the "
            "errors; record more free motion for reliable thresholds."
        )
    if held_out > max(1.0, hours * false_alarms_per_hour):
        warnings.append(
            f"thresholds from the other recordings would have given {held_out} alarms in "
            f"{60 * hours:.3g} min: other kinds of motion will cause more alarms than requested; "
            "record more kinds of motion."
        )
    return warnings
