"""CLOE and CLIE by scipy.optimize.least_squares in place of dynid's own damped steps.

Both start at the same point, with the same sensitivities, on the cases of the unit tests: the arm
of three joints in motion, and with its first joint at rest. Joints are weighted anew after each
step that scipy takes (``steps``), as dynid does, or in rounds to the end (``rounds``). Printed are
simulations, CPU time, the largest difference from dynid's result in its standard deviations, and
the root mean square of what the recordings determine less the truth, in each result's own.

Run: PYTHONPATH=.:test python benchmarks/output_error_scipy.py
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from support.closed_loop_arm import arm_problem, recorded_arm, truth_of
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.errors import EstimationError
from dynid.estimation.estimate import Estimate, Estimator
from dynid.estimation.least_squares import estimate_at
from dynid.estimation.regression import Problem
from dynid.estimation.work import Rest
from dynid_plugins.laboratory.closed_loop import output_error
from dynid_plugins.laboratory.closed_loop.output_error import OutputError

_FAR = 1e3  # of an error, where no robot has the parameters
_WIDE = 1e3  # standard deviations: the first step is that of Gauss and Newton
_METHODS = {"steps": (6, 5), "rounds": (3, 30)}  # rounds, evaluations in each

own: Any = output_error  # whose private functions make the sensitivities
_minimise = output_error.minimise


class _AcceptedError(Exception):
    """A step of scipy's lowered the cost."""


@dataclass
class Search:
    """Least squares around a point, whose parameters are ``point.base + x * unit``."""

    output: OutputError
    first: Estimate
    point: Any
    one_step: bool
    known: dict[bytes, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.steps = own._steps(self.first)  # noqa: SLF001
        deviation = np.sqrt(np.maximum(np.diag(self.first.covariance), 0.0))
        self.unit = _WIDE * np.where(deviation > 0, deviation, self.steps)
        self.weight = 1 / self.output.variance(self.point.errors, len(self.steps))
        self.start = np.zeros(len(self.steps))
        self.known[self.start.tobytes()] = self.point
        self.cost = float(np.sum(self.flat(self.point.errors) ** 2))

    def at(self, x: Array) -> Any:
        """Return the physically consistent point nearest to x, or None."""
        if x.tobytes() not in self.known:
            problem = self.output.problem
            try:
                nearest = estimate_at(problem, self.point.base + x * self.unit)
                found = own._point_at(self.output, own.simulable(problem, nearest))  # noqa: SLF001
            except EstimationError:
                found = None
            self.known[x.tobytes()] = found
        return self.known[x.tobytes()]

    def flat(self, errors: list[Array]) -> Array:
        """Return all errors that count, weighted."""
        pairs = zip(self.output.counted, errors, strict=True)
        return np.concatenate([(np.sqrt(c * self.weight) * e).ravel() for c, e in pairs])

    def residuals(self, x: Array) -> Array:
        """Return the weighted errors of a point."""
        point = self.at(x)
        if point is None:
            return np.full(len(self.flat(self.point.errors)), _FAR)
        found = self.flat(point.errors)
        if self.one_step and x.any() and np.sum(found**2) < self.cost:
            self.best = point
            raise _AcceptedError
        return found

    def jacobian(self, x: Array) -> Array:
        """Return the residuals' derivatives, by dynid's forward differences."""
        point = self.at(x)
        columns = []
        for number, step in enumerate(self.steps):
            taken, shifted = step, point.errors
            if self.first.determined[number]:
                taken, shifted = own._shifted_errors(self.output, point, number, step)  # noqa: SLF001
            columns.append(
                (self.flat(shifted) - self.flat(point.errors)) / taken * self.unit[number]
            )
        return np.stack(columns, axis=1)


def minimise(output: OutputError, first: Estimate, *, way: str) -> Estimate:
    """Minimise an output error by scipy."""
    rounds, evaluations = _METHODS[way]
    point = own._point_at(output, own.simulable(output.problem, first))  # noqa: SLF001
    for _ in range(rounds):
        search = Search(output, first, point, one_step=way == "steps")
        try:
            found = least_squares(
                search.residuals, search.start, search.jacobian, ftol=1e-6, max_nfev=evaluations
            )
            better = search.at(found.x)
        except _AcceptedError:
            better = search.best
        if better is None or better is point:
            break
        point = better
    steps, rest = own._steps(first), Rest(output.problem.work)  # noqa: SLF001
    linear = own._linearised(output, point, steps, first.determined, rest)  # noqa: SLF001
    estimate: Estimate = own._finished(output, point, linear, first)  # noqa: SLF001
    return estimate


def cases() -> Iterator[tuple[str, Problem]]:
    """Yield the problems of the unit tests."""
    moving = recorded_arm(position_noise=1e-5, torque_noise=0.5, samples=1200)
    yield "moving", arm_problem(moving, cutoff_hz=10.0)
    recording = recorded_arm(position_noise=1e-5, samples=800)
    resting = replace(recording, position=recording.position * [0.0, 1.0, 1.0])
    yield "resting", arm_problem(resting, cutoff_hz=10.0)


def main() -> None:
    """Print a row for each case, estimator and way."""
    count = [0]
    errors = OutputError.errors

    def counted(self: OutputError, standard: Array, *, refines: bool = False) -> list[Array]:
        count[0] += 1
        return errors(self, standard, refines=refines)

    counting: Any = OutputError
    counting.errors = counted
    print("case     estimator  way     simulations  CPU [s]  difference  from truth")
    for name, problem in cases():
        estimators: tuple[type[Estimator], ...] = (
            output_error.ClosedLoopOutputError,
            output_error.ClosedLoopInputError,
        )
        for estimator in estimators:
            reference: Estimate | None = None
            for way in ("dynid", *_METHODS):
                own.minimise = _minimise if way == "dynid" else partial(minimise, way=way)
                count[0], begun = 0, time.process_time()
                found = estimator().fit(problem, problem.mechanism.urdf_parameters)
                seconds = time.process_time() - begun
                reference = reference or found
                deviation = np.sqrt(np.diag(reference.covariance))
                gap = np.abs(found.base - reference.base)[deviation > 0] / deviation[deviation > 0]
                known = found.determined
                wrong = (found.base - truth_of(problem))[known]
                wrong /= np.sqrt(np.diag(found.covariance))[known]
                print(
                    f"{name:<8} {estimator.name:<9}  {way:<7} {count[0]:>11}  "
                    f"{seconds:>7.2f}  {gap.max():>10.3f}  "
                    f"{np.sqrt(np.mean(wrong**2)):>10.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    with threadpool_limits(1, user_api="blas"):
        main()
