"""Torque errors of a model at each joint, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.estimation.regression import BLOCKS
from dynid.evaluation import criterion
from dynid.evaluation.joint_errors import JointErrors
from dynid.evaluation.torque_intervals import torque_intervals
from dynid.evaluation.uses import USUAL, uses_of
from dynid.signals.filters import ParallelFilter, low_pass
from dynid.signals.signals import Signals

if TYPE_CHECKING:
    from dynid.evaluation.settings import EvaluationSettings
    from dynid.robot.robot import Robot
    from dynid.signals.settings import SignalSettings


@dataclass(frozen=True)
class Verdict:
    """Evaluation of all joints.

    Attributes:
        joints: errors of each joint.
        success: whether every joint that moves passes.
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

    @property
    def mean_error(self) -> float:
        """Mean of the relative errors on data not used in the fit, over the compared joints."""
        return _mean(joint.held_out_error for joint in self.compared)

    @property
    def mean_urdf_error(self) -> float:
        """Mean of the errors with the masses of the URDF and joint terms fitted to them; or NaN."""
        return _mean(joint.urdf_error for joint in self.compared)

    @property
    def compared(self) -> tuple[JointErrors, ...]:
        """The joints that move and at which the model can be compared with the URDF."""
        return tuple(
            joint
            for joint in self.joints
            if joint.moving_samples > 0
            and isfinite(joint.held_out_error)
            and isfinite(joint.urdf_error)
        )


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
        urdf: relative errors with the masses of the URDF and joint terms fitted to them.
        torque_max: largest torque of each joint [N m or N]; NaN: that measured.
        static_friction: by which friction can hold each joint at rest [N m or N]. Where nothing was
            fitted, joints at rest are rated with it; None: not known, and joints have to move.
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
        reasons: sentences on why no model of these recordings can be good; with any, no use is
            rated.
        warnings: sentences to add to the verdict's warnings.
    """
    names = comparisons[0].signals.joint_names
    floor = noise_floor([c.signals for c in comparisons], settings)
    against = reference or ErrorReference()
    resting = against.held_out is None and against.static_friction is not None
    joints = []
    for number in range(len(names)):
        torques = _JointTorques.of(comparisons, number)
        errors = _joint_errors(comparisons, number, torques)
        rated = _rated(errors, torques, number, float(floor[number]), against)
        rated = replace(rated, state=criterion.state(rated, settings, resting=resting))
        uses = () if reasons else uses_of(rated, settings)
        serves = {use.use: use.serves for use in uses}
        rated = replace(
            rated,
            uses=uses,
            feedforward=serves.get("feedforward"),
            collision=serves.get("collision"),
        )
        joints.append(rated)
    reasons = (*reasons, *criterion.reasons(joints, settings))
    remarks = criterion.remarks(joints, settings)
    # causes before their symptoms
    return Verdict(tuple(joints), not reasons, reasons, (*warnings, *remarks))


class _JointTorques(NamedTuple):
    """Torque of one joint along all recordings (N,) [N m or N], and where it moves."""

    measured: Array
    error: Array
    moving: NDArray[np.bool_]

    @classmethod
    def of(cls, comparisons: Sequence[TorqueComparison], number: int) -> _JointTorques:
        measured = np.concatenate([c.measured[:, number] for c in comparisons])
        model = np.concatenate([c.model[:, number] for c in comparisons])
        moving = np.concatenate([c.signals.moving[:, number] for c in comparisons])
        return cls(measured, model - measured, moving)


def _rated(
    errors: JointErrors, torques: _JointTorques, number: int, floor: float, against: ErrorReference
) -> JointErrors:
    """Return the errors of a joint with those on data not used in the fit, and with its noise."""

    def of_joint(values: Sequence[float] | None) -> float:
        return nan if values is None else float(values[number])

    measured, error, _ = torques
    torque, seen = _rms(measured), errors.relative_error
    # noise cannot be larger than the error of a model that explains everything else
    noise = _ratio(min(floor, errors.rmse_torque), torque) if errors.rmse_torque > 0 else 0.0
    crossed = of_joint(against.held_out)
    held_out = seen if isnan(crossed) else max(seen, crossed)
    friction = of_joint(against.static_friction)
    if errors.moving_samples == 0 and isnan(crossed) and not isnan(friction):
        held_out = _ratio(_rms(np.maximum(np.abs(error) - friction, 0.0)), torque)
    times = held_out / seen if 0 < seen < np.inf else 1.0  # worse than on the data of the fit
    largest = np.abs(error) * times
    detectable = float(np.quantile(largest, USUAL)) if np.isfinite(largest).all() else nan
    limit, peak = of_joint(against.torque_max), float(np.abs(measured).max())
    peak = peak if isnan(limit) else limit
    explained, deviation = _explained_variance(torques, times, noise * torque)
    intervals = torque_intervals(times * error, torques.moving, friction)
    if not measured.std() > max(2**0.5 * floor, np.finfo(float).eps ** 0.5 * torque):  # noise
        errors = replace(errors, nrmse=nan, r_squared=nan)
    return replace(
        _with_rest(errors, torques, times, friction),
        held_out_error=held_out,
        noise_share=noise,
        unexplained_error=criterion.unexplained(held_out, noise),
        plain_error=of_joint(against.plain) * (held_out / crossed if crossed > 0 else 1.0),
        urdf_error=of_joint(against.urdf),
        constant_error=_ratio(float(measured.std()), torque),
        explained_variance=explained,
        explained_variance_uncertainty=deviation,
        detectable_torque=detectable,
        detectable_share=_ratio(detectable, peak),
        payload_share=_ratio(2 * times * errors.rmse_torque, peak),
        static_friction=friction,
        moving_interval=intervals[0],
        resting_interval=intervals[1],
    )


def _explained_variance(torques: _JointTorques, times: float, noise: float) -> tuple[float, float]:
    """Return the share of the torque's variance that the model explains, and its uncertainty.

    The noise is in the variance about the mean and in the squared error, and cancels in their
    difference. The uncertainty is from the scatter of the squared error between blocks of time.

    Args:
        torques: of the joint.
        times: error on unseen data over that of the data.
        noise: rms of the noise [N m or N].

    Returns:
        NaN if noise is half of the variance or more and the model is as good as a constant.
    """
    measured, error, _ = torques
    variance = float(np.sum((measured - measured.mean()) ** 2))
    beyond_noise = variance - len(measured) * noise**2
    squared = (times * error) ** 2
    if not beyond_noise > variance / 2:
        total = float(squared.sum())
        return (nan if total <= 2 * variance else -_ratio(total, variance)), nan
    blocks = [float(part.sum()) for part in np.array_split(squared, min(BLOCKS, len(squared)))]
    spread = float(np.std(blocks, ddof=1)) * np.sqrt(len(blocks)) if len(blocks) > 1 else 0.0
    return (variance - float(squared.sum())) / beyond_noise, float(spread / beyond_noise)


def _with_rest(
    errors: JointErrors, torques: _JointTorques, times: float, friction: float
) -> JointErrors:
    """Return the errors in motion and at rest, where torque is undetermined by static friction."""
    measured, error, moving = torques
    resting = ~moving
    if moving.any():
        moving_error = _ratio(times * _rms(error[moving]), _rms(measured[moving]))
        errors = replace(errors, moving_error=moving_error)
    if not resting.any():
        return replace(errors, rest_share=0.0, rest_error_share=0.0)
    beyond = np.maximum(np.abs(times * error[resting]) - np.nan_to_num(friction), 0.0)
    return replace(
        errors,
        rest_share=float(resting.mean()),
        rest_rmse=_rms(error[resting]),
        rest_error=_ratio(_rms(beyond), _rms(measured)),
        rest_error_share=_ratio(float(np.sum(error[resting] ** 2)), float(np.sum(error**2))),
    )


def _joint_errors(
    comparisons: Sequence[TorqueComparison], number: int, torques: _JointTorques
) -> JointErrors:
    first = comparisons[0].signals
    measured, error, moving = torques
    raw_errors = [(c.raw_model - c.signals.raw_torque)[:, number] for c in comparisons]
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


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known) if known else nan


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _ratio(part: float, whole: float) -> float:
    """Return ``part / whole``; infinite for an error of a joint without torque."""
    if whole > 0 or isnan(whole):
        return part / whole
    return 0.0 if part == 0 else float("inf")


def noise_floor(signals: Sequence[Signals], settings: SignalSettings) -> Array:
    """Estimate the noise that is left in the filtered torque of each joint, (n,) [N m or N], rms.

    The white noise of the unfiltered torque times the gain of the filters. Noise that the drive has
    filtered before it was recorded is not detected, so this is a lower bound.
    """
    samples = np.array([len(recording.time) for recording in signals], dtype=np.float64)
    power = [(recording.white_noise * _gain(recording, settings)) ** 2 for recording in signals]
    return np.asarray(np.sqrt(samples @ np.array(power) / samples.sum()))


def _gain(signals: Signals, settings: SignalSettings) -> float:
    """Return the gain of all filters of torque for the rms of white noise: that of an impulse."""
    parallel = ParallelFilter.of(settings, signals.sampling_rate)
    impulse = np.zeros((len(signals.time), 1))
    impulse[len(impulse) // 2] = 1.0
    if settings.filter_torque and settings.motion_cutoff_hz is not None:
        impulse = low_pass(
            impulse, settings.motion_cutoff_hz, settings.filter_order, signals.sampling_rate
        )
    return float(np.linalg.norm(parallel.smooth(impulse)))
