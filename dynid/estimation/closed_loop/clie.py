"""CLIE: closed-loop input error, the torque of a simulated loop against the measured one."""

from __future__ import annotations

from dataclasses import dataclass

from dynid.arrays import Array
from dynid.estimation.closed_loop.loop import CommandedLoop, SimulatedLoop
from dynid.estimation.closed_loop.output_error import OutputError, minimise
from dynid.estimation.estimate import Estimate, Estimator
from dynid.estimation.regression import Problem


@dataclass(frozen=True)
class ClosedLoopInputError(Estimator):
    """CLIE: minimises the error of the simulated loop's torque.

    The criterion is that of DIDIM, but the dependence of the simulated motion on the parameters is
    not neglected (Landau; Gautier, Poignet).

    Attributes:
        commanded: the loop in which the robot was recorded; None: unknown.
    """

    name = "clie"
    summary = "closed-loop input error: the simulated drives' torque against the measured one"
    round_share = 0.85

    commanded: CommandedLoop | None = None

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
