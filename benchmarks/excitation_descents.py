"""Processor time of each descent to a first motion, and to one nearly as good as the best.

    python benchmarks/excitation_descents.py [--starts 4] [ROBOT …]

Descents run here one after the other; `dynid excite` runs one on each processor. A row: processor
time until the first motion within all limits, until a condition number of the base regressor within
10 % of that of the best motion of all starts, and until the descent's end.
"""

from __future__ import annotations

import argparse
import time
from typing import NamedTuple

import numpy as np
from rich.console import Console
from threadpoolctl import threadpool_limits

from dynid.excitation.design.design import Design, ExcitationSpec, make_design
from dynid.excitation.design.optimise import propose_series
from dynid.excitation.design.worker import Step, descend
from dynid.excitation.prediction.precision import torque_noise
from dynid.profile import load_robot
from dynid.report.terminal.tables import table
from dynid.robot.model import nominal_model
from dynid.simulation.settings import stated_torque_noise

NEAR = 1.1  # condition number over that of the best motion


class Trace(NamedTuple):
    """Processor time [s] and condition number at each step of a descent, and its result."""

    seconds: np.ndarray
    conditions: np.ndarray
    objective: float

    def until(self, condition: float) -> str:
        """Return the time until a condition number."""
        near = self.seconds[self.conditions <= condition]
        return f"{near[0]:.2f} s" if len(near) else "–"


def design_of(name: str) -> Design:
    """Return the problem of a shipped robot as `dynid excite` proposes it."""
    robot = load_robot(name)
    model = nominal_model(robot)
    still = np.zeros((1, len(robot.joints)))
    stated = stated_torque_noise(robot, model.mechanism)
    noise = torque_noise(robot, model.mechanism, still, stated=stated).standard_deviation
    return make_design(model, ExcitationSpec(propose_series(robot)), noise)


def traced(design: Design, start: int) -> Trace:
    """Run the descent from one start."""
    seconds: list[float] = []
    steps: list[Step] = []
    begun = time.process_time()
    for step in descend(design, start, seed=0):
        seconds.append(time.process_time() - begun)
        steps.append(step)
    descent = design.descent(steps[0].pose)
    conditions = [
        design.condition_number(descent.barrier.space.excitation(step.y, 1)) for step in steps
    ]
    return Trace(np.array(seconds), np.array(conditions), descent.objective(steps[-1].y))


def main() -> None:
    """Print a table for each robot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", nargs="*", default=["ur10"])
    parser.add_argument("--starts", type=int, default=4)
    given = parser.parse_args()
    for name in given.robots:
        with threadpool_limits(1, user_api="blas"):
            design = design_of(name)
            traces = [traced(design, start) for start in range(given.starts)]
        best = min(traces, key=lambda trace: trace.objective)
        title = f"{name}, {len(design.workspace.pairs)} distances"
        rows = table(title, "first motion", "within 10 %", "end", "condition number")
        for start, one in enumerate(traces):
            times = f"{one.seconds[0]:.2f} s", one.until(NEAR * best.conditions[-1])
            end = f"{one.seconds[-1]:.1f} s"
            rows.add_row(f"start {start}", *times, end, f"{one.conditions[-1]:.3g}")
        Console(width=100).print(rows)


if __name__ == "__main__":
    main()
