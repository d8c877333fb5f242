"""Optimised excitations against random ones, robot by robot; prints the table.

    python benchmarks/excitation_table.py [--starts 4] [--random 1000] [--objective both] [ROBOT …]

Each row: condition number of the weighted and scaled base regressor that the optimiser reaches,
its time, and best and median of random series that begin and end at rest as well and are as large
as position, velocity and acceleration limits allow. The rows `figaroh …` have the limits of
FIGAROH's example: UR10e, 8 s, no geometry, the rigid one with the regressor as it is
(``excitation_against_figaroh.py`` runs FIGAROH).
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np
from rich.console import Console

from dynid.excitation.design.design import Design, ExcitationSpec, make_design
from dynid.excitation.design.information import Objective
from dynid.excitation.design.optimise import optimise, propose_series
from dynid.excitation.prediction.precision import torque_noise
from dynid.profile import load_robot
from dynid.report.terminal.tables import table
from dynid.robot.model import nominal_model
from dynid.simulation.settings import stated_torque_noise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.arrays import Array
    from dynid.robot.model import Model

ROBOTS = ("ur10", "puma560", "yumi_arm", "yumi", "delta_3", "delta_4")
_UR10E = (
    "limits.position=[[-6.28,6.28]]",
    "limits.velocity=[2.16,2.16,3.15,3.2,3.2,3.2]",
    "limits.acceleration=[40]",
    "limits.torque_max=[330,330,150,54,54,54]",
    "excitation.centre=null",
    "excitation.span=null",
    "excitation.margin=1",
    "workspace.self_collision=false",
)


class Case(NamedTuple):
    """A robot, changes of its profile, and the requested excitation."""

    name: str
    robot: str
    overrides: tuple[str, ...] = ()
    duration: float | None = None
    harmonics: int | None = None
    scaled: bool = True


FIGAROH = (
    Case("figaroh ur10e, rigid", "ur10e", (*_UR10E, "terms=[]"), 8.0, 10, scaled=False),
    Case(
        "figaroh ur10e, all terms",
        "ur10e",
        (
            *_UR10E,
            "terms=[{kind: viscous}, {kind: coulomb}, {kind: offset}, {kind: rotor_inertia}]",
        ),
        8.0,
        10,
    ),
)


def cases(robots: Sequence[str]) -> list[Case]:
    """Return the cases of robots by name, all where none is named."""
    named = [Case(robot, robot) for robot in robots or ROBOTS]
    return named if robots else [*FIGAROH, *named]


def random_conditions(design: Design, count: int) -> np.ndarray:
    """Return condition numbers of those of ``count`` random series that keep all limits."""
    random = np.random.default_rng(0)
    found: list[float] = []
    for _ in range(count):
        descent = design.descent(design.pose(random, elsewhere=True))
        space, barrier = descent.barrier.space, descent.barrier
        y = random.standard_normal((len(space.pose), space.dimension))
        slack = barrier.bounds.slack(np.zeros_like(y))
        change = slack - barrier.bounds.slack(y)
        y /= np.max(change / slack, axis=(1, 2))[:, np.newaxis] * (1 + 1e-9)
        if barrier.smallest_slack(y) > 0:
            motion = space.motion(descent.basis, y)
            found.append(design.information.condition_number(motion))
    return np.array(found)


def requested(case: Case, objective: Objective) -> tuple[Model, ExcitationSpec, Array]:
    """Return a case's robot, its excitation, and the noise of each joint's torque (n,) [N m]."""
    robot = load_robot(case.robot, overrides=case.overrides)
    model = nominal_model(robot)
    still = np.zeros((1, len(robot.joints)))
    stated = stated_torque_noise(robot, model.mechanism)
    noise = torque_noise(robot, model.mechanism, still, stated=stated).standard_deviation
    settings = propose_series(robot, duration=case.duration, harmonics=case.harmonics)
    if case.duration is not None:
        settings = settings.model_copy(update={"base_frequency": 1 / case.duration, "periods": 1})
    return model, ExcitationSpec(settings, objective, scaled=case.scaled), noise


def row(case: Case, starts: int, count: int, objective: Objective) -> list[str]:
    """Return a case's cells."""
    model, spec, noise = requested(case, objective)
    settings = spec.settings
    begun = time.perf_counter()
    found = optimise(model, spec, noise, starts=starts)
    seconds = time.perf_counter() - begun
    design = make_design(model, spec, noise)
    begun = time.perf_counter()
    random = random_conditions(design, count)
    spent = time.perf_counter() - begun
    return [
        str(len(design.information.columns)),
        f"{1 / settings.base_frequency:.3g} s, {settings.harmonics}",
        f"{found.condition_number:.3g}",
        f"{seconds:.1f} s",
        str(len(random)),
        f"{np.min(random, initial=np.inf):.3g}",
        f"{np.median(random):.3g}" if len(random) else "–",
        f"{spent:.1f} s",
        f"{found.size:.3f}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", nargs="*")
    parser.add_argument("--starts", type=int, default=4)
    parser.add_argument("--random", type=int, default=1000)
    parser.add_argument("--objective", choices=get_args(Objective), default="condition")
    given = parser.parse_args()
    rows = table(
        "excitation",
        "base parameters",
        "period, harmonics",
        "condition",
        "in",
        f"of {given.random} random feasible",
        "best",
        "median",
        "in",
        "size",
    )
    for case in cases(given.robots):
        rows.add_row(case.name, *row(case, given.starts, given.random, given.objective))
    Console(width=140).print(rows)


if __name__ == "__main__":
    main()
