"""Friction models on recordings of real robots: errors of the fit, and on held-out data.

    python benchmarks/bench_friction.py [ur10 tx40 ur10e ...]

Each model at each joint, and which was chosen; a recording of the UR10e is held out, a fifth of the
only recording of the others. The recordings are not part of this
repository and are expected in ../shared/data; a robot without them is left out.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from dynid.identification.friction.search import select_friction
from dynid.identification.friction.selection import ChosenTerms
from dynid.profile import load_robot
from dynid.report.terminal.console import print_text, roomy
from dynid.report.terminal.tables import table
from dynid.robot.recordings import load_recording
from dynid.text import significant

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


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
    begun = time.process_time()
    robot = load_robot(case.robot, overrides=case.overrides)
    recordings = [load_recording(DATA / name, robot, stop=case.stop) for name in case.files]
    found = select_friction(robot, recordings)
    rows = table(
        f"{case.robot}: fit / held out [{found.joints[0].unit}]",
        *(f"J{number}" for number in range(1, len(found.joints) + 1)),
    )
    for name in dict.fromkeys(trial.name for joint in found.joints for trial in joint.tried):
        rows.add_row(Text(name), *(_cell(joint, name) for joint in found.joints))
    console.print(rows)
    print_text(console, found.note())
    console.print(f"{time.process_time() - begun:.0f} s of CPU in all\n")


def _cell(joint: ChosenTerms, name: str) -> Text:
    """Return the errors of a model at a joint; bold where it was chosen."""
    for trial in joint.tried:
        if trial.name == name:
            errors = (significant(error, 3) for error in (trial.fit_error, trial.held_out_error))
            return Text(" / ".join(errors), "bold" if name == joint.chosen else "")
    return Text("–")


if __name__ == "__main__":
    main()
