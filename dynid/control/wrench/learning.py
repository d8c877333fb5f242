"""The uncertainty of the external torque, from free motion or from the identification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.control.tail import rare_level
from dynid.control.wrench.external_torque import ObservedTorque
from dynid.control.wrench.uncertainty import ExternalTorqueUncertainty
from dynid.errors import ConfigurationError
from dynid.robot.model import Model
from dynid.robot.robot import Robot

_NORMAL_SHARE = 0.9545  # of a normal distribution within two standard deviations
_PIECES = range(3)  # of a recording, where there are less than three
_BETWEEN = 1.0  # [s] between two pieces
_FEWEST_SAMPLES_IN_MOTION = 50  # samples of a joint in motion
_MOST_FITTED_SAMPLES = 4000  # samples that are fitted
_ROUNDS = 8  # of the reweighted fit
# [N m or N] standard deviation, where a recording is the model's own torque
_SMALLEST_DEVIATION = 1e-9


def identified_uncertainty(
    model: Model, *, observer_gain: float, false_alarms_per_hour: float
) -> ExternalTorqueUncertainty:
    """Return the errors that the identification states, where no free motion was recorded.

    The rms torque error of the joints, times the ratio of its held-out to its fit error where that
    is known and above 1; joints are independent. The threshold is that of a normal distribution.

    Raises:
        ConfigurationError: the model was not identified.
    """
    robot, errors = model.robot, model.errors
    if errors is None:
        raise ConfigurationError(
            f"the model of {robot.name} was not identified, so its torque errors are unknown; "
            "give recordings of free motion."
        )
    rmse = np.array(errors.rmse_torque)
    if errors.held_out_relative_error:
        held_out, fit = np.array(errors.held_out_relative_error), np.array(errors.relative_error)
        ratio = np.divide(held_out, fit, out=np.ones_like(fit), where=fit > 0)
        rmse = rmse * np.maximum(1.0, np.where(np.isfinite(ratio), ratio, 1.0))
    covariance = np.diag(np.maximum(rmse, _SMALLEST_DEVIATION) ** 2)
    if (coupling := robot.motor_coupling) is not None:
        covariance = coupling.T @ covariance @ coupling
    deviation = np.sqrt(np.diag(covariance))
    return ExternalTorqueUncertainty(
        robot.joints,
        deviation,
        np.zeros(len(deviation)),
        covariance / np.outer(deviation, deviation),
        _normal_threshold(len(deviation), observer_gain, false_alarms_per_hour),
        observer_gain,
        "identification",
    )


def learned_uncertainty(
    robot: Robot, observed: Sequence[ObservedTorque], *, false_alarms_per_hour: float
) -> ExternalTorqueUncertainty:
    """Estimate the uncertainty from free motion, not used in the identification.

    Variances are fitted by maximum likelihood to the samples in motion. Then each piece (a
    recording, or thirds of one or two) is compared with a fit to the others: standard deviations
    are raised where two of them contain less than 95 % of these samples. The threshold is the level
    that these distances exceed at the wanted rate (:func:`rare_level`), at least that of a normal
    distribution and the largest one. Samples are correlated in time, so the correlation of the
    joints is shrunk by the number of the observer's time constants.

    Args:
        robot: the robot.
        observed: external torque in free motion, one for each recording.
        false_alarms_per_hour: acceptable rate of contacts that are none [1/h].

    Raises:
        ConfigurationError: there is no external torque.
    """
    pieces = list(observed) if len(observed) > len(_PIECES) - 1 else _divided(observed)
    uncertainty = _fitted(robot, pieces)
    others = [_fitted(robot, [other for other in pieces if other is not piece]) for piece in pieces]
    raised = np.array([_raised(pieces, others, j) for j in range(len(robot.joints))])
    uncertainty = _scaled(uncertainty, raised)
    distances = [
        piece.distance(_scaled(other, raised)) for piece, other in zip(pieces, others, strict=True)
    ]
    seconds = sum(piece.seconds for piece in pieces)
    starts = np.cumsum([0.0, *(piece.seconds + _BETWEEN for piece in pieces[:-1])])
    time = np.concatenate(
        [at + piece.time - piece.time[0] for at, piece in zip(starts, pieces, strict=True)]
    )
    least = _normal_threshold(len(raised), uncertainty.observer_gain, false_alarms_per_hour)
    all_distances = np.concatenate(distances)
    level = rare_level(
        all_distances,
        time,
        seconds / 3600 * false_alarms_per_hour,
        least=max(least, float(all_distances.max())),
    )
    return replace(uncertainty, threshold=level.value, free_seconds=seconds)


def _divided(observed: Sequence[ObservedTorque]) -> list[ObservedTorque]:
    """Return thirds of the recordings."""
    return [
        torque.between(*(torque.time[0] + np.array([k, k + 1]) / len(_PIECES) * torque.seconds))
        for torque in observed
        for k in _PIECES
    ]


def _fitted(robot: Robot, pieces: Sequence[ObservedTorque]) -> ExternalTorqueUncertainty:
    """Return the fit to pieces, without a threshold."""
    torque = np.concatenate([piece.torque for piece in pieces])
    velocity = np.concatenate([piece.velocity for piece in pieces])
    moving = np.concatenate([piece.moving for piece in pieces])
    joints = range(torque.shape[1])
    fits = [_fit(torque[:, j], velocity[:, j], moving[:, j], robot.joints[j]) for j in joints]
    constant, per_speed = (np.array(part) for part in zip(*fits, strict=True))
    normal = torque / np.sqrt(constant**2 + (per_speed * velocity) ** 2)
    gain, seconds = pieces[0].gain, sum(piece.seconds for piece in pieces)
    correlation = _correlation(normal, moving, seconds * gain)
    return ExternalTorqueUncertainty(
        robot.joints, constant, per_speed, correlation, 0.0, gain, "free motion"
    )


def _scaled(uncertainty: ExternalTorqueUncertainty, raised: Array) -> ExternalTorqueUncertainty:
    return replace(
        uncertainty,
        constant=raised * uncertainty.constant,
        per_speed=raised * uncertainty.per_speed,
    )


def _raised(
    pieces: Sequence[ObservedTorque], others: Sequence[ExternalTorqueUncertainty], joint: int
) -> float:
    """Return the factor for a joint by which pieces exceed the fits to the others, at least 1."""
    sizes = []
    for piece, other in zip(pieces, others, strict=True):
        part = np.hypot(other.constant, other.per_speed * piece.velocity)[:, joint]
        sizes.append(np.abs(piece.torque[:, joint] / part)[piece.moving[:, joint]])
    size = np.concatenate(sizes)
    return (
        max(1.0, float(np.quantile(size, _NORMAL_SHARE)) / 2)
        if len(size) >= _FEWEST_SAMPLES_IN_MOTION
        else 1.0
    )


def _fit(torque: Array, velocity: Array, moving: Array, joint: str) -> tuple[float, float]:
    """Return the constant and the part per speed of a joint's standard deviation."""
    enough = np.count_nonzero(moving) >= _FEWEST_SAMPLES_IN_MOTION
    chosen = np.flatnonzero(moving) if enough else np.arange(len(torque))
    chosen = chosen[:: -(-len(chosen) // _MOST_FITTED_SAMPLES)]
    square, speed = torque[chosen] ** 2, velocity[chosen] ** 2
    if not square.any():
        message = f"joint '{joint}' has no external torque: its effort equals the model's."
        raise ConfigurationError(message)
    variance = np.full(len(square), square.mean())
    fastest = float(speed.max())
    # b of the shares a + b v^2 / v_max^2; Fisher scoring of the normal likelihood
    columns = np.column_stack([np.ones_like(speed), speed / max(fastest, 1e-300)])
    if not enough or fastest == 0:
        columns[:, 1] = 0.0
    share = np.array([variance[0], 0.0])
    for _ in range(_ROUNDS):
        share, _ = scipy.optimize.nnls(columns / variance[:, np.newaxis], square / variance)
        variance = np.maximum(columns @ share, 1e-6 * square.mean())
    share[0] = max(share[0], 1e-6 * square.mean())
    constant = max(float(np.sqrt(share[0])), _SMALLEST_DEVIATION)
    return constant, float(np.sqrt(share[1] / fastest)) if fastest > 0 else 0.0


def _correlation(normal: Array, moving: Array, count: float) -> Array:
    """Return the correlation of the joints' errors (n, n), shrunk to independent ones.

    Args:
        normal: errors over their standard deviations (N, n).
        moving: whether the joint moves (N, n).
        count: number of independent samples.
    """
    joints = normal.shape[1]
    values = np.where(moving, normal, 0.0)
    together = np.maximum(moving.T.astype(np.float64) @ moving, 1.0)
    mean = values.T @ values / together
    scale = np.sqrt(np.maximum(np.diag(mean), 1e-300))
    correlation = mean / np.outer(scale, scale)
    kept = count / (count + joints)
    shrunk = kept * correlation + (1 - kept) * np.eye(joints)
    # pairs that rarely move together may make it indefinite
    lowest = float(np.linalg.eigvalsh(shrunk).min())
    if lowest < 1 - kept:
        share = (1 - kept - lowest) / (1 - lowest)
        shrunk = (1 - share) * shrunk + share * np.eye(joints)
    np.fill_diagonal(shrunk, 1.0)
    return np.asarray((shrunk + shrunk.T) / 2)


def _normal_threshold(joints: int, observer_gain: float, false_alarms_per_hour: float) -> float:
    """Return the distance that normal errors exceed at a rate [1/h]; two time constants apart."""
    independent = 3600 * observer_gain / 2
    return float(scipy.stats.chi2.isf(min(0.5, false_alarms_per_hour / independent), joints))
