"""What an estimator finds, and the interface behind which all of them stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.estimation.regression import NormalEquations, Problem


@dataclass(frozen=True)
class Estimate:
    """Base parameters and what is known about them.

    Attributes:
        base: (k,) estimate; where the data determine nothing it stays at the URDF's value.
        covariance: (k, k), with errors correlated in time accounted for.
        determined: (k,) bool, the data hold information on this parameter.
        joint_variance: (n,) variance of the torque error.
        correlation: (n,) how many samples share one independent error (1: white).
        equations: normal equations it was solved from, with the estimator's row weights.
        plain_equations: the same with every row counting alike.
        condition_number: of the weighted regressor with columns scaled to unit norm.
    """

    base: Array
    covariance: Array
    determined: NDArray[np.bool_]
    joint_variance: Array
    correlation: Array
    equations: NormalEquations
    plain_equations: NormalEquations
    condition_number: float


class Estimator(Protocol):
    """What every estimator offers."""

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """Estimate base parameters; ``start`` (p,) are the URDF's standard parameters."""
        ...


def joint_variance(equations: NormalEquations, base: Array) -> Array:
    """Variance of each joint's torque error; the k parameters are shared among the joints."""
    rows = equations.joint_rows
    freedom = np.maximum(rows - len(base) / len(rows), 1.0)
    floor = 1e-12 * equations.squared_torque / np.maximum(rows, 1.0)
    variance = np.maximum(equations.squared_error(base) / freedom, floor)
    # a joint without rows or torque must neither divide by zero nor count for anything
    return np.where(variance > 0, variance, 1.0)


def error_correlation(residuals: Iterable[Array]) -> Array:
    """Integrated autocorrelation time of each joint's error, in samples, (n,).

    Least squares on errors that persist over c samples is c times less certain than the textbook
    formula says. Summed up to the first negative pair (Geyer 1992).
    """
    times, lengths = [], []
    for errors in residuals:
        times.append([_correlation_time(column) for column in errors.T])
        lengths.append(len(errors))
    return np.asarray(np.average(times, axis=0, weights=lengths))


def _correlation_time(errors: Array) -> float:
    errors = errors - errors.mean()
    size = 2 ** int(np.ceil(np.log2(2 * len(errors))))
    spectrum = np.fft.rfft(errors, size)
    autocorrelation = np.fft.irfft(np.abs(spectrum) ** 2, size)[: len(errors)]
    if autocorrelation[0] <= 0:
        return 1.0
    rho = autocorrelation / autocorrelation[0]
    pairs = rho[1:-1:2] + rho[2::2]
    negative = np.flatnonzero(pairs <= 0)
    last = int(negative[0]) if len(negative) else len(pairs)
    return max(1.0, 1.0 + 2.0 * float(pairs[:last].sum()))
