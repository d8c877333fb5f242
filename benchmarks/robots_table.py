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
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import numpy as np
from rich.console import Console
from rich.text import Text

from dynid.errors import ConfigurationError, DynidError
from dynid.excitation.settings import find_excitation
from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid.playback.plan import make_plan, second_seed
from dynid.profile import load_robot
from dynid.report.terminal.console import roomy
from dynid.report.terminal.tables import table
from dynid.robot.robot import Robot
from dynid.robot_files import shipped_profiles
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import standardised_errors
from dynid.text import percent, significant

_SECOND_NOISE = 1  # seed of the sensors' noise on the second motion; 0 on the first


@dataclass(frozen=True)
class GroundTruthTrial:
    """An identification of a simulated robot, compared with a second motion and the true model.

    Attributes:
        robot: name of the profile.
        joints: (n,) in drive order.
        base_parameters: their number.
        condition_number: of the regression.
        success: whether the model passed, on the first motion and on the second.
        relative_error: (n,) norm of the torque error over norm of the torque, second motion.
        parameter_error: root mean square error of the identifiable base parameters, in units of
            their standard deviations: 1 if these are calibrated.
        worst_error: the largest of these errors, of ``worst_parameter``.
        seconds: the trial's wall-clock time [s].
    """

    robot: str
    joints: tuple[str, ...]
    base_parameters: int
    condition_number: float
    success: bool
    relative_error: tuple[float, ...]
    parameter_error: float
    worst_error: float
    worst_parameter: str
    seconds: float


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


def missing_for_trial(robot: Robot) -> str | None:
    """Return why :func:`try_robot` is not possible for a robot; None if it is."""
    groups = {"excitation": find_excitation(robot), "simulation": robot.find(SimulationSettings)}
    absent = [group for group, settings in groups.items() if settings is None]
    if absent:
        return f"its profile has no {' and no '.join(absent)}"
    return "its excitation has no second motion" if second_seed(robot) is None else None


def try_robot(robot: Robot) -> GroundTruthTrial:
    """Excite, record, identify, and compare the model with a second motion and the true one.

    Args:
        robot: simulated, with a random excitation.

    Raises:
        DynidError: the trial is not possible for this robot, or a step fails.
    """
    begun = time.perf_counter()
    seed = second_seed(robot)
    if seed is None:
        raise ConfigurationError(
            f"profile '{robot.name}': its excitation has one motion only; for a second one it must "
            "be of type fourier without coefficients."
        )
    first = make_plan(robot).excitation
    identification = identify(robot, simulate(robot, first))
    second = make_plan(robot, seed=seed).excitation
    recording = simulate(robot, second, seed=_SECOND_NOISE)
    verdict = validate(identification.model, recording).verdict
    errors = standardised_errors(identification)
    worst = max(errors, key=lambda name: abs(errors[name]))
    return GroundTruthTrial(
        robot=robot.name,
        joints=robot.joints,
        base_parameters=len(identification.base_parameters),
        condition_number=identification.provenance.condition_number,
        success=identification.verdict.success and verdict.success,
        relative_error=tuple(joint.relative_error for joint in verdict.joints),
        parameter_error=float(np.sqrt(np.mean(np.square(list(errors.values()))))),
        worst_error=abs(errors[worst]),
        worst_parameter=worst,
        seconds=time.perf_counter() - begun,
    )


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
