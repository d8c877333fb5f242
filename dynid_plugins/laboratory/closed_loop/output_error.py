"""CLOE and CLIE: nonlinear least squares on the output of a simulated loop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.estimation.estimate import Estimate, Estimator, error_correlation
from dynid.estimation.least_squares import LeastSquaresSolution, estimate_at, solve
from dynid.estimation.regression import Problem
from dynid.estimation.work import Rest
from dynid_plugins.laboratory.closed_loop.didim import TOLERANCE
from dynid_plugins.laboratory.closed_loop.loop import (
    LoopEstimator,
    SimulatedLoop,
    SimulatedMotion,
    simulable,
)

_ITERATIONS = 12  # most of them cost one simulation, those by differences one for each parameter
_LEAST_GAIN = 1e-3  # relative decrease of the cost below which the iteration ends
_SHARES = (1.0, -1.0, 0.1, -0.1, 0.01, -0.01)  # of a difference's step, tried in turn
# shares that differences and a step take of the work that is left
_OF_DIFFERENCES, _OF_A_STEP = 0.65, 0.06
_DAMPINGS = (0.0, 0.1, 1.0, 10.0)  # of Levenberg–Marquardt, tried in turn


@dataclass(frozen=True)
class OutputError:
    """Measured outputs of a loop, and how to compute them from a simulation.

    Attributes:
        problem: the regression problem.
        loop: the simulation.
        measured: (m, n) for each recording, filtered by its parallel filter.
        counted: (m, n) for each recording, 1.0 where an output counts, else 0.0.
        read: returns the output (N, n) of a simulated recording.
    """

    problem: Problem
    loop: SimulatedLoop
    measured: tuple[Array, ...]
    counted: tuple[Array, ...]
    read: Callable[[SimulatedMotion], Array]

    def errors(self, standard: Array, *, refines: bool = False) -> list[Array]:
        """Measured minus simulated output, (m, n) for each recording; see SimulatedLoop.run."""
        return [
            measured - rows.parallel_filter.decimate(rows.parallel_filter.smooth(self.read(motion)))
            for measured, rows, motion in zip(
                self.measured,
                self.problem.rows,
                self.loop.run(standard, refines=refines),
                strict=True,
            )
        ]

    def squared(self, errors: list[Array]) -> Array:
        """Sum of the squared errors of each joint that count, (n,)."""
        pairs = zip(self.counted, errors, strict=True)
        return np.asarray(sum((counted * e**2).sum(axis=0) for counted, e in pairs))

    def variance(self, errors: list[Array], parameters: int) -> Array:
        """Variance of each joint's error (n,); degrees of freedom are divided among the joints."""
        rows = np.sum([c.sum(axis=0) for c in self.counted], axis=0)
        squared = self.squared(errors)
        variance = squared / np.maximum(rows - parameters / len(rows), 1.0)
        return np.asarray(np.where(variance > 0, variance, 1.0))


class _Point(NamedTuple):
    """Parameters and the errors of their simulation."""

    standard: Array
    base: Array
    errors: list[Array]


class _Linear(NamedTuple):
    """Linearisation of the errors at a point.

    Attributes:
        standard: (p,) the point, or where iterations ended near it.
        jacobian: (m, n, k) of each recording: minus the derivative of the errors.
        gram: (n, k, k) J^T J, summed over the rows of each joint.
        slope: (n, k) J^T errors, the same.
        differenced: (k,) base parameters at which it was found by differences.
    """

    standard: Array
    jacobian: list[Array]
    gram: Array
    slope: Array
    differenced: Array


