"""Common parts of both Kalman filters: interface, prior, and the run over recordings."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from dynid.arrays import Array
from dynid.errors import EstimationError, MechanismError
from dynid.estimation.estimate import Estimate
from dynid.estimation.least_squares import WeightedLeastSquares, estimate_at
from dynid.estimation.regression import Problem
from dynid.estimation.work import Work
from dynid_plugins.laboratory.kalman.discrete_model import DiscreteModel, Inputs, first_filtered

_FEWEST_STEPS = 50
_REPORTED = 20  # steps between reports of the share that is done
_DIVERGED = 100.0  # normalised mean squared innovation
_DRIFT = 1e-3  # total process noise of a parameter over its prior standard deviation
_POSES = 100  # at which the mass matrix must be positive definite
_SMALLEST_MASS_RATIO = 0.2  # smallest eigenvalue of the mass matrix over that of the URDF
_FIRMER = 10  # times the weight of the URDF's values may be increased tenfold
_SPEED_STANDARD_DEVIATION = 0.05  # of the initial velocity over the position range [1/s]


class Prior(NamedTuple):
    """Prior of a filter.

    Attributes:
        mean: (k,) base parameters.
        covariance: (k, k) of the parameters.
        torque_variance: (n,) spectral density of a white torque error; its variance over a step of
            T seconds is 1 / T of it.
    """

    mean: Array
    covariance: Array
    torque_variance: Array


class StateFilter(Protocol):
    """A filter of the state (q, dq, β)."""

    def begin(self, inputs: Inputs) -> None:
        """Set the motion to the beginning of a recording; the estimate of β stays."""
        ...

    def predict(self, torque: Array, friction: Array, variance: Array) -> None:
        """Advance by a step with mean torque (n,), its variance (n,), and Φ (n, f)."""
        ...

    def correct(self, measured: Array) -> float:
        """Update with positions (n,); return the innovation's squared Mahalanobis norm."""
        ...

    @property
    def parameters(self) -> tuple[Array, Array]:
        """Mean (k,) and covariance (k, k) of β."""
        ...


MakeFilter = Callable[[DiscreteModel, Prior, Array], StateFilter]


class Filtered(NamedTuple):
    """Result of a filter.

    Attributes:
        parameters: (k,) β.
        covariance: (k, k) of β.
        innovation_ratio: normalised mean squared innovation; 1 for a consistent filter.
    """

    parameters: Array
    covariance: Array
    innovation_ratio: float


def fit_by_filter(problem: Problem, start: Array, make: MakeFilter) -> Estimate:
    """Filter the recordings after their first folds, from a prior by weighted least squares.

    Raises:
        EstimationError: there are too few samples, or the filter diverges.
    """
    run = filtered(problem, first_fold(problem, start), make)
    covariance = max(1.0, run.innovation_ratio) * run.covariance
    return estimate_at(problem, run.parameters, covariance)


