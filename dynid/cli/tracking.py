"""``dynid tracking``: tracking errors with and without the model's feedforward torque."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import AsJson, Set, check_png, model_file, output_file, profile_option


def tracking_command(
    robot: Annotated[
        str, profile_option("Name of a shipped robot, or a profile, with a tracking motion.")
    ] = "puma560",
    model: Annotated[
        Path | None,
        model_file(help="model.yaml for the feedforward torque; identified first by default."),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Seed of the sensor noise.")
    ] = 0,
    settings: Set = None,
    output: Annotated[Path | None, output_file(help="PNG of the errors over time.")] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate tracking with and without feedforward torque.

    The simulated robot has friction and noise that the model does not have. Drives and gains are
    the same in both runs. Exit code 1: the feedforward torque does not reduce the error.
    """
    from dynid.cli.loading import load_robot
    from dynid.control.tracking.trial import identified, track
    from dynid.profile import load_model
    from dynid.report.terminal.console import print_result, result_console
    from dynid.report.terminal.progress import progress
    from dynid.report.tracking import print_trial, write_tracking
    from dynid.robot.acceptance import check_acceptance

    check_png(output)
    simulated = load_robot(robot, overrides=settings or [])
    stored = None if model is None else load_model(model)
    if stored is not None:  # a failed model is accepted: the robot is simulated
        check_acceptance(stored, simulated, str(model), force=True)
    console = result_console(as_json)
    with progress(console) as step:
        if stored is None:
            step("identifying the simulated robot")
        mechanism = identified(simulated) if stored is None else stored.mechanism
        step("simulating the motion twice")
        trial = track(simulated, mechanism, seed=seed)
        if output is not None:
            write_tracking(trial, output)
    print_result(console, type(trial).as_json, print_trial, trial, written=[output])
    raise typer.Exit(0 if trial.ratio < 1 else 1)