def minimise(output: OutputError, first: Estimate) -> Estimate:
    """Minimise the output error from a first estimate, by the Levenberg–Marquardt method.

    Joints are weighted by the inverse variance of their output error. Sensitivities are forward
    differences with a step of one standard deviation of the first estimate, because stiction makes
    the simulation discontinuous in smaller steps. After a step they are updated by what it changed
    (Broyden 1965). Only a minimum further than the differences' own steps from where these were
    taken is checked by new ones. Every point is physically consistent. Parameters that are not
    identifiable in the first estimate keep its values.

    Raises:
        EstimationError: there is no motion, or the loop cannot be simulated.
    """
    problem = output.problem
    steps = _steps(first)
    last = problem.state if isinstance(problem.state, _Linear) else None
    point = _point_at(output, simulable(problem, first) if last is None else last.standard)
    rest = Rest(problem.work)
    linear = (
        _linearised(output, point, steps, first.determined, rest)
        if last is None
        else _summed(output, last.jacobian, point, last.differenced)
    )
    for _ in range(_ITERATIONS):
        rest.take(_OF_A_STEP).done(0.0)
        variance = output.variance(point.errors, len(steps))
        better, solution = _improved(output, point, linear, variance)
        ends = better is None
        if better is not None:
            gain = 1 - _cost(output, better, variance) / _cost(output, point, variance)
            moved = np.abs(better.base - point.base)
            settled = moved <= TOLERANCE * np.sqrt(np.diag(solution.inverse))
            ends = gain < _LEAST_GAIN or bool(settled.all())
            if not ends:
                linear = _updated(output, linear, point, better, steps)
            point = better
        if ends and np.all(np.abs(point.base - linear.differenced) <= steps):
            break
        if ends:
            linear = _linearised(output, point, steps, first.determined, rest)
    state = linear._replace(standard=point.standard)
    return replace(_finished(output, point, linear, first), state=state)


def _steps(first: Estimate) -> Array:
    """Return the steps (k,) of the differences: standard deviations, within bounds."""
    standard_deviation = np.sqrt(np.maximum(np.diag(first.covariance), 0.0))
    size = np.maximum(np.abs(first.base), 1e-3 * np.abs(first.base).max())
    return np.asarray(np.clip(standard_deviation, 1e-4 * size, 0.1 * size))


def _point_at(output: OutputError, standard: Array) -> _Point:
    return _Point(
        standard, output.problem.base.project(standard), output.errors(standard, refines=True)
    )


def _cost(output: OutputError, point: _Point, variance: Array) -> float:
    return float((output.squared(point.errors) / variance).sum())


def _linearised(
    output: OutputError, point: _Point, steps: Array, determined: NDArray[np.bool_], rest: Rest
) -> _Linear:
    def difference(number: int) -> list[Array]:
        if not determined[number]:
            return [np.zeros_like(errors) for errors in point.errors]
        step, shifted_errors = _shifted_errors(output, point, number, steps[number])
        pairs = zip(point.errors, shifted_errors, strict=True)
        return [(before - after) / step for before, after in pairs]

    with ThreadPoolExecutor() as pool:  # the core releases the GIL
        found = pool.map(difference, range(len(steps)))
        columns = list(rest.take(_OF_DIFFERENCES).counted(found, len(steps)))
    jacobian = [np.stack(of_one, axis=2) for of_one in zip(*columns, strict=True)]
    return _summed(output, jacobian, point, point.base)


def _updated(
    output: OutputError, linear: _Linear, before: _Point, after: _Point, steps: Array
) -> _Linear:
    """Return the linearisation nearest to this one that is exact for a step already taken.

    Near is meant in units of ``steps`` (k,).
    """
    change = after.base - before.base
    across = change / steps**2
    across /= change @ across
    triples = zip(linear.jacobian, before.errors, after.errors, strict=True)
    jacobian = [
        of_one + (old - new - of_one @ change)[:, :, None] * across for of_one, old, new in triples
    ]
    return _summed(output, jacobian, after, linear.differenced)


def _summed(
    output: OutputError, jacobian: list[Array], point: _Point, differenced: Array
) -> _Linear:
    n, k = jacobian[0].shape[1:]
    gram, slope = np.zeros((n, k, k)), np.zeros((n, k))
    for counted, of_one, errors in zip(output.counted, jacobian, point.errors, strict=True):
        for joint in range(n):
            weighted = of_one[:, joint].T * counted[:, joint]
            gram[joint] += weighted @ of_one[:, joint]
            slope[joint] += weighted @ errors[:, joint]
    return _Linear(point.standard, jacobian, gram, slope, differenced)


