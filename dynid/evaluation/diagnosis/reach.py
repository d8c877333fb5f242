"""Prediction of the model's torque uncertainty for other motion within the limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.estimation.fitting import Fit
from dynid.evaluation.diagnosis.case import Case

GOOD = 0.02
"""Torque error over torque (rms) of a good model on a good recording."""
_PERSISTENCE = 0.02  # [s] correlation time of such an error
_SAMPLES = 100
_HALF_TURN = np.pi  # [rad] in each direction: wider limits add no other poses
_SECONDS = 0.3  # from rest to the velocity limit, if no acceleration limit is known


@dataclass(frozen=True)
class PredictedTorqueUncertainty:
    """Predicted torque of a joint for random motion within the limits.

    Attributes:
        joint: number of the joint.
        standard_deviation: of the predicted torque (rms) over the torque (rms).
        shares: (k,) contribution of each base parameter's own standard deviation.
    """

    joint: int
    standard_deviation: float
    shares: Array


def predictions(case: Case, fitted: Fit) -> Iterator[PredictedTorqueUncertainty]:
    """Predict torque within the limits with its variance, var(τ) = W C Wᵀ, joint by joint.

    Yields nothing if velocity limits are unknown, or a closed chain cannot reach such poses.
    """
    motion = _motion_within_limits(case)
    if motion is None:
        return
    regressor = fitted.problem.mechanism.regressor(*motion)[:, :, case.base.independent]
    covariance = _covariance(fitted)
    for joint in range(len(case.joints)):
        rows = regressor[:, joint]
        size = float(np.linalg.norm(rows @ fitted.estimate.base))
        variance = np.einsum("ik,ik->", rows @ covariance, rows)
        alone = np.linalg.norm(rows, axis=0) * np.sqrt(np.maximum(np.diag(covariance), 0.0))
        if size > 0:
            yield PredictedTorqueUncertainty(
                joint, float(np.sqrt(max(variance, 0.0))) / size, alone / size
            )


def information(fitted: Fit) -> tuple[Array, float]:
    """Return the information of the motion on the base parameters, independent of actual errors.

    Errors are assumed to have the size that is usual in a good recording, so that the motion is
    evaluated and not noise or model errors.

    Returns:
        WᵀW (k, k) of rows divided by the standard deviation of the assumed errors, and their
        correlation time [rows].
    """
    equations = fitted.estimate.plain_equations
    variance = GOOD**2 * equations.squared_torque / np.maximum(equations.joint_rows, 1.0)
    weight = 1 / np.where(variance > 0, variance, np.inf)
    rows = fitted.problem.rows[0]
    rate = rows.signals.sampling_rate / rows.parallel_filter.decimation
    gram = np.einsum("j,jik->ik", weight, equations.joint_gram[:, :-1, :-1])
    return gram, max(1.0, _PERSISTENCE * rate)


def _covariance(fitted: Fit) -> Array:
    gram, shared = information(fitted)
    norms = np.sqrt(np.diag(gram))
    scale = np.where(fitted.estimate.determined, 1 / np.where(norms > 0, norms, np.inf), 0.0)
    inverse = np.linalg.pinv(scale[:, None] * gram * scale, rcond=1e-10, hermitian=True)
    return np.asarray(shared * scale[:, None] * inverse * scale)


def _motion_within_limits(case: Case) -> tuple[Array, Array, Array] | None:
    limits, joints = case.robot.limits, range(len(case.joints))
    speeds = [limits.range_of("velocity", j) for j in joints]
    if any(speed is None for speed in speeds):
        return None
    fast = np.array([speed[1] for speed in speeds if speed is not None])
    accelerations = [limits.range_of("acceleration", j) for j in joints]
    hard = [
        speed / _SECONDS if a is None else a[1]
        for a, speed in zip(accelerations, fast, strict=True)
    ]
    lower, upper = _positions(case)
    random = np.random.default_rng(0)
    shape = (_SAMPLES, len(case.joints))
    position = random.uniform(lower, upper, shape)
    position = position[case.mechanism.reachable(position)]
    if len(position) < _SAMPLES // 4:
        return None
    velocity = random.uniform(-fast, fast, shape)[: len(position)]
    return position, velocity, random.uniform(-1, 1, velocity.shape) * np.array(hard)


def _positions(case: Case) -> tuple[Array, Array]:
    """Return lower and upper positions (n,): limits within one turn, and the recorded range."""
    recorded = case.decimated.position
    lower, upper = recorded.min(axis=0), recorded.max(axis=0)
    for joint in range(len(case.joints)):
        limit = case.robot.limits.range_of("position", joint)
        if limit is not None:
            widest = np.inf if case.mechanism.prismatic[joint] else _HALF_TURN
            lower[joint] = min(lower[joint], max(limit[0], -widest))
            upper[joint] = max(upper[joint], min(limit[1], widest))
    return lower, upper
