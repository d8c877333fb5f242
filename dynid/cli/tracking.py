"""``dynid tracking``: what the identified model is worth to a position-controlled robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.json_output import print_json
from dynid.control.tracking.trial import identified, track
from dynid.errors import ConfigurationError
from dynid.profile import load_model, load_robot
from dynid.report.terminal.console import print_written, progress, result_console
from dynid.report.terminal.tracking import print_trial
from dynid.report.tracking_plot import write_plot
from dynid.robot.acceptance import check_acceptance


def tracking_command(
    robot: Annotated[
        str,
        typer.Option("--robot", "--profile", "-p", help="A profile with a tracking motion."),
    ] = "puma560",
    model: Annotated[
        Path | None,
        typer.Option(
            "--model", "-m", help="model.yaml to track with; else one is identified first."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the sensors' noise.")] = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Override a key of the profile: tracking.frequency=2."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="PNG file for the errors over time.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object, and nothing else.")
    ] = False,
) -> None:
    """Follow one motion with and without the model's torque, on the simulated robot.

    The simulated robot has friction and noise that the model lacks. Drives and gains are the same
    in both runs. Exit code 1 where the model's torque does not help.
    """
    if output is not None and output.suffix.lower() != ".png":
        raise ConfigurationError(f"--output {output}: must end in .png.")
    simulated = load_robot(robot, overrides=settings or [])
    stored = None if model is None else load_model(model)
    if stored is not None:  # a poor model does no harm here
        check_acceptance(stored, simulated, str(model), force=True)
    console = result_console(as_json)
    with progress(console) as step:
        if stored is None:
            step("identifying the simulated robot")
        mechanism = identified(simulated) if stored is None else stored.mechanism
        step("following the motion twice")
        trial = track(simulated, mechanism, seed=seed)
        if output is not None:
            write_plot(trial, output)
    if as_json:
        print_json(trial.as_json())
    else:
        print_trial(console, trial)
        print_written(console, [] if output is None else [output])
    raise typer.Exit(0 if trial.ratio < 1 else 1)
