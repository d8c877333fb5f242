"""Parameters that the motion does not determine, and motion that would."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.base_parameters import INERTIAL
from dynid.estimation.fitting import Fit
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.text import listed, percent

Indices = NDArray[np.intp]

_CONDITION = 200.0  # Gautier and Khalil (1992) require less than 100 of an exciting trajectory
_UNCERTAIN = 0.3  # relative standard deviation usual as a bound for identifiable parameters
_LARGE_PREDICTION_ERROR = 0.06  # of the torque of other motion: three times the assumed errors
_TAKES_PART = 0.3  # of the largest share of a parameter in a combination
_MOST_NAMED = 6
_MOST_LISTED = 12
_FIRST_MOMENTS = INERTIAL[:4]  # with the mass: parameters of gravity torque
GOOD = 0.02
"""Torque error over torque (rms) of a good model on a good recording."""
_PERSISTENCE = 0.02  # [s] correlation time of such an error
_SAMPLES = 100
_SECONDS = 0.3  # from rest to the velocity limit, if no acceleration limit is known


def ill_conditioned(case: Case) -> Iterator[Finding]:
    """Find parameters without effect, and combinations that are poorly determined."""
    if case.fit is None:
        return
    unknown = np.flatnonzero(~case.fit.estimate.determined)
    if len(unknown):
        names = ", ".join(case.base.names[i] for i in unknown[:_MOST_LISTED])
        unlisted = len(unknown) - _MOST_LISTED
        names += f" and {unlisted} others" if unlisted > 0 else ""
        yield Finding(
            cause="ill_conditioned",
            joints=(),
            severity="warning",
            sentence=(
                f"{names} cannot be identified from this motion; the model keeps the URDF's values."
            ),
            advice=_remedy(case, unknown[:_MOST_LISTED]),
            evidence={"undetermined parameters": float(len(unknown))},
        )
    uncertain = list(_uncertain(case, case.fit))
    yield from uncertain
    if not uncertain and not len(unknown):
        yield from _combination(case, case.fit)


def _uncertain(case: Case, fitted: Fit) -> Iterator[Finding]:
    """Find joints with an uncertain torque in other motion within the limits."""
    uncertain = [
        prediction
        for prediction in predictions(case, fitted)
        if prediction.standard_deviation > _LARGE_PREDICTION_ERROR
    ]
    if not uncertain:
        return
    names = [case.joints[prediction.joint] for prediction in uncertain]
    shares = np.max([prediction.shares for prediction in uncertain], axis=0)
    order = np.argsort(-shares)[:_MOST_NAMED]
    worst = order[shares[order] > _TAKES_PART * shares[order[0]]]
    errors = listed(f"{100 * prediction.standard_deviation:.0f} %" for prediction in uncertain)
    yield Finding(
        cause="ill_conditioned",
        joints=tuple(names),
        severity="warning",
        sentence=(
            f"{listed(names)}: the predicted torque of other motion within the limits has a "
            f"standard deviation of {errors} (with torque errors of {100 * GOOD:.0f} % in this "
            "motion); the least certain parameters are "
            f"{listed(case.base.names[i] for i in worst)}."
        ),
        advice=_remedy(case, worst),
        evidence={
            f"standard deviation of torque of {name}": prediction.standard_deviation
            for name, prediction in zip(names, uncertain, strict=True)
        },
    )


def _combination(case: Case, fitted: Fit) -> Iterator[Finding]:
    """Find the least determined combination of parameters, if it is uncertain.

    With columns of the weighted regressor scaled to unit norm, W = U S Vᵀ, the combination vₖᵀ x of
    scaled parameters x has the standard deviation 1 / sₖ.
    """
    gram, shared = information(fitted)
    known = np.flatnonzero(fitted.estimate.determined)
    norms = np.sqrt(np.diag(gram)[known])
    values, vectors = np.linalg.eigh(gram[np.ix_(known, known)] / np.outer(norms, norms))
    values, vector = np.maximum(values, 1e-300), vectors[:, 0]
    size = float(np.linalg.norm(vector * fitted.estimate.base[known] * norms))
    uncertainty = float(np.sqrt(shared / values[0])) / max(size, 1e-300)
    condition = float(np.sqrt(values[-1] / values[0]))
    if condition < _CONDITION:
        return
    order = np.argsort(-np.abs(vector))[:_MOST_NAMED]
    named = order[np.abs(vector[order]) > _TAKES_PART * np.abs(vector[order[0]])]
    names = [case.base.names[i] for i in known[named]]
    yield Finding(
        cause="ill_conditioned",
        joints=(),
        severity="warning" if uncertainty > _UNCERTAIN else "note",
        sentence=(
            f"condition number {condition:.3g}: {listed(names)} are almost collinear in this "
            "motion; their worst combination has a relative standard deviation of "
            f"{percent(min(uncertainty, 99.0))} (with torque errors of {100 * GOOD:.0f} %)."
        ),
        advice=_remedy(case, known[named]),
        evidence={
            "condition number": condition,
            "relative standard deviation": uncertainty,
            **{
                f"share of {name}": float(share)
                for name, share in zip(names, vector[named], strict=True)
            },
        },
        plot=_singular_values(values),
    )


def _singular_values(eigenvalues: Array) -> Plot:
    return Plot(
        x_label="combination of parameters, from the best determined to the worst",
        y_label="singular value (log10)",
        traces=(
            Trace(
                np.arange(len(eigenvalues), dtype=np.float64),
                0.5 * np.log10(eigenvalues[::-1]),
                "weighted regressor, columns scaled",
                "dots",
            ),
        ),
    )


def _remedy(case: Case, parameters: Indices) -> str:
    """Describe motion that would determine these base parameters."""
    wanted: dict[str, list[str]] = {}
    for index in parameters:
        joint, motion = _motion_for(case, int(case.base.independent[index]))
        if joint not in wanted.setdefault(motion, []):
            wanted[motion].append(joint)
    parts = [motion.format(listed(joints)) for motion, joints in wanted.items()]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _motion_for(case: Case, parameter: int) -> tuple[str, str]:
    """Return the joint of a standard parameter, and the motion that excites it."""
    mechanism = case.mechanism
    if parameter < mechanism.first_term:
        joint = mechanism.body_joints[parameter // 10]
        if INERTIAL[parameter % 10] in _FIRST_MOMENTS:
            return joint, "move {} through more poses with different gravity torque"
        return joint, "accelerate {} faster, and in more poses of the neighbouring joints"
    term = mechanism.terms[parameter - mechanism.first_term]
    joint = mechanism.moving_joints[term.joint]
    if term.traits.inertial:
        return joint, "accelerate {} faster while the following joints take more poses"
    if not term.traits.dissipative:
        return joint, "move {} in both directions over more of its range"
    return joint, "move {} at more different speeds, in both directions"


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
    reach = [
        case.robot.limits.reach(joint, (low, high), prismatic=case.mechanism.prismatic[joint])
        for joint, (low, high) in enumerate(
            zip(recorded.min(axis=0), recorded.max(axis=0), strict=True)
        )
    ]
    lower, upper = np.array(reach).T
    return lower, upper
