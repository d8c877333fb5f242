"""CLOE: closed-loop output error, the position of a simulated loop against the measured one."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.estimation.closed_loop.loop import SimulatedLoop
from dynid.estimation.closed_loop.output_error import OutputError, minimise
from dynid.estimation.estimate import Estimate, Estimator
from dynid.estimation.regression import Problem


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
