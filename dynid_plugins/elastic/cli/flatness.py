"""``dynid tracking flatness``: path errors of elastic joints with rigid and elastic feedforward."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import AsJson, Profile, Set, check_png, output_file


def flatness_command(
    robot: Profile,
    cutoff: Annotated[
        float,
        typer.Option(
            metavar="HZ",
            min=0.1,
            help="Cut-off of the five lags that give the reference its derivatives.",
        ),
    ] = 20.0,
    settings: Set = None,
    output: Annotated[Path | None, output_file(help="PNG of the errors over time.")] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate elastic joints with rigid and with flatness-based feedforward.

    The profile's elastic has stiffness and rotor inertia of the joints, its tracking the motion.
    The elastic feedforward is also tried with a stiffness that is wrong by 30 %. Exit code 1: it
    does not reduce the error of the path.
    """
    from dynid.cli.loading import load_robot
    from dynid.report.terminal.console import print_json, print_written, result_console
    from dynid.report.terminal.progress import progress
    from dynid_plugins.elastic.chart import write_flatness
    from dynid_plugins.elastic.flatness_trial import try_flatness
    from dynid_plugins.elastic.report import print_flatness

    check_png(output)
    loaded = load_robot(robot, overrides=settings or [])
    console = result_console(as_json)
    with progress(console) as step:
        step("simulating the motion four times")
        trial = try_flatness(loaded, cutoff)
        if output is not None:
            write_flatness(trial, output)
    if as_json:
        print_json(trial.to_dict())
    else:
        print_flatness(console, trial)
        print_written(console, [output])
    raise typer.Exit(0 if trial.ratios[1] < 1 else 1)
