"""CLOE: the position that a simulated loop reaches against the measured one."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.estimation.closed_loop.loop import SimulatedLoop
from dynid.estimation.closed_loop.output_error import OutputError, minimise
from dynid.estimation.estimate import Estimate
from dynid.estimation.regression import Problem


class ClosedLoopOutputError:
    """CLOE: minimises the error of the simulated loop's position (Landau; Gautier, Poignet).

    The recorded torque is added in the simulation, and a slow loop only prevents drift: the
    position error is what the recorded torque does to the estimated bodies. With the true loop's
    commands and gains the position would hardly depend on the parameters: a stiff loop goes where
    it is told (see :class:`SimulatedLoop`).
    """

    def fit(self, problem: Problem, start: Array) -> Estimate:
        """See :class:`Estimator`; EstimationError also where the loop cannot be simulated."""
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
