"""Torque errors of a model at each joint, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan

import numpy as np

from dynid.arrays import Array
from dynid.json_text import Figure
from dynid.signals.signals import Signals


@dataclass(frozen=True)
class JointErrors:
    """Torque error, model minus measured, of one joint; relative errors are fractions.

    Attributes:
        rmse: root mean square error in the unit of the recorded effort (``unit``).
        rmse_torque: the same as torque [N m] or force [N].
        rmse_raw: the same as rmse_torque for unfiltered torque [N m or N].
        nrmse: rmse over the range (max - min) of the measured torque.
        relative_error: norm of the error over norm of the measured torque.
        max_relative_torque_error, mean_relative_torque_error: error over the largest absolute
            measured torque, on moving samples (softMC).
    """

    joint: str
    unit: str
    rmse: Figure
    rmse_torque: Figure
    rmse_raw: Figure
    nrmse: Figure
    relative_error: Figure
    r_squared: Figure
    max_relative_torque_error: Figure
    mean_relative_torque_error: Figure
    samples: int
    moving_samples: int
    velocity_threshold: Figure
    sliding: bool = False


@dataclass(frozen=True)
class Verdict:
    """Evaluation of all joints.

    Attributes:
        joints: errors of each joint.
        success: whether the criterion is met.
        reasons: sentences on why it is not met.
        warnings: sentences on other problems.
    """

    joints: tuple[JointErrors, ...]
    success: bool
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def mean_relative_error(self) -> float:
        """Mean of the relative errors over the joints."""
        return float(np.mean([joint.relative_error for joint in self.joints]))


@dataclass(frozen=True)
class Comparison:
    """Model and measured torque along one recording, all (N, n) [N m or N].

    ``measured`` and ``model`` are filtered by the same parallel filter; ``raw_model`` is not
    filtered, for comparison with ``signals.raw_torque``.
    """

    signals: Signals
    measured: Array
    model: Array
    raw_model: Array
    sliding: tuple[bool, ...] = ()  # which joints are prismatic; (): none


def evaluate(
    comparisons: Sequence[Comparison], *, allowed: float, warnings: Sequence[str] = ()
) -> Verdict:
    """Evaluate every joint over all recordings together.

    Args:
        comparisons: one per recording, of the same joints.
        allowed: largest allowed maximum relative torque error (softMC: 0.5).
        warnings: sentences to add to the verdict's warnings.
    """
    names = comparisons[0].signals.joint_names
    joints = tuple(_joint_errors(comparisons, number) for number in range(len(names)))
    reasons = [reason for joint in joints for reason in _reasons(joint, allowed)]
    return Verdict(joints, not reasons, tuple(reasons), tuple(warnings))


def _reasons(joint: JointErrors, allowed: float) -> list[str]:
    worst = joint.max_relative_torque_error
    if not isfinite(joint.rmse):
        return [f"{joint.joint}: model or measured torque contains values that are not finite."]
    if joint.moving_samples == 0:
        speed = "m/s" if joint.sliding else "rad/s"
        threshold = f"{joint.velocity_threshold:.3g} {speed}"
        return [f"{joint.joint}: no sample moves faster than {threshold}."]
    if not isfinite(worst):
        return [f"{joint.joint}: the measured torque is zero in all samples in motion."]
    if worst > allowed:
        return [
            f"{joint.joint}: max relative torque error {worst:.1%}, allowed {100 * allowed:g}%."
        ]
    return []


def _joint_errors(comparisons: Sequence[Comparison], number: int) -> JointErrors:
    first = comparisons[0].signals
    measured = np.concatenate([c.measured[:, number] for c in comparisons])
    error = np.concatenate([c.model[:, number] for c in comparisons]) - measured
    raw_errors = [(c.raw_model - c.signals.raw_torque)[:, number] for c in comparisons]
    moving = np.concatenate([c.signals.moving[:, number] for c in comparisons])
    peak = float(np.abs(measured[moving]).max()) if moving.any() else 0.0
    worst = float(np.abs(error[moving]).max()) if moving.any() else 0.0
    mean = float(np.abs(error[moving]).mean()) if moving.any() else 0.0
    rmse = _rms(error)
    sliding = any(c.sliding[number] for c in comparisons if c.sliding)
    return JointErrors(
        joint=first.joint_names[number],
        unit="N" if sliding and first.effort_unit == "N*m" else first.effort_unit,
        rmse=rmse / abs(float(first.torque_per_effort[number])),
        rmse_torque=rmse,
        rmse_raw=_rms(np.concatenate(raw_errors)),
        nrmse=_ratio(rmse, float(np.ptp(measured))),
        relative_error=_ratio(rmse, _rms(measured)),
        r_squared=1.0 - _ratio(rmse, float(measured.std())) ** 2,
        max_relative_torque_error=_ratio(worst, peak),
        mean_relative_torque_error=_ratio(mean, peak),
        samples=len(measured),
        moving_samples=int(moving.sum()),
        velocity_threshold=float(max(c.signals.velocity_threshold[number] for c in comparisons)),
        sliding=sliding,
    )


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _ratio(part: float, whole: float) -> float:
    """Return ``part / whole``; infinite for an error of a joint without torque."""
    if whole > 0 or isnan(whole):
        return part / whole
    return 0.0 if part == 0 else float("inf")
