"""Torque errors of a model at each joint, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.evaluation import criterion
from dynid.evaluation.joint_errors import JointErrors
from dynid.evaluation.noise_floor import noise_floor
from dynid.signals.signals import Signals

if TYPE_CHECKING:
    from dynid.evaluation.settings import EvaluationSettings
    from dynid.robot.robot import Robot


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
class TorqueComparison:
    """Model and measured torque along one recording, all (N, n) [N m or N].

    ``measured`` and ``model`` are filtered by the same parallel filter; ``raw_model`` is not
    filtered, for comparison with ``signals.raw_torque``.
    """

    signals: Signals
    measured: Array
    model: Array
    raw_model: Array
    sliding: tuple[bool, ...] = ()  # which joints are prismatic; (): none


@dataclass(frozen=True)
class ErrorReference:
    """What the errors of a model are rated against; (n,) each, None: not known.

    Attributes:
        held_out: relative errors of cross-validation; None: the recordings were not fitted.
        plain: the same of a model with plain friction.
        urdf: relative errors with the masses of the URDF and the model's joint terms.
        torque_max: largest torque of each joint [N m or N]; NaN: that measured.
        static_friction: by which friction can hold each joint at rest [N m or N]; None: joints have
            to move.
    """

    held_out: Sequence[float] | None = None
    plain: Sequence[float] | None = None
    torque_max: Sequence[float] | None = None
    static_friction: Sequence[float] | None = None
    urdf: Sequence[float] | None = None

    @classmethod
    def of(
        cls,
        robot: Robot,
        held_out: Sequence[float] | None = None,
        plain: Sequence[float] | None = None,
        static_friction: Sequence[float] | None = None,
        urdf: Sequence[float] | None = None,
    ) -> ErrorReference:
        """Return the reference with the limits of a robot."""
        limits = [robot.limits.range_of("torque_max", j) for j in range(len(robot.joints))]
        largest = [nan if limit is None else limit[1] for limit in limits]
        return cls(held_out, plain, largest, static_friction, urdf)


def evaluate(
    comparisons: Sequence[TorqueComparison],
    settings: EvaluationSettings,
    *,
    reference: ErrorReference | None = None,
    reasons: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> Verdict:
    """Evaluate every joint over all recordings together.

    Args:
        comparisons: one per recording, of the same joints.
        settings: the criterion, and the filters of the comparisons.
        reference: errors on data not used in the fit, and the robot's limits.
        reasons: sentences on why no model of these recordings can be good.
        warnings: sentences to add to the verdict's warnings.
    """
    names = comparisons[0].signals.joint_names
    floor = noise_floor([c.signals for c in comparisons], settings)
    joints = []
    for number in range(len(names)):
        errors = _joint_errors(comparisons, number)
        rated = _rated(
            errors, comparisons, number, float(floor[number]), reference or ErrorReference()
        )
        use = _use(rated, settings)
        joints.append(replace(rated, feedforward=use[0], collision=use[1]))
    not_met = [reason for joint in joints for reason in criterion.reasons(joint, settings)]
    reasons = (*reasons, *not_met)
    remarks = criterion.remarks(joints, settings)
    # causes before their symptoms
    return Verdict(tuple(joints), not reasons, reasons, (*warnings, *remarks))


def _rated(
    errors: JointErrors,
    comparisons: Sequence[TorqueComparison],
    number: int,
    floor: float,
    reference: ErrorReference,
) -> JointErrors:
    """Return the errors of a joint with those on data not used in the fit, and with its noise."""

    def of_joint(values: Sequence[float] | None) -> float:
        return nan if values is None else float(values[number])

    measured = np.concatenate([c.measured[:, number] for c in comparisons])
    error = np.concatenate([c.model[:, number] for c in comparisons]) - measured
    torque, seen = _rms(measured), errors.relative_error
    # noise cannot be larger than the error of a model that explains everything else
    noise = _ratio(min(floor, errors.rmse_torque), torque) if errors.rmse_torque > 0 else 0.0
    held_out = max(seen, of_joint(reference.held_out)) if reference.held_out is not None else seen
    held = of_joint(reference.static_friction) if errors.moving_samples == 0 else nan
    if not isnan(held):
        held_out = _ratio(_rms(np.maximum(np.abs(error) - held, 0.0)), torque)
    largest = np.abs(error) * (held_out / seen if 0 < seen < np.inf else 1.0)
    detectable = float(np.quantile(largest, criterion.USUAL)) if np.isfinite(largest).all() else nan
    limit, peak = of_joint(reference.torque_max), float(np.abs(measured).max())
    crossed = of_joint(reference.held_out)
    plain = of_joint(reference.plain) * (held_out / crossed if crossed > 0 else 1.0)
    return replace(
        errors,
        held_out_error=held_out,
        noise_share=noise,
        unexplained_error=criterion.unexplained(held_out, noise),
        plain_error=plain,
        urdf_error=of_joint(reference.urdf),
        detectable_torque=detectable,
        detectable_share=_ratio(detectable, peak if isnan(limit) else limit),
        static_friction=held,
    )


def _use(joint: JointErrors, settings: EvaluationSettings) -> tuple[bool | None, bool | None]:
    """Return whether the model of a joint serves feedforward, and collision detection."""
    if not isnan(joint.static_friction):
        return None, None
    if joint.noise_share > 0 and isnan(joint.unexplained_error):
        return None, None
    feedforward = joint.unexplained_error <= settings.max_held_out_error
    return feedforward, feedforward and joint.detectable_share <= criterion.DETECTABLE


def _joint_errors(comparisons: Sequence[TorqueComparison], number: int) -> JointErrors:
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
    recording, time = _largest_error(comparisons, number)
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
        largest_error_time=time,
        largest_error_recording=recording,
        sliding=sliding,
        of_several=len(comparisons) > 1,
    )


def _largest_error(comparisons: Sequence[TorqueComparison], number: int) -> tuple[int, float]:
    """Return the recording, from 1, and the time [s] of a joint's largest error in motion."""
    largest = (-1.0, 1, nan)
    for recording, comparison in enumerate(comparisons, start=1):
        error = np.abs(comparison.model - comparison.measured)[:, number]
        error = np.where(comparison.signals.moving[:, number], error, -1.0)
        at = int(np.argmax(error))
        largest = max(largest, (float(error[at]), recording, float(comparison.signals.time[at])))
    return largest[1:] if largest[0] >= 0 else (1, nan)


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _ratio(part: float, whole: float) -> float:
    """Return ``part / whole``; infinite for an error of a joint without torque."""
    if whole > 0 or isnan(whole):
        return part / whole
    return 0.0 if part == 0 else float("inf")
