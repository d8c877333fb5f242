"""CLIE: the torque that a simulated loop needs against the measured one."""

from __future__ import annotations

from dataclasses import dataclass

from dynid.arrays import Array
from dynid.estimation.closed_loop.loop import CommandedLoop, SimulatedLoop
from dynid.estimation.closed_loop.output_error import OutputError, minimise
from dynid.estimation.estimate import Estimate
from dynid.estimation.regression import Problem


@dataclass(frozen=True)
class ClosedLoopInputError:
    """CLIE: minimises the error of the torque that the simulated loop puts into the robot.

    The criterion is DIDIM's, but here the simulated motion's own dependence on the parameters is
    not left out (Landau; Gautier, Poignet).

    Attributes:
        commanded: the loop in which the robot was recorded, where it is known.
    """

    commanded: CommandedLoop | None = None

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`; EstimationError also where the loop cannot be simulated."""
        loop = SimulatedLoop(problem, self.commanded)
        output = OutputError(
            problem=problem,
            loop=loop,
            measured=tuple(rows.torque for rows in problem.rows),
            counted=tuple(loop.fitted),
            read=lambda motion: motion.torque,
        )
        return minimise(output, loop.first_estimate(start))