def first_fold(problem: Problem, start: Array) -> Prior:
    """Compute the prior by weighted least squares on the first rows, regularised to ``start`` (p,).

    The standard deviation assumed of ``start`` is the value with which a parameter alone would
    explain all torque. The regularisation is increased until the mass matrix of the mean is
    positive definite.
    """
    equations = problem.normal_equations()
    whole = WeightedLeastSquares().fit(problem, start)
    weight = 1 / (whole.joint_variance * whole.correlation)
    gram = np.einsum("j,jik->ik", weight, _gram_before_filtering(problem))
    all_folds = np.einsum("j,jik->ik", 1 / whole.joint_variance, equations.joint_gram)
    squares = np.diag(all_folds)
    sizes = np.divide(
        squares[-1], squares[:-1], out=np.ones(len(squares) - 1), where=squares[:-1] > 0
    )
    near = problem.base.project(start)
    matrix, right = gram[:-1, :-1], gram[:-1, -1] - gram[:-1, :-1] @ near
    first, model = problem.rows[0], DiscreteModel.of(problem)
    poses = first.signals.position[:: max(1, len(first.signals.time) // _POSES)]
    least = _SMALLEST_MASS_RATIO * model.least_inertia(poses, near)
    mean = near
    for firmness in 10.0 ** np.arange(_FIRMER):
        mean = near + np.linalg.solve(matrix + np.diag(firmness / sizes), right)
        if model.least_inertia(poses, mean) > least:
            break
    covariance = np.linalg.inv(matrix + np.diag(1 / sizes))
    rate = first.signals.sampling_rate / first.parallel_filter.decimation
    return Prior(mean, covariance, whole.joint_variance * whole.correlation / rate)


def _gram_before_filtering(problem: Problem) -> Array:
    """Sum the normal equations (n, k+1, k+1) of all recordings' rows before their second fold."""
    grams = [
        problem.span_grams(number, np.array([0, first_filtered(rows)]), rows.fitted)[0]
        for number, rows in enumerate(problem.rows)
    ]
    return np.asarray(np.sum(grams, axis=0))


def filtered(problem: Problem, prior: Prior, make: MakeFilter) -> Filtered:
    """Run a filter over all recordings but their first folds.

    Raises:
        EstimationError: there are too few samples, or the filter diverges.
    """
    model = DiscreteModel.of(problem)
    recordings = [model.inputs(rows) for rows in problem.rows]
    steps = sum(len(one.torque) for one in recordings)
    if steps < _FEWEST_STEPS:
        raise EstimationError(
            f"a Kalman filter needs at least {_FEWEST_STEPS} steps after the first fold to settle, "
            f"but there are {steps}; record a longer motion, or use wls."
        )
    drift = _DRIFT**2 / steps * np.diag(prior.covariance)
    state = make(model, prior, drift)
    innovations: list[float] = []
    try:
        # a diverging filter overflows before it is detected
        with np.errstate(all="ignore"):
            for one in recordings:
                _run(state, one, prior.torque_variance, innovations, problem.work, steps)
        settled = innovations[len(innovations) // 2 :]
        ratio = float(np.mean(settled)) / len(prior.torque_variance)
    except (MechanismError, np.linalg.LinAlgError):
        ratio = np.inf
    if not ratio < _DIVERGED:
        raise EstimationError(
            f"the Kalman filter diverged by step {len(innovations)} of {steps}: the model does not "
            f"explain the motion, {_filtered_torque(problem)}or its initial parameters are too far "
            "off; use wls, or move all joints in the first fifth of the recording."
        )
    return Filtered(*state.parameters, ratio)


def _filtered_torque(problem: Problem) -> str:
    """Return what a parallel filter with a low cut-off says about the recorded torque."""
    cutoff = problem.rows[0].parallel_filter.cutoff_hz
    if cutoff is None:
        return ""
    return (
        "or its drives filter the torque that they report, which identification.parallel_filter "
        f"(cutoff_hz: {cutoff:g}) in the profile compensates in least squares but not here, "
    )


def _run(
    state: StateFilter,
    inputs: Inputs,
    torque_variance: Array,
    innovations: list[float],
    work: Work,
    steps: int,
) -> None:
    """Filter one recording; append the innovations' squared norms to ``innovations``.

    ``work`` takes the share of all ``steps`` that are done.
    """
    state.begin(inputs)
    variance = torque_variance / inputs.step + inputs.unknown
    for torque, friction, spread, measured in zip(
        inputs.torque, inputs.friction, variance, inputs.measured[1:], strict=True
    ):
        state.predict(torque, friction, spread)
        innovations.append(state.correct(measured))
        if not np.isfinite(innovations[-1]):
            raise np.linalg.LinAlgError
        if len(innovations) % _REPORTED == 0:
            work.done(len(innovations) / steps)


def starting_motion(inputs: Inputs) -> tuple[Array, Array]:
    """Mean and variance (2 n,) of position and velocity at the beginning of a recording."""
    mean = np.concatenate([inputs.measured[0], inputs.velocity])
    speed = np.ptp(inputs.measured, axis=0) * _SPEED_STANDARD_DEVIATION + 1e-6
    return mean, np.concatenate([inputs.standard_deviation**2, speed**2])
