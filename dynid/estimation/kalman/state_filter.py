"""What both Kalman filters share: their state, where it begins, and how recordings run by."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from dynid.arrays import Array
from dynid.errors import EstimationError, MechanismError
from dynid.estimation.estimate import Estimate
from dynid.estimation.kalman.discrete_model import DiscreteModel, Inputs
from dynid.estimation.least_squares import WeightedLeastSquares, estimate_at
from dynid.estimation.regression import Problem

_FEWEST_STEPS = 50
_LOST = 100.0  # mean square of innovations over what the filter expects
_DRIFT = 1e-3  # of a parameter's first deviation that it may drift by in all
_POSES = 100  # at which there must be a mass matrix
_LIGHTEST = 0.2  # of the URDF's smallest eigenvalue of it
_FIRMER = 10  # times that start may count ten times as much
_SPEED_DEVIATION = 0.05  # of the largest speed, where a filter begins


class Prior(NamedTuple):
    """What is known before a filter begins.

    Attributes:
        mean: (k,) base parameters.
        covariance: (k, k) of them.
        torque_variance: (n,) of a torque error that is white at one sample per second; a step of
            T seconds has 1 / T of it.
    """

    mean: Array
    covariance: Array
    torque_variance: Array


class StateFilter(Protocol):
    """A filter of the state (q, dq, β)."""

    def begin(self, inputs: Inputs) -> None:
        """Set the motion to where a recording begins; what is known of β stays."""
        ...

    def predict(self, torque: Array, friction: Array, variance: Array) -> None:
        """Go on by a step with mean torque (n,), its variance, and friction's regressor (n, f)."""
        ...

    def correct(self, measured: Array) -> float:
        """Take in positions (n,); return their innovations' squared Mahalanobis norm."""
        ...

    @property
    def parameters(self) -> tuple[Array, Array]:
        """Mean (k,) and covariance (k, k) of β."""
        ...


MakeFilter = Callable[[DiscreteModel, Prior, Array], StateFilter]


class Filtered(NamedTuple):
    """What a filter came to: β (k,), its covariance (k, k), and how its innovations were.

    ``surprise`` is their mean square over what the filter expected, 1 where it knows itself.
    """

    parameters: Array
    covariance: Array
    surprise: float


def fit_by_filter(problem: Problem, start: Array, make: MakeFilter) -> Estimate:
    """Begin with weighted least squares on the first fold, and filter all that follows it.

    Raises:
        EstimationError: too little to filter, or the filter loses the robot.
    """
    run = filtered(problem, first_fold(problem, start), make)
    covariance = max(1.0, run.surprise) * run.covariance
    return estimate_at(problem, run.parameters, covariance)


def first_fold(problem: Problem, start: Array) -> Prior:
    """Weighted least squares on the first fold; what it says nothing of is as in ``start`` (p,).

    A parameter that explained all torque alone gives the size to which ``start`` may be wrong.
    Where so short a motion leaves no mass matrix, the mean is drawn to ``start`` until it does.
    """
    equations = problem.normal_equations()
    whole = WeightedLeastSquares().fit(problem, start)
    weight = 1 / (whole.joint_variance * whole.correlation)
    gram = np.einsum("j,jik->ik", weight, equations.only(0).joint_gram)
    all_folds = np.einsum("j,jik->ik", 1 / whole.joint_variance, equations.joint_gram)
    squares = np.diag(all_folds)
    sizes = np.divide(
        squares[-1], squares[:-1], out=np.ones(len(squares) - 1), where=squares[:-1] > 0
    )
    near = problem.base.project(start)
    matrix, right = gram[:-1, :-1], gram[:-1, -1] - gram[:-1, :-1] @ near
    first, model = problem.rows[0], DiscreteModel.of(problem)
    poses = first.signals.position[:: max(1, len(first.signals.time) // _POSES)]
    least = _LIGHTEST * model.least_inertia(poses, near)
    mean = near
    for firmness in 10.0 ** np.arange(_FIRMER):
        mean = near + np.linalg.solve(matrix + np.diag(firmness / sizes), right)
        if model.least_inertia(poses, mean) > least:
            break
    covariance = np.linalg.inv(matrix + np.diag(1 / sizes))
    rate = first.signals.sampling_rate / first.parallel_filter.decimation
    return Prior(mean, covariance, whole.joint_variance * whole.correlation / rate)


def filtered(problem: Problem, prior: Prior, make: MakeFilter) -> Filtered:
    """Run a filter over all recordings but their first folds.

    Raises:
        EstimationError: too little to filter, or the filter loses the robot.
    """
    model = DiscreteModel.of(problem)
    recordings = [model.inputs(rows) for rows in problem.rows]
    steps = sum(len(one.torque) for one in recordings)
    if steps < _FEWEST_STEPS:
        message = (
            f"a Kalman filter has {steps} steps to run after the first fold, too few to settle; "
            f"record at least {_FEWEST_STEPS} samples more, or use wls."
        )
        raise EstimationError(message)
    drift = _DRIFT**2 / steps * np.diag(prior.covariance)
    state = make(model, prior, drift)
    surprise: list[float] = []
    try:
        # where a filter loses the robot, numbers grow out of range before it is noticed
        with np.errstate(all="ignore"):
            for one in recordings:
                _run(state, one, prior.torque_variance, surprise)
        settled = float(np.mean(surprise[len(surprise) // 2 :])) / len(prior.torque_variance)
    except (MechanismError, np.linalg.LinAlgError):
        settled = np.inf
    if not settled < _LOST:
        message = (
            f"the Kalman filter has lost the robot by step {len(surprise)} of {steps}: its model "
            "does not explain the motion, or began too far off; use wls, or record a first fifth "
            "that moves all joints."
        )
        raise EstimationError(message)
    return Filtered(*state.parameters, settled)


def _run(state: StateFilter, inputs: Inputs, torque_variance: Array, surprise: list[float]) -> None:
    """Filter one recording; the innovations' squared norms join ``surprise``."""
    state.begin(inputs)
    variance = torque_variance / inputs.step + inputs.unknown
    for torque, friction, spread, measured in zip(
        inputs.torque, inputs.friction, variance, inputs.measured[1:], strict=True
    ):
        state.predict(torque, friction, spread)
        surprise.append(state.correct(measured))
        if not np.isfinite(surprise[-1]):
            raise np.linalg.LinAlgError


def starting_motion(inputs: Inputs) -> tuple[Array, Array]:
    """Mean and variance (2 n,) of position and velocity where a recording begins."""
    mean = np.concatenate([inputs.measured[0], inputs.velocity])
    speed = np.ptp(inputs.measured, axis=0) * _SPEED_DEVIATION + 1e-6
    return mean, np.concatenate([inputs.deviation**2, speed**2])
