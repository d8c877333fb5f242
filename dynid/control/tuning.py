"""Collision thresholds from free motion, as low as a given rate of false alarms permits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dynid.control.contact_check import check_no_contact, outlying_spans
from dynid.control.free_motion import FreeMotion, abrupt_acceleration, free_motion
from dynid.control.joint_thresholds import (
    TUNED,
    DetectableForce,
    TunedJoint,
    detectable_force,
    rounded_up,
    tune_joint,
)
from dynid.control.residual import CommandedResidual, check_explained, with_collision
from dynid.control.tail import APART, MOST_FREQUENT, RAREST, SAFE
from dynid.errors import ConfigurationError
from dynid.robot.robot import Robot

_SHORTEST_RECORDING = 5.0  # [s]
_DATA_SHARE = 0.01  # expected false alarms in the recordings, below which results are uncertain


@dataclass(frozen=True)
class ThresholdCause:
    """The part of a recording that determines a joint's threshold.

    Attributes:
        recording: its name.
        time: at which an error is the largest share of the threshold [s].
        error: that filtered torque error [N m or N].
        resting: whether the joint is at or near standstill there, so that the boost acts.
        threshold: at rest there, else in motion at low speed [N m or N].
        without: what it would be without the second around that time [N m or N].
    """

    recording: str
    time: float
    error: float
    resting: bool
    threshold: float
    without: float


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
        causes: of each joint's threshold, the part of a recording that determines it.
        force_at_rest: the smallest forces at the tool that are found while the robot rests; None
            where positions are not known.
        force_in_motion: the same at constant low speed.
        warnings: sentences for the user.
    """

    joints: tuple[TunedJoint, ...]
    acceleration_step: tuple[float, ...]
    hours: float
    false_alarms_per_hour: float
    held_out_alarms: tuple[int, ...]
    causes: tuple[ThresholdCause, ...]
    force_at_rest: DetectableForce | None
    force_in_motion: DetectableForce | None
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
    residuals: Sequence[CommandedResidual],
    *,
    false_alarms_per_hour: float,
    share: Callable[[float], None] = lambda _: None,
) -> Tuning:
    """Find thresholds for a wanted rate of false alarms.

    In motion a joint's threshold has the shape of the high quantiles of its filtered torque error
    over speed and acceleration (quantile regression: Koenker, Bassett 1978), scaled so that
    errors exceed it at the wanted rate (:func:`rare_level`); the additional error near standstill
    is the boost. No threshold is below the largest recorded error. Where more than one in ten
    recordings exceeds the thresholds from the others, a new one may as well, so they are raised by
    that factor.

    Args:
        robot: its ``collision`` has the detector's time constant, debounce time, low_speed and
            boost_time.
        residuals: of free motion.
        false_alarms_per_hour: of all joints together [1/h].
        share: called with the share of the fits that are done.

    Raises:
        ConfigurationError: there is too little motion, the rate is 0 or no rate, the model does
            not explain the torque of a recording, torque errors are outlying as in a contact, or a
            threshold is above ``torque_max``.
    """
    if not RAREST <= false_alarms_per_hour <= MOST_FREQUENT:
        raise ConfigurationError(
            f"--false-alarms-per-hour {false_alarms_per_hour:g}: must be from {RAREST:g} to "
            f"{MOST_FREQUENT:g}."
        )
    hours = _hours(residuals)
    if hours * 3600 < _SHORTEST_RECORDING:
        raise ConfigurationError(
            f"{hours * 3600:.3g} s of motion are too short for tuning; record at least "
            f"{_SHORTEST_RECORDING:g} s, and several minutes for reliable thresholds."
        )
    names = [residual.name or f"recording {k}" for k, residual in enumerate(residuals, 1)]
    spans = outlying_spans(robot.joints, [free_motion(robot, residual) for residual in residuals])
    # what is unexplained besides them is no contact
    check_explained(
        robot.joints,
        [
            residual.without((span.start, span.stop) for span in spans if span.recording == k)
            for k, residual in enumerate(residuals)
        ],
    )
    check_no_contact(spans, names)
    rate = false_alarms_per_hour / len(robot.joints)
    tuned = _fit(robot, residuals, rate)
    held_out, shares = [], []
    parts = list(_left_out(residuals))
    for number, (k, others) in enumerate(parts, 1):
        share(number / (1 + len(parts)))
        fit = _fit(robot, others, rate)
        held_out.append(count_alarms(robot, fit, residuals[k]))
        motion = free_motion(with_collision(robot, **fit.settings()), residuals[k])
        shares.append([joint.share(motion, j) for j, joint in enumerate(fit.joints)])
    factors = _raised(shares, len(robot.joints))
    joints = tuple(joint.higher(*both) for joint, both in zip(tuned.joints, factors, strict=True))
    fit = _Fit(joints, tuned.acceleration_step)
    causes = _causes(robot, residuals, fit, rate, names)
    _check_torque_max(robot, joints, causes)
    at_rest = np.array([joint.torque_error_max + joint.reversal_boost for joint in joints])
    warnings = [
        *_warnings(hours, false_alarms_per_hour, sum(held_out)),
        *_poor_joints(joints, robot),
    ]
    return Tuning(
        joints,
        tuned.acceleration_step,
        hours,
        false_alarms_per_hour,
        tuple(held_out),
        causes,
        detectable_force(robot, residuals, at_rest),
        detectable_force(robot, residuals, np.array([joint.torque_error_max for joint in joints])),
        tuple(warnings),
    )


