"""DIDIM: least squares on the regressor along a simulated motion, which holds no noise."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynid.arrays import Array
from dynid.estimation.closed_loop.loop import CommandedLoop, SimulatedLoop, simulable
from dynid.estimation.estimate import Estimate
from dynid.estimation.least_squares import WeightedLeastSquares, estimate_at
from dynid.estimation.regression import Problem

ITERATIONS = 10
TOLERANCE = 0.05  # change of a parameter, in its standard deviations, below which all is settled


@dataclass(frozen=True)
class DirectAndInverseModel:
    """DIDIM: the simulated loop's torque W(q_s, dq_s, ddq_s) beta against the measured torque.

    Positions only say where the robot went: neither velocity nor acceleration is worked out of
    them. Each iteration simulates the loop with the last estimate, made physically consistent, and
    solves weighted least squares along its motion, whose dependence on the parameters is left out
    (Gautier, Janot, Vandanjon, "A new closed-loop output error method for parameter identification
    of robot dynamics", IEEE TCST 2013).

    Attributes:
        commanded: the loop in which the robot was recorded, where it is known.
    """

    commanded: CommandedLoop | None = None

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`; EstimationError also where the loop cannot be simulated."""
        least_squares = WeightedLeastSquares()
        loop = SimulatedLoop(problem, self.commanded)
        estimate = loop.first_estimate(start)
        for _ in range(ITERATIONS):
            last = estimate
            estimate = least_squares.fit(loop.problem(simulable(problem, last)), start)
            if is_settled(last.base, estimate):
                break
        return replace(
            estimate_at(problem, estimate.base, estimate.covariance),
            determined=estimate.determined,
            condition_number=estimate.condition_number,
        )


def is_settled(last: Array, estimate: Estimate) -> bool:
    """Whether base parameters (k,) differ from an estimate by little of its deviations."""
    deviation = np.sqrt(np.maximum(np.diag(estimate.covariance), 0.0))
    return bool(np.all(np.abs(estimate.base - last) <= TOLERANCE * deviation))
