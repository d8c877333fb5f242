"""``dynid demo``: the whole job on a simulated robot."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.json_output import print_json
from dynid.cli.options import AsJson, Output
from dynid.demo import STEPS, run_demo
from dynid.report.terminal.console import print_written, progress, result_console
from dynid.report.terminal.results import print_demonstration, print_kept_model
from dynid.report.verdict_json import identification_json


def demo_command(
    robot: Annotated[str, typer.Option(help="A profile with an excitation.")] = "puma560",
    output: Output = Path("out"),
    without_ros: Annotated[
        bool, typer.Option("--without-ros", help="The same in one process, without nodes.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Excite a simulated robot, record, identify, and validate on another motion."""
    if not without_ros and find_spec("rclpy") is not None:
        command = [sys.executable, "-m", "dynid_ros.demo", "--robot", robot, "-o", str(output)]
        # in place of this process: Ctrl-C is for the one that has a robot to bring to rest
        os.execv(sys.executable, [*command, *(["--json"] if as_json else [])])
    console = result_console(as_json)
    if not without_ros:
        console.print("There is no rclpy here, so the demonstration runs without ROS.")
    with progress(console, steps=STEPS) as step:
        demonstration = run_demo(robot, output, step)
    evaluated = demonstration.evaluated
    if as_json:
        print_json(
            {
                kind: identification_json(demonstration.identification, one)
                for kind, one in evaluated.items()
            }
        )
    else:
        print_demonstration(
            console,
            {kind: one.verdict for kind, one in evaluated.items()},
            demonstration.identification.quantities,
        )
        print_written(console, demonstration.written)
    identified = demonstration.identification.verdict.success
    print_kept_model(output, success=identified)
    raise typer.Exit(0 if demonstration.success else 1)