def _causes(
    robot: Robot,
    residuals: Sequence[CommandedResidual],
    fit: _Fit,
    rate: float,
    names: Sequence[str],
) -> tuple[ThresholdCause, ...]:
    """Return what determines each joint's threshold, by tuning it again without that."""
    robot = with_collision(robot, acceleration_step=fit.acceleration_step)
    motions = [free_motion(robot, residual) for residual in residuals]
    return tuple(
        _cause(joint, number, motions, rate, names) for number, joint in enumerate(fit.joints)
    )


def _cause(
    joint: TunedJoint, number: int, motions: Sequence[FreeMotion], rate: float, names: Sequence[str]
) -> ThresholdCause:
    shares = [joint.shares(motion, number) for motion in motions]
    k = int(np.argmax([share.max(initial=0.0) for share in shares]))
    block = int(np.argmax(shares[k]))
    time = float(motions[k].time[block])
    parts = list(motions)
    parts[k] = motions[k].without(time - APART, time + APART)
    other = tune_joint([part for part in parts if len(part.time)], number, joint.joint, rate)
    resting = bool(motions[k].boosted[block, number])
    threshold = joint.level(resting=resting)
    return ThresholdCause(
        names[k],
        time,
        float(motions[k].size[block, number]),
        resting,
        threshold,
        min(threshold, other.higher(*joint.raised).level(resting=resting)),
    )


def _check_torque_max(
    robot: Robot, joints: Sequence[TunedJoint], causes: Sequence[ThresholdCause]
) -> None:
    for joint, cause, limit in zip(
        joints, causes, robot.limits.of_joints(len(robot.joints)).torque, strict=True
    ):
        # dry friction of the model, which may be as large, is no error
        needed = joint.torque_error_max + (0.0 if joint.resting is None else joint.resting.value)
        if needed > limit:
            raise ConfigurationError(
                f"joint '{joint.joint}': its threshold of {needed:.3g} N m (N) is above its "
                f"torque_max of {limit:g}, because its torque error reaches {cause.error:.3g} at "
                f"{cause.time:.1f} s of {cause.recording}; omit that recording, or leave the "
                "contact out with --without, or improve the model; nothing was written."
            )


def _raised(shares: Sequence[Sequence[tuple[float, float]]], joints: int) -> list[list[float]]:
    """Return the factors of each joint that suffice for nine of ten recordings; 1 or more."""
    if not shares:
        return [[1.0, 1.0]] * joints
    needed = np.quantile(np.array(shares), SAFE, axis=0, method="inverted_cdf")
    factors: list[list[float]] = np.maximum(needed, 1.0).tolist()
    return factors


class _Fit(NamedTuple):
    """Thresholds of all joints from some recordings."""

    joints: tuple[TunedJoint, ...]
    acceleration_step: tuple[float, ...]

    def settings(self) -> dict[str, tuple[float, ...]]:
        thresholds = {
            name: tuple(rounded_up(getattr(joint, name)) for joint in self.joints) for name in TUNED
        }
        steps = tuple(rounded_up(step) for step in self.acceleration_step)
        return {**thresholds, "acceleration_step": steps}


def _fit(robot: Robot, residuals: Sequence[CommandedResidual], alarms_per_hour: float) -> _Fit:
    steps = abrupt_acceleration(robot, residuals)
    robot = with_collision(robot, acceleration_step=steps)
    motions = [free_motion(robot, residual) for residual in residuals]
    joints = tuple(
        tune_joint(motions, number, name, alarms_per_hour)
        for number, name in enumerate(robot.joints)
    )
    return _Fit(joints, steps)


def _left_out(
    residuals: Sequence[CommandedResidual],
) -> Iterator[tuple[int, list[CommandedResidual]]]:
    """Yield each recording's number and the others, where those are long enough for tuning."""
    for k in range(len(residuals)):
        others = [*residuals[:k], *residuals[k + 1 :]]
        if others and _hours(others) * 3600 >= _SHORTEST_RECORDING:
            yield k, others


def count_alarms(robot: Robot, tuning: Tuning | _Fit, residual: CommandedResidual) -> int:
    """Return how often thresholds would have stopped a robot in free motion."""
    _, _, alarms = residual.run_detector(with_collision(robot, **tuning.settings()))
    return len(alarms)


def _hours(residuals: Sequence[CommandedResidual]) -> float:
    return sum(residual.hours for residual in residuals)


def _poor_joints(joints: Sequence[TunedJoint], robot: Robot) -> Iterator[str]:
    """Yield sentences on thresholds that are too high, or based on too few data."""
    for joint, torque_max in zip(
        joints, robot.limits.of_joints(len(robot.joints)).torque, strict=True
    ):
        if joint.resting is None:
            yield (
                f"joint '{joint.joint}' hardly moves or is hardly at rest in the recordings, so "
                "it has one threshold for both; record both."
            )
        if joint.level(resting=True) > 0.5 * torque_max:
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
