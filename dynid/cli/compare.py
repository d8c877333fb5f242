"""``dynid model compare``: what differs between two models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import AsJson, Run, Start, Stop


def model_compare_command(
    first: Annotated[Path, typer.Argument(metavar="FIRST", help="model.yaml of a robot.")],
    second: Annotated[
        Path,
        typer.Argument(
            metavar="SECOND", help="model.yaml of the same robot, or of another one of its type."
        ),
    ],
    recordings: Annotated[
        list[Path] | None,
        typer.Option(
            "--recording", "-r", metavar="RECORDING", help="Evaluate both on it; repeatable."
        ),
    ] = None,
    states: Annotated[
        int, typer.Option(metavar="N", min=1, help="Random states within the limits.")
    ] = 2000,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    as_json: AsJson = False,
) -> None:
    """Compare two models: parameters, torques, errors on recordings.

    Differences of parameters are in standard deviations of both identifications together, and those
    of torque are over random states within the limits, and along recordings.
    """
    from dynid.cli.loading import load_recordings
    from dynid.evaluation.model_comparison import compare_models
    from dynid.profile import load_model
    from dynid.report.terminal.comparison import comparison_json, print_model_comparison
    from dynid.report.terminal.console import print_result, result_console
    from dynid.report.terminal.progress import progress

    before, after = load_model(first), load_model(second)
    console = result_console(as_json)
    with progress(console) as step:
        loaded = load_recordings(recordings or [], before.robot, start, stop, step, run)
        step("comparing")
        comparison = compare_models(before, after, loaded, states=states)
    print_result(console, comparison_json, print_model_comparison, comparison)
