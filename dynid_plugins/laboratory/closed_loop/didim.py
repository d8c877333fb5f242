"""DIDIM: least squares on the regressor along a simulated, noise-free motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dynid.arrays import Array
from dynid.estimation.estimate import Estimate
from dynid.estimation.least_squares import WeightedLeastSquares, estimate_at
from dynid.estimation.regression import Problem
from dynid.estimation.work import Rest, Work
from dynid_plugins.laboratory.closed_loop.loop import LoopEstimator, SimulatedLoop, simulable

ITERATIONS = 10
_OF_AN_ITERATION = 0.3  # of the work that is left
TOLERANCE = 0.05  # change of a parameter over its standard deviation at convergence


class DirectAndInverseModel(LoopEstimator):
    """DIDIM: fits the simulated loop's torque W(q_s, dq_s, ddq_s) beta to the measured torque.

    Measured positions are not differentiated. Each iteration simulates the loop with the last
    estimate, made physically consistent, and solves weighted least squares along its motion; the
    dependence of the motion on the parameters is neglected (Gautier, Janot, Vandanjon, "A new
    closed-loop output error method for parameter identification of robot dynamics", IEEE TCST
    2013). Iterations that alternate between two estimates end at the one of smaller torque errors.
    """

    name = "didim"
    summary = "DIDIM: torque along a simulated motion, without noise, against the measured torque"
    round_share = 0.7

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`; raises EstimationError also if the simulation fails."""
        least_squares = WeightedLeastSquares()
        loop = SimulatedLoop(problem, self.commanded)
        estimate = loop.first_estimate(start)
        estimate = iterated(
            lambda last: least_squares.fit(loop.problem(simulable(problem, last)), start),
            estimate,
            problem.work,
        )
        return replace(
            estimate_at(problem, estimate.base, estimate.covariance),
            determined=estimate.determined,
            condition_number=estimate.condition_number,
            state=estimate,
        )


def iterated(step: Callable[[Estimate], Estimate], estimate: Estimate, work: Work) -> Estimate:
    """Repeat a step from an estimate until it changes nothing.

    It may alternate between two estimates, such as those of simulations with few and with more
    integration steps. Then the one of smaller torque errors is returned. ``work`` takes the share
    that is done.
    """
    last: Estimate | None = None
    rest = Rest(work)
    for _ in range(ITERATIONS):
        # the first estimate, before, takes about as long as an iteration
        rest.take(_OF_AN_ITERATION).done(1.0)
        before, last = last, estimate
        estimate = step(last)
        if has_converged(last.base, estimate):
            break
        if before is not None and has_converged(before.base, estimate):
            return min(estimate, last, key=lambda one: float(np.log(one.joint_variance).sum()))
    return estimate


def has_converged(last: Array, estimate: Estimate) -> bool:
    """Whether an estimate is within a tolerance of the last base parameters (k,)."""
    standard_deviation = np.sqrt(np.maximum(np.diag(estimate.covariance), 0.0))
    return bool(np.all(np.abs(estimate.base - last) <= TOLERANCE * standard_deviation))
