"""The result of an estimator, and the interface of all estimators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.estimation.regression import NormalEquations, Problem


@dataclass(frozen=True)
class Estimate:
    """Estimated base parameters and their uncertainty.

    Attributes:
        base: (k,) estimate; parameters that are not identifiable keep the URDF's value.
        covariance: (k, k), corrected for errors that are correlated in time.
        determined: (k,) bool, the parameter is identifiable from the data.
        joint_variance: (n,) variance of the torque error [(N m)² or N²].
        correlation: (n,) integrated autocorrelation time of the torque error [samples]; 1: white.
        equations: the normal equations that were solved, with the estimator's row weights.
        plain_equations: the same with equal row weights.
        condition_number: of the weighted regressor with columns scaled to unit norm.
        joint_weight: (n,) weights of the joints' squared errors; None if the covariance is not
            that of weighted least squares.
        row_weights: (m, n) weights of each recording's rows within a joint; None: 1.
        state: of an iterative estimator, from which it goes on when the parameters of
            load-dependent terms have changed (``Problem.state``); None: it begins anew.
    """

    base: Array
    covariance: Array
    determined: NDArray[np.bool_]
    joint_variance: Array
    correlation: Array
    equations: NormalEquations
    plain_equations: NormalEquations
    condition_number: float
    joint_weight: Array | None = None
    row_weights: tuple[Array, ...] | None = None
    state: object = field(default=None, repr=False, compare=False)

    @property
    def used_joint_weight(self) -> Array:
        """The joints' weights (n,); for other estimators than least squares 1 over the variance."""
        return 1 / self.joint_variance if self.joint_weight is None else self.joint_weight

    def weights_of(self, recording: int) -> Array | None:
        """Return the row weights (m, n) of one recording within a joint; None: 1."""
        return None if self.row_weights is None else self.row_weights[recording]


class Estimator(Protocol):
    """Interface of all estimators; what a constructor takes are an estimator's settings.

    An estimator is made known by its name in :mod:`dynid.estimation.estimators`, or as an entry
    point of a plug-in. Nothing else has to know it.

    Attributes:
        name: in profiles, on the command line and in model files.
        summary: what it is, for the report.
        round_share: of an estimator that simulates or filters the motion, and reports the share of
            its work that is done: the share that a round of load-dependent friction takes of the
            work that is left, as iterations begin where those of the last round ended. None: it
            is fast and reports nothing.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    round_share: ClassVar[float | None] = None

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """Estimate base parameters.

        Args:
            problem: the regression problem.
            start: (p,) the URDF's standard parameters.

        Raises:
            EstimationError: the data do not allow an estimate.
        """
        ...


def joint_variance(equations: NormalEquations, base: Array) -> Array:
    """Return the variance of each joint's torque error (n,).

    The k degrees of freedom of the parameters are divided equally among the joints.
    """
    rows = equations.joint_rows
    freedom = np.maximum(rows - len(base) / len(rows), 1.0)
    floor = 1e-12 * equations.squared_torque / np.maximum(rows, 1.0)
    variance = np.maximum(equations.squared_error(base) / freedom, floor)
    # avoids a division by zero for a joint without rows or torque
    return np.where(variance > 0, variance, 1.0)


def error_correlation(residuals: Iterable[Array]) -> Array:
    """Return the integrated autocorrelation time of each joint's error (n,) [samples].

    With errors that are correlated over c samples, the variance of least squares is c times that of
    the textbook formula. The sum ends at the first negative pair (Geyer 1992).
    """
    times, lengths = [], []
    for errors in residuals:
        times.append([_correlation_time(column) for column in errors.T])
        lengths.append(len(errors))
    return np.asarray(np.average(times, axis=0, weights=lengths))


def _correlation_time(errors: Array) -> float:
    rho = autocorrelation(errors[:, np.newaxis], len(errors) - 1)[:, 0]
    pairs = rho[1:-1:2] + rho[2::2]
    negative = np.flatnonzero(pairs <= 0)
    last = int(negative[0]) if len(negative) else len(pairs)
    return max(1.0, 1.0 + 2.0 * float(pairs[:last].sum()))


def autocorrelation(values: Array, lags: int) -> Array:
    """Return the autocorrelation of signals (N, n) at the lags 0 to ``lags``, (lags + 1, n).

    That of a constant signal is 0.
    """
    centred = values - values.mean(axis=0)
    count = scipy.fft.next_fast_len(len(values) + lags, real=True)
    power_spectrum = np.abs(scipy.fft.rfft(centred, count, axis=0)) ** 2
    products = scipy.fft.irfft(power_spectrum, count, axis=0)[: lags + 1]
    power = products[0]
    return np.asarray(products / np.where(power > 0, power, np.inf))
