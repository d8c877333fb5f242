"""Least squares of base parameters on samples of a case: what a model of this form could do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.settings import EvaluationSettings
from dynid.signals.filters import low_pass

_INSTANTS = 1_500  # that are fitted, of the longest recording
_CHUNK = 4_000  # samples whose regressor is in memory at once
_SLOW = 0.1  # of the peak speed: friction is about to turn over
_CUTOFF = 0.05  # of the sampling rate, where the motion is not filtered
_RANK = 1e-5  # of the largest singular value, of columns of unit norm


@dataclass(frozen=True, eq=False)
class Samples:
    """Instants of the longest recording that are fitted.

    Attributes:
        at: (m,) their indices.
        regressor: (m, n, k) columns of the base parameters.
        torque: (N, n) at every sample, filtered as the motion is.
        kept: (m, n) the joint is not about to reverse, and has not just reversed.
    """

    at: NDArray[np.intp]
    regressor: Array
    torque: Array
    kept: NDArray[np.bool_]

    def rows(self, values: Array) -> Array:
        """Values (N, n) at the kept instants, joint by joint, in one row each; (r,)."""
        return np.asarray(values[self.at].T[self.kept.T])

    def columns(self, weight: Array) -> Array:
        """The regressor at the kept instants, weighted by joint (n,); (r, k)."""
        weighted = self.regressor * weight[:, None]
        return np.asarray(weighted.transpose(1, 0, 2)[self.kept.T])

    @property
    def joint(self) -> NDArray[np.intp]:
        """Which joint each row is of, (r,)."""
        joints = np.arange(self.kept.shape[1])
        return np.repeat(joints, self.kept.sum(axis=0))


def sampled(case: Case, *, reach: int = 0) -> Samples:
    """Choose instants of the longest recording and work out their regressor.

    Args:
        case: what is looked at.
        reach: samples left out at either end.
    """
    signals = case.longest
    step = max(1, (len(signals.time) - 2 * reach) // _INSTANTS)
    at = np.arange(reach, len(signals.time) - reach, step)
    regressor = _regressor(case, at)
    return Samples(at, regressor, smooth_torque(case), _away_from_reversals(case)[at])


def smooth_torque(case: Case) -> Array:
    """Torque (N, n) of the longest recording through the filter of the motion, neither leading."""
    signals = case.longest
    order = case.robot.settings(EvaluationSettings).filter_order
    return low_pass(signals.raw_torque, _cutoff(case), order, signals.sampling_rate)


def _cutoff(case: Case) -> float:
    """Frequency [Hz] up to which torque is looked at."""
    rate = case.longest.sampling_rate
    return min(case.robot.settings(EvaluationSettings).cutoff_hz or _CUTOFF * rate, 0.45 * rate)


def per_joint(joint: NDArray[np.intp], values: Array, joints: int) -> Array:
    """Sum values (r,) over the rows of each joint, (n,)."""
    return np.asarray(np.bincount(joint, values, minlength=joints), dtype=np.float64)


def basis_of(columns: Array) -> Array:
    """Orthonormal basis of what columns (r, k) span, by eigenvectors of their products.

    That is several times as fast as a singular value decomposition, and exact enough here.
    """
    if len(columns) == 0:
        return np.zeros((0, 0))
    norms = np.linalg.norm(columns, axis=0)
    scaled = columns / np.where(norms > 0, norms, 1.0)
    squares, vectors = np.linalg.eigh(scaled.T @ scaled)
    kept = squares > _RANK**2 * squares[-1]
    return np.asarray(scaled @ (vectors[:, kept] / np.sqrt(squares[kept])))


def beyond(basis: Array, values: Array) -> Array:
    """What is left of values (r,) or (r, c) without their part in a basis (r, k)."""
    return np.asarray(values - basis @ (basis.T @ values))


def free_misfit(case: Case) -> float:
    """What is left of the torque under any base parameters, every joint counting the same."""
    samples = sampled(case)
    torque, joint = samples.rows(samples.torque), samples.joint
    size = np.sqrt(per_joint(joint, torque**2, samples.kept.shape[1]))
    weight = 1 / np.where(size > 0, size, np.inf)
    basis = basis_of(samples.columns(weight))
    return float(np.linalg.norm(beyond(basis, torque * weight[joint])))


def _regressor(case: Case, at: NDArray[np.intp]) -> Array:
    """Columns of the base parameters at some instants; terms with memory see every sample."""
    signals, mechanism = case.longest, case.model or case.mechanism
    parts, past = [], signals.past(mechanism)
    for begin in range(0, len(signals.time), _CHUNK):
        span = slice(begin, begin + _CHUNK)
        chosen = at[(at >= begin) & (at < begin + _CHUNK)] - begin
        if len(past) == 0:  # nothing remembers: only the instants themselves count
            position, velocity = signals.position[span][chosen], signals.velocity[span][chosen]
            acceleration = signals.acceleration[span][chosen]
            parts.append(mechanism.regressor(position, velocity, acceleration))
            continue
        every = mechanism.regressor(
            signals.position[span], signals.velocity[span], signals.acceleration[span], past=past
        )
        parts.append(every[chosen])
    return np.concatenate(parts)[:, :, case.base.independent]


def _away_from_reversals(case: Case) -> NDArray[np.bool_]:
    """Where each joint is well away from its reversals, before and behind them; (N, n)."""
    signals = case.longest
    speed = np.abs(signals.velocity)
    slow = speed < _SLOW * speed.max(axis=0)
    # filters smear what happens at a reversal over a period of their cut-off
    reach = round(signals.sampling_rate / _cutoff(case))
    near = np.cumsum(np.pad(slow, ((reach + 1, reach), (0, 0)), mode="edge"), axis=0)
    return np.asarray(near[2 * reach + 1 :] - near[: -2 * reach - 1] == 0)
