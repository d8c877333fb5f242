"""Friction models on recordings of real robots: errors of the fit, and on held-out data.

    python benchmarks/bench_friction.py [ur10 tx40 ur10e ...]

Each model at each joint, its shapes sought anew for every part that is left out: a recording of
the UR10e, a fifth of the only recording of the others. The recordings are not part of this
repository and are expected in ../shared/data; a robot without them is left out.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.text import Text
from threadpoolctl import threadpool_limits

from dynid.identification.friction.candidates import candidates
from dynid.identification.friction.choose import try_candidates
from dynid.identification.friction.selection import FittedRobot, fit_robot, joint_and_motion
from dynid.profile import load_robot
from dynid.report.terminal.console import roomy
from dynid.report.terminal.tables import table
from dynid.robot.recordings import load_recording
from dynid.text import significant

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MODELS = (
    "viscous + Coulomb",
    "viscous + tanh",
    "viscous + tanh + Stribeck",
    "viscous + root + tanh + load",
    "viscous + root + 2 stops",
    "viscous + root + tanh + 1 stop",
    "viscous + root + tanh + 2 stops",
    "viscous + root + tanh + 2 stops + load",
    "viscous + root + LuGre",
)


@dataclass(frozen=True)
class Recorded:
    """A robot's recordings to be fitted, and up to where [s]."""

    robot: str
    files: tuple[str, ...]
    stop: float | None = None
    overrides: tuple[str, ...] = ()


ROBOTS = (
    Recorded("ur10", ("ur10/ur10_exciting_trajectory.db3",), stop=19.26),
    # what moves at all is below 20 Hz; the profile keeps every 20th sample of 5000 Hz
    Recorded(
        "tx40",
        ("tx40",),
        overrides=("recording.sampling_rate=500", "identification.parallel_filter.decimation=2"),
    ),
    Recorded(
        "ur10e",
        (
            "ur10e/ur-20_02_12-50sec_12harm.csv",
            "ur10e/ur-20_02_19_14harm50sec.csv",
            "ur10e/ur-20_02_10-30sec_12harm.csv",
            "ur10e/ur-20_01_31-unload.csv",
        ),
    ),
)


@dataclass(frozen=True)
class Cell:
    """One model at one joint: errors in the unit of the recorded effort, and how long it took."""

    fit: float
    held_out: float
    seconds: float


def main() -> None:
    """Print a table for each robot whose recordings are here."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("robots", nargs="*", help="all, where none is named")
    options = parser.parse_args().robots
    console = roomy(Console())
    for case in ROBOTS:
        if options and case.robot not in options:
            continue
        absent = [name for name in case.files if not (DATA / name).exists()]
        if absent:
            print(f"{case.robot}: left out, its recording {absent[0]} is not in {DATA.name}.")
            continue
        _print(console, case)


def _print(console: Console, case: Recorded) -> None:
    begun = time.perf_counter()
    fitted = _fitted(case)
    signals = fitted.fit.problem.rows[0].signals
    joints = range(len(signals.joint_names))
    # a fork would inherit the locks of the core's threads, but not the threads
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        found = list(pool.map(_tried, [case] * len(joints), joints))
    rows = table(
        f"{case.robot}: fit / held out [{signals.effort_unit}]",
        *(f"J{joint + 1}" for joint in joints),
        "seconds",
    )
    for model in MODELS:
        cells = [one.get(model) for one in found]
        shown = ["–" if c is None else f"{_text(c.fit)} / {_text(c.held_out)}" for c in cells]
        seconds = sum(c.seconds for c in cells if c is not None)
        rows.add_row(Text(model), *shown, f"{seconds:.1f}")
    console.print(rows)
    console.print(f"{time.perf_counter() - begun:.0f} s in all\n")


def _text(value: float) -> str:
    return significant(value, 3)


@cache
def _fitted(case: Recorded) -> FittedRobot:
    robot = load_robot(case.robot, overrides=case.overrides)
    recordings = [load_recording(DATA / name, robot, stop=case.stop) for name in case.files]
    return fit_robot(robot, recordings)


def _tried(case: Recorded, joint: int) -> dict[str, Cell]:
    with threadpool_limits(1, user_api="blas"):
        return dict(_cells(case, joint))


def _cells(case: Recorded, joint: int) -> Iterator[tuple[str, Cell]]:
    fitted = _fitted(case)
    problem, motion = joint_and_motion(fitted, joint)
    unit = abs(float(fitted.fit.problem.rows[0].signals.torque_per_effort[joint]))
    for candidate in candidates(motion):
        if candidate.name in MODELS:
            begun = time.perf_counter()
            (trial,) = try_candidates(problem, [candidate], name="joint")
            seconds = time.perf_counter() - begun
            yield candidate.name, Cell(trial.fit_error / unit, trial.held_out_error / unit, seconds)


if __name__ == "__main__":
    main()
