"""Identify the simulated robot of every shipped profile, and print a row for each.

Each is excited, identified, and held against a second motion and against its true parameters:

    python benchmarks/robots_table.py [robot ...] [--set key=value ...] [--json]

The parameters' error is in units of their standard deviations, root mean square over all base
parameters and the largest. Friction beyond the model's terms (Stribeck) is part of the robots as
shipped; `--set simulation.stribeck_torque=0` leaves it out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict

from rich.console import Console
from rich.text import Text

from dynid.errors import DynidError
from dynid.profile import load_robot
from dynid.report.terminal.console import roomy
from dynid.report.terminal.tables import table
from dynid.robot_files import shipped_profiles
from dynid.simulation.ground_truth import GroundTruthTrial, missing_for_trial, try_robot
from dynid.text import percent, significant


def main() -> None:
    """Run the trials selected on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("robots", nargs="*", help="all that can be tried, where none is named")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    possible, left_out = possible_robots()
    left_out = {} if options.robots else left_out
    tried = {robot: _tried(robot, options.overrides) for robot in options.robots or possible}
    trials = [one for one in tried.values() if isinstance(one, GroundTruthTrial)]
    left_out |= {robot: str(one) for robot, one in tried.items() if isinstance(one, DynidError)}
    if options.json:
        print(json.dumps({"trials": [asdict(one) for one in trials], "left_out": left_out}))
    else:
        _print(Console(), trials, left_out)


def possible_robots() -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the shipped robots for which a trial is possible, and why the others are not."""
    missing = {name: missing_for_trial(load_robot(name)) for name in shipped_profiles()}
    left_out = {name: reason for name, reason in missing.items() if reason is not None}
    return tuple(name for name in missing if name not in left_out), left_out


def trial(name: str, *, overrides: Iterable[str] = ()) -> GroundTruthTrial:
    """Try a robot by the name or file of its profile, with overrides of the profile."""
    return try_robot(load_robot(name, overrides=overrides))


def _tried(robot: str, overrides: list[str]) -> GroundTruthTrial | DynidError:
    """Return the result of one robot; an error of one must not stop the others."""
    try:
        return trial(robot, overrides=overrides)
    except DynidError as error:
        return error


def _print(console: Console, trials: list[GroundTruthTrial], left_out: dict[str, str]) -> None:
    console = roomy(console)
    rows = table(
        "robot", "axes", "base", "condition", "torque error", "parameters", "worst", "seconds"
    )
    for one in trials:
        values = (
            str(len(one.joints)),
            str(one.base_parameters),
            significant(one.condition_number, 3),
            percent(max(one.relative_error)) + ("" if one.success else " failed"),
            significant(one.parameter_error, 2),
            f"{significant(one.worst_error, 2)} ({one.worst_parameter})",
            f"{one.seconds:.1f}",
        )
        rows.add_row(Text(one.robot), *map(Text, values))
    console.print(rows)
    console.print(
        "base: base parameters; torque error: norm over norm of torque on the second motion, of "
        "the worst joint; parameters: error against the truth in standard deviations, rms.",
        soft_wrap=True,
    )
    for robot, reason in left_out.items():
        console.print(Text(f"left out: {robot}: {reason}"), soft_wrap=True)


if __name__ == "__main__":
    main()
