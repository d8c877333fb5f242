"""``dynid demo``: all steps from motion to validation on a simulated robot."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import AsJson, Output, Profile


def demo_command(
    robot: Profile = "puma560",
    output: Output = Path("out"),
    without_ros: Annotated[
        bool, typer.Option("--without-ros", help="Run in one process, without ROS 2 nodes.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Record, identify and validate a simulated robot.

    A profile without excitation or simulation, such as a URDF alone, is completed by a default
    motion and by drives that are derived from bodies and limits.

    The robot plays an excitation, which is recorded and identified, then a second motion to
    validate the model on. Exit code 1: the model failed its criterion.
    """
    from dynid.cli.loading import load_robot
    from dynid.demonstration import STEPS, prepare, run_demo
    from dynid.report.card import Card
    from dynid.report.terminal.console import print_json, print_text, print_written, result_console
    from dynid.report.terminal.progress import progress
    from dynid.report.terminal.results import print_demonstration, print_kept_model
    from dynid.report.verdict_json import identification_json
    from dynid.robot.description import is_description

    if is_description(Path(robot)):
        load_robot(robot)  # for its note on what is assumed
    if not without_ros and find_spec("rclpy") is not None:
        command = [sys.executable, "-m", "dynid_ros.demo", "--robot", robot, "-o", str(output)]
        # replaces this process, so that Ctrl-C reaches the one that has to stop the robot
        os.execv(sys.executable, [*command, *(["--json"] if as_json else [])])
    console = result_console(as_json)
    if not without_ros:
        print_text(console, "rclpy is not installed: the demonstration runs without ROS 2.")
    prepared = prepare(robot, output)
    for sentence in prepared.assumed:
        print_text(console, sentence)
    with progress(console, steps=STEPS) as step:
        demonstration = run_demo(prepared.profile, output, step)
    identification = demonstration.identification
    evaluated = demonstration.evaluated
    if as_json:
        print_json(
            {kind: identification_json(identification, *pair) for kind, pair in evaluated.items()}
        )
    else:
        cards = {kind: Card.of(*pair) for kind, pair in evaluated.items()}
        print_demonstration(console, cards, identification.quantities)
        print_written(console, (*prepared.written, *demonstration.written))
    print_kept_model(output, success=identification.verdict.success)
    raise typer.Exit(0 if demonstration.success else 1)
