"""Instrumental variables: the regressor along a simulated, noise-free motion as instruments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynid.arrays import Array
from dynid.estimation.estimate import Estimate
from dynid.estimation.least_squares import estimate_at, solve
from dynid.estimation.regression import Problem
from dynid_plugins.laboratory.closed_loop.didim import iterated
from dynid_plugins.laboratory.closed_loop.loop import LoopEstimator, SimulatedLoop, simulable


class InstrumentalVariables(LoopEstimator):
    """IV: Z^T W beta = Z^T tau, with instruments Z = W(q_s, dq_s, ddq_s) of the simulated loop.

    Position noise in the regressor W biases least squares towards zero; the simulated motion is not
    correlated with that noise. Joints are weighted by the inverse variance of their torque error.
    Each iteration simulates the loop with the last estimate, made physically consistent (Janot,
    Vandanjon, Gautier, "A generic instrumental variable approach for industrial robot
    identification", IEEE TCST 2014). The covariance accounts for each joint's error variance and
    correlation in time.
    """

    name = "iv"
    summary = "instrumental variables: the regressor along a simulated motion is free of noise"
    round_share = 0.7

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`; raises EstimationError also if the simulation fails."""
        loop = SimulatedLoop(problem, self.commanded)
        estimate = loop.first_estimate(start)

        def step(last: Estimate) -> Estimate:
            simulated = loop.problem(simulable(problem, last))
            return _instrumented(problem, simulated, start, last)

        estimate = iterated(step, estimate, problem.work)
        return replace(estimate, state=estimate)


def _instrumented(problem: Problem, simulated: Problem, start: Array, last: Estimate) -> Estimate:
    information, cross = _products(problem, simulated)
    weight = 1 / last.joint_variance
    matrix = np.einsum("j,jik->ik", weight, cross)
    solution = solve(
        np.einsum("j,jik->ik", weight, information),
        matrix[:, :-1],
        matrix[:, -1],
        problem.base.project(start),
    )
    found = estimate_at(problem, solution.base)
    meat = np.einsum("j,jik->ik", weight**2 * found.joint_variance * found.correlation, information)
    return replace(
        found,
        covariance=solution.inverse @ meat @ solution.inverse.T,
        determined=solution.determined,
        condition_number=solution.condition_number,
    )


def _products(problem: Problem, simulated: Problem) -> tuple[Array, Array]:
    """Z^T Z (n, k, k) and Z^T [W, tau] (n, k, k + 1) of each joint, over the fitted rows."""
    n, k = len(problem.mechanism.joints), len(problem.base.independent)
    information, cross = np.zeros((n, k, k)), np.zeros((n, k, k + 1))
    for number, rows in enumerate(simulated.rows):
        both = zip(problem.blocks(number), simulated.blocks(number), strict=True)
        for measured, followed in both:
            weight = rows.fitted[measured.span].T
            for joint in range(n):
                instruments = followed.stacked[joint, :, :-1]
                weighted = (instruments * weight[joint, :, None]).T
                information[joint] += weighted @ instruments
                cross[joint] += weighted @ measured.stacked[joint]
    return information, cross
