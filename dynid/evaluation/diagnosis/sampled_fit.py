"""Least squares of base parameters on samples of a case."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.projection import basis_of, beyond
from dynid.evaluation.settings import EvaluationSettings
from dynid.signals.filters import low_pass

_INSTANTS = 1_500  # of the longest recording
_CHUNK = 4_000  # samples whose regressor is in memory at once
_SLOW_SHARE = 0.1  # of the peak speed: near a reversal of friction
_CUTOFF = 0.05  # of the sampling rate, if the motion is not filtered
_ROUNDING = 1e-12  # of the torque: the error of a fit to exact data
_LEAST_ERROR = 0.01  # over that of the worst joint: limits the weight of a joint without noise


@dataclass(frozen=True, eq=False)
class FitSamples:
    """Instants of the longest recording.

    Attributes:
        at: (m,) indices of the samples.
        regressor: (m, n, k) columns of the base parameters.
        torque: (N, n) at every sample, filtered like the motion [N m or N].
        kept: (m, n) True where the joint is not near a reversal.
    """

    at: NDArray[np.intp]
    regressor: Array
    torque: Array
    kept: NDArray[np.bool_]

    def rows(self, values: Array) -> Array:
        """Select values (N, n) at the kept instants, joint by joint; (r,)."""
        return np.asarray(values[self.at].T[self.kept.T])

    def columns(self, weight: Array) -> Array:
        """Return the regressor at the kept instants, weighted by joint (n,); (r, k)."""
        weighted = self.regressor * weight[:, None]
        return np.asarray(weighted.transpose(1, 0, 2)[self.kept.T])

    @property
    def joint(self) -> NDArray[np.intp]:
        """Joint of each row, (r,)."""
        joints = np.arange(self.kept.shape[1])
        return np.repeat(joints, self.kept.sum(axis=0))


def sampled(case: Case, *, reach: int = 0) -> FitSamples:
    """Choose instants of the longest recording and compute their regressor.

    Args:
        case: the case.
        reach: samples left out at each end.
    """
    signals = case.longest
    step = max(1, (len(signals.time) - 2 * reach) // _INSTANTS)
    at = np.arange(reach, len(signals.time) - reach, step)
    regressor = _regressor(case, at)
    return FitSamples(at, regressor, smooth_torque(case), _away_from_reversals(case)[at])


def smooth_torque(case: Case) -> Array:
    """Filter the torque (N, n) of the longest recording like the motion, without a delay."""
    signals = case.longest
    order = case.robot.settings(EvaluationSettings).filter_order
    return low_pass(signals.raw_torque, _cutoff(case), order, signals.sampling_rate)


def _cutoff(case: Case) -> float:
    """Return the cut-off frequency of the torque [Hz]."""
    rate = case.longest.sampling_rate
    return min(case.robot.settings(EvaluationSettings).cutoff_hz or _CUTOFF * rate, 0.45 * rate)


def per_joint(joint: NDArray[np.intp], values: Array, joints: int) -> Array:
    """Sum values (r,) over the rows of each joint, (n,)."""
    return np.asarray(np.bincount(joint, values, minlength=joints), dtype=np.float64)


def error_weights(samples: FitSamples) -> Array:
    """Return the inverse of the error of a fit at each joint (n,), with joints scaled equally."""
    torque, joint, joints = samples.rows(samples.torque), samples.joint, samples.kept.shape[1]
    size = np.sqrt(per_joint(joint, torque**2, joints))
    weight = 1 / np.where(size > 0, size, 1.0)
    error = beyond(basis_of(samples.columns(weight)), torque * weight[joint])
    left = np.sqrt(
        per_joint(joint, error**2, joints) / np.bincount(joint, minlength=joints).clip(1)
    )
    return np.asarray(weight / np.maximum(left, max(_LEAST_ERROR * left.max(), _ROUNDING)))


def free_residual(case: Case) -> float:
    """Return the norm of the torque residual of least squares, relative for each joint."""
    samples = sampled(case)
    torque, joint = samples.rows(samples.torque), samples.joint
    size = np.sqrt(per_joint(joint, torque**2, samples.kept.shape[1]))
    weight = 1 / np.where(size > 0, size, np.inf)
    basis = basis_of(samples.columns(weight))
    return float(np.linalg.norm(beyond(basis, torque * weight[joint])))


def _regressor(case: Case, at: NDArray[np.intp]) -> Array:
    """Return columns of the base parameters at instants; terms with memory use every sample."""
    signals, mechanism = case.longest, case.model or case.mechanism
    parts, past = [], signals.past(mechanism)
    for begin in range(0, len(signals.time), _CHUNK):
        span = slice(begin, begin + _CHUNK)
        chosen = at[(at >= begin) & (at < begin + _CHUNK)] - begin
        if len(past) == 0:  # no terms with memory
            position, velocity = signals.position[span][chosen], signals.velocity[span][chosen]
            acceleration = signals.acceleration[span][chosen]
            parts.append(mechanism.regressor(position, velocity, acceleration))
            continue
        rows = mechanism.regressor(
            signals.position[span], signals.velocity[span], signals.acceleration[span], past=past
        )
        parts.append(rows[chosen])
    return np.concatenate(parts)[:, :, case.base.independent]


def _away_from_reversals(case: Case) -> NDArray[np.bool_]:
    """Return where each joint is not near a reversal, (N, n)."""
    signals = case.longest
    speed = np.abs(signals.velocity)
    slow = speed < _SLOW_SHARE * speed.max(axis=0)
    # filters spread a reversal over a period of their cut-off frequency
    reach = round(signals.sampling_rate / _cutoff(case))
    near = np.cumsum(np.pad(slow, ((reach + 1, reach), (0, 0)), mode="edge"), axis=0)
    return np.asarray(near[2 * reach + 1 :] - near[: -2 * reach - 1] == 0)
