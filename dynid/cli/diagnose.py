"""``dynid diagnose``: why recordings or a model are not as good as they could be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.json_output import print_json
from dynid.cli.loading import load_model_for, load_recordings
from dynid.cli.options import AsJson, Output, OwnProfile, Recordings, Set, Start, Stop, Urdf
from dynid.errors import ConfigurationError
from dynid.identification.diagnose import diagnose_recordings
from dynid.profile import load_robot
from dynid.report.diagnosis import write_diagnosis
from dynid.report.terminal.console import print_written, progress, result_console
from dynid.report.terminal.diagnosis import diagnosis_json, print_diagnosis
from dynid.robot.robot import Robot
from dynid.transaction import written_together

if TYPE_CHECKING:
    from dynid.robot.model import Model


def diagnose_command(
    recordings: Recordings,
    profile: OwnProfile = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", help="model.yaml to hold against the recordings."),
    ] = None,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    settings: Set = None,
    output: Output = Path("out"),
    as_json: AsJson = False,
) -> None:
    """Find out why an identification is not good: exit code 1 where a cause is found."""
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
    """The robot to read recordings by, and the model if one is given."""
    if model is not None:
        loaded = load_model_for(model, profile, urdf=urdf, overrides=overrides)
        return loaded.robot, loaded
    if profile is None:
        raise ConfigurationError(
            "diagnose needs a robot's profile: name one with --profile (dynid robots lists them), "
            "or a --model, which carries its own."
        )
    return load_robot(profile, urdf=urdf, overrides=overrides), None
