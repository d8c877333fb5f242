"""``dynid diagnose``: problems in recordings or a model, and their remedies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import AsJson, Output, OwnProfile, Recordings, Set, Start, Stop, Urdf
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from dynid.robot.model import Model
    from dynid.robot.robot import Robot


def diagnose_command(
    recordings: Recordings,
    profile: OwnProfile = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model", "-m", metavar="FILE", help="model.yaml to compare with the recordings."
        ),
    ] = None,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    settings: Set = None,
    output: Output = Path("out"),
    as_json: AsJson = False,
) -> None:
    """Find problems in recordings or a model, with remedies.

    Exit code 0: none found; 1: at least one found; 2: bad input.
    """
    from dynid.cli.json_output import print_json
    from dynid.cli.loading import load_recordings
    from dynid.identification.diagnose import diagnose_recordings
    from dynid.report.diagnosis import write_diagnosis
    from dynid.report.terminal.console import print_written, result_console
    from dynid.report.terminal.diagnosis import diagnosis_json, print_diagnosis
    from dynid.report.terminal.progress import progress
    from dynid.transaction import written_together

    robot, loaded_model = _robot_and_model(profile, model, urdf, settings or [])
    console = result_console(as_json)
    with progress(console) as step:
        loaded = load_recordings(recordings, robot, start, stop, step)
        diagnosis = diagnose_recordings(robot, loaded, model=loaded_model, progress=step)
        step("writing the report")
        with written_together(output) as unfinished:
            write_diagnosis(diagnosis, unfinished / "diagnosis.html")
    if as_json:
        print_json(diagnosis_json(diagnosis))
    else:
        print_diagnosis(console, diagnosis)
        print_written(console, [output / "diagnosis.html"])
    raise typer.Exit(1 if diagnosis.found else 0)


def _robot_and_model(
    profile: str | None, model: Path | None, urdf: Path | None, overrides: list[str]
) -> tuple[Robot, Model | None]:
    """Return the robot whose settings apply to the recordings, and the model if one is given."""
    from dynid.cli.loading import load_model_for, load_robot

    if model is not None:
        loaded = load_model_for(model, profile, urdf=urdf, overrides=overrides)
        return loaded.robot, loaded
    if profile is None:
        raise ConfigurationError(
            "diagnose needs a robot or a model: name a robot with --profile (dynid robots lists "
            "those shipped), or a model with --model."
        )
    return load_robot(profile, urdf=urdf, overrides=overrides), None
