"""Total least squares, with errors of the measured motion in the regressor."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.estimation.estimate import Estimate, Estimator, joint_variance
from dynid.estimation.least_squares import WeightedLeastSquares, estimate_at
from dynid.estimation.regression import Problem, Rows
from dynid.estimation.row_memory import RowMemory
from dynid.linalg import ScaledSpectrum
from dynid.signals.signals import Signals

_ROUNDS = 4
_LEAST_TORQUE_NOISE = 0.05  # of a joint's error variance
_MOSTLY_NOISE = 0.9  # share of noise above which a direction is not identifiable
_SMALLEST_ERROR_SHARE = 1e-12  # squared error over squared torque


class TotalLeastSquares(Estimator):
    """Generalised TLS with exact columns (Van Huffel and Vandewalle 1991; Gautier et al. 1994).

    The covariance C of the columns' errors is found by simulation: noise of the size that the
    filters removed from the positions passes the same filters, derivatives and regressor. Columns
    without noise, such as an offset's, are exact (mixed LS–TLS). Joints are weighted by their
    torque noise: the part of their errors that motion noise does not explain.
    """

    name = "tls"
    summary = "total least squares: measured positions are noisy too"

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`."""
        near = problem.base.project(start)
        equations = problem.normal_equations()
        rows, grams = equations.joint_rows, equations.joint_gram
        errors = _column_errors(problem)
        base = WeightedLeastSquares().fit(problem, start).base
        for _ in range(_ROUNDS):
            total = joint_variance(equations, base)
            extended = np.append(base, -1.0)
            motion = np.einsum("i,jik,k->j", extended, errors, extended) / np.maximum(rows, 1.0)
            torque = np.maximum(total - motion, _LEAST_TORQUE_NOISE * total)
            noise = np.einsum("j,jik->ik", 1 / torque, errors)
            noise[-1, -1] = rows.sum()
            base = total_least_squares(np.einsum("j,jik->ik", 1 / torque, grams), noise, near)
        return estimate_at(problem, base)


def total_least_squares(gram: Array, noise: Array, start: Array) -> Array:
    """Return base parameters (k,) by TLS from AᵀA, A = [W, τ].

    With λ the smallest number for which AᵀA - λ C is singular, (WᵀW - λ C_WW) β = Wᵀτ - λ C_Wτ.
    Directions that are not identifiable, or dominated by noise, keep the value of ``start``.

    Args:
        gram: (k + 1, k + 1) AᵀA.
        noise: (k + 1, k + 1) C, the expected contribution of A's errors, up to a factor.
        start: (k,) base parameters.

    Raises:
        EstimationError: there is no motion.
    """
    basis = ScaledSpectrum.of(gram[:-1, :-1]).directions
    if not basis.size:
        raise EstimationError("the recording contains no motion from which to estimate parameters.")
    right = basis.T @ gram[:-1, -1]
    shares = basis.T @ noise[:-1, :-1] @ basis
    factor = _least_factor(gram[-1, -1], right, shares, basis.T @ noise[:-1, -1], noise[-1, -1])
    shares, turned = np.linalg.eigh(factor * shares)
    basis = basis @ turned[:, shares < _MOSTLY_NOISE]
    signal_share = 1 - shares[shares < _MOSTLY_NOISE]
    rest = gram[:-1, -1] - factor * noise[:-1, -1]
    rest -= (gram[:-1, :-1] - factor * noise[:-1, :-1]) @ start
    return np.asarray(start + basis @ (basis.T @ rest / signal_share))


def _least_factor(
    squared: float, right: Array, shares: Array, mixed: Array, torque: float
) -> float:
    """Smallest λ of the pencil with WᵀW scaled to the identity; 0 for exact data."""
    if squared - right @ right <= _SMALLEST_ERROR_SHARE * squared:
        return 0.0
    gram = np.block([[np.eye(len(right)), right[:, None]], [right[None, :], np.array([[squared]])]])
    noise = np.block([[shares, mixed[:, None]], [mixed[None, :], np.array([[torque]])]])
    largest = scipy.linalg.eigh(noise, gram, eigvals_only=True)[-1]
    return float(1 / largest) if largest > 0 else 0.0


def _column_errors(problem: Problem) -> Array:
    """Estimate ΔAᵀΔA of each joint (n, k + 1, k + 1) from motion perturbed by simulated noise."""
    size = len(problem.base.independent) + 1
    total = np.zeros((len(problem.mechanism.joints), size, size))
    for number, rows in enumerate(problem.rows):
        perturbed = replace(problem, rows=(_perturbed(rows),), memory=RowMemory())
        for plain, other in zip(problem.blocks(number), perturbed.blocks(0), strict=True):
            error = (other.stacked - plain.stacked) * np.sqrt(rows.fitted[plain.span].T)[:, :, None]
            total += np.einsum("jmi,jmk->jik", error, error, optimize=True)
    return total


def _perturbed(rows: Rows) -> Rows:
    noise = motion_noise(rows.signals)
    signals = replace(
        rows.signals,
        position=rows.signals.position + noise.position,
        velocity=rows.signals.velocity + noise.velocity,
        acceleration=rows.signals.acceleration + noise.acceleration,
    )
    return replace(rows, signals=signals)


class MotionNoise(NamedTuple):
    """One realisation of the position noise after filtering.

    Attributes:
        standard_deviation: (n,) of the measured positions' noise [rad or m].
        position, velocity, acceleration: (N, n) errors of the filtered signals.
    """

    standard_deviation: Array
    position: Array
    velocity: Array
    acceleration: Array


def motion_noise(signals: Signals) -> MotionNoise:
    """Simulate the noise of the measured positions as filtered white noise.

    Its size follows from what the filters removed from the positions, as they remove a known share
    of white noise.

    Raises:
        EstimationError: positions are not filtered, or velocities are measured.
    """
    filters = signals.motion_filter
    if filters is None:
        raise EstimationError(
            "the noise of measured velocities is unknown; set velocity: differentiated, or use "
            "another estimator than tls."
        )
    # filters extrapolate at the ends
    edge = len(signals.time) // 20
    inner = slice(edge, len(signals.time) - edge)
    taken = np.std((signals.raw_position - signals.position)[inner], axis=0)
    white = np.random.default_rng(0).standard_normal(signals.raw_position.shape)
    position, velocity, acceleration = filters.motion(white)
    share = np.std((white - position)[inner], axis=0)
    if not share.all():
        raise EstimationError(
            "positions are not filtered, so their noise cannot be separated from motion; set "
            "cutoff_hz or derivatives: kalman."
        )
    size = taken / share
    return MotionNoise(size, position * size, velocity * size, acceleration * size)