def _shifted_errors(
    output: OutputError, point: _Point, number: int, step: float
) -> tuple[float, list[Array]]:
    """Return a step of one base parameter that can be simulated, and the errors after it.

    Raises:
        EstimationError: neither side of the parameter can be simulated.
    """
    column = output.problem.base.independent[number]
    reason = None
    for share in _SHARES:
        try:
            shifted = _shifted(point, column, share * step)
            return share * step, output.errors(shifted)
        except EstimationError as error:  # noqa: PERF203  not consistent on this side of the bound
            reason = error
    name = output.problem.mechanism.parameter_names[column]
    raise EstimationError(
        f"'{name}' can be made neither larger nor smaller in the simulation: {reason} A term of "
        "kind 'rotor_inertia' in the profile's 'terms' gives a joint inertia that bodies lack."
    )


def _shifted(point: _Point, number: int, step: float) -> Array:
    standard = np.array(point.standard)
    standard[number] += step
    return standard


def _improved(
    output: OutputError, point: _Point, linear: _Linear, variance: Array
) -> tuple[_Point | None, LeastSquaresSolution]:
    """Return the first damped step that lowers the cost, and the minimum of the linear model."""
    problem = output.problem
    matrix = np.einsum("j,jik->ik", 1 / variance, linear.gram)
    slope = np.einsum("j,ji->i", 1 / variance, linear.slope)
    free = solve(matrix, matrix, matrix @ point.base + slope, point.base)
    for damping in _DAMPINGS:
        damped = matrix + damping * np.diag(np.diag(matrix))
        base = solve(damped, damped, damped @ point.base + slope, point.base).base
        try:
            tried = _point_at(output, simulable(problem, estimate_at(problem, base)))
        except EstimationError:
            continue
        if _cost(output, tried, variance) < _cost(output, point, variance):
            return tried, free
    return None, free


def _finished(output: OutputError, point: _Point, linear: _Linear, first: Estimate) -> Estimate:
    problem = output.problem
    variance = output.variance(point.errors, len(point.base))
    correlation = error_correlation(point.errors)
    matrix = np.einsum("j,jik->ik", 1 / variance, linear.gram)
    solution = solve(matrix, matrix, matrix @ point.base, point.base)
    meat = np.einsum("j,jik->ik", correlation / variance, linear.gram)
    base = np.where(first.determined, point.base, first.base)
    return replace(
        estimate_at(problem, base, solution.inverse @ meat @ solution.inverse),
        determined=solution.determined & first.determined,
        condition_number=solution.condition_number,
    )


class ClosedLoopOutputError(Estimator):
    """CLOE: minimises the error of the simulated loop's position (Landau; Gautier, Poignet).

    The recorded torque is applied in the simulation, and a slow loop only prevents drift, so the
    position error shows errors of the parameters. With the commands and gains of the true loop the
    position would hardly depend on the parameters, because a stiff loop follows its commands (see
    :class:`SimulatedLoop`).
    """

    name = "cloe"
    summary = "closed-loop output error: the simulated robot's position against the measured one"
    round_share = 0.85

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`; raises EstimationError also if the simulation fails."""
        measured = tuple(
            rows.parallel_filter.decimate(rows.parallel_filter.smooth(rows.signals.raw_position))
            for rows in problem.rows
        )
        loop = SimulatedLoop(problem, None, "measured")
        output = OutputError(
            problem=problem,
            loop=loop,
            measured=measured,
            counted=tuple(np.ones_like(position) for position in measured),
            read=lambda motion: motion.position,
        )
        return minimise(output, loop.first_estimate(start))


class ClosedLoopInputError(LoopEstimator):
    """CLIE: minimises the error of the simulated loop's torque.

    The criterion is that of DIDIM, but the dependence of the simulated motion on the parameters is
    not neglected (Landau; Gautier, Poignet).
    """

    name = "clie"
    summary = "closed-loop input error: the simulated drives' torque against the measured one"
    round_share = 0.85

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`; raises EstimationError also if the simulation fails."""
        loop = SimulatedLoop(problem, self.commanded)
        output = OutputError(
            problem=problem,
            loop=loop,
            measured=tuple(rows.torque for rows in problem.rows),
            counted=tuple(loop.fitted),
            read=lambda motion: motion.torque,
        )
        return minimise(output, loop.first_estimate(start))
