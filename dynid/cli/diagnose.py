"""``dynid diagnose``: why recordings or a model are not as good as they could be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.judgement import print_json
from dynid.cli.loading import load_recordings
from dynid.cli.options import AsJson, Output, OwnProfile, Recordings, Set, Start, Stop, Urdf
from dynid.errors import ConfigurationError
from dynid.identification.diagnose import diagnose_recordings
from dynid.profile import RobotProfile, load_profile
from dynid.report.diagnosis import write_diagnosis
from dynid.report.terminal.diagnosis import diagnosis_json, print_diagnosis
from dynid.report.terminal.results import print_written, progress, result_console
from dynid.report.write import written_together
from dynid.robot.acceptance import check_acceptance
from dynid.robot.model_reader import read_model

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism


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
    """Look for what spoils an identification: exit code 1 where something is found."""
    robot, urdf_xml, mechanism = _robot(profile, model, urdf, settings or [])
    console = result_console(as_json)
    with progress(console) as step:
        loaded = load_recordings(recordings, robot, start, stop, step)
        diagnosis = diagnose_recordings(robot, urdf_xml, loaded, model=mechanism, progress=step)
        step("writing the report")
        with written_together(output) as unfinished:
            write_diagnosis(diagnosis, unfinished / "diagnosis.html")
    if as_json:
        print_json(diagnosis_json(diagnosis))
    else:
        print_diagnosis(console, diagnosis)
        print_written(console, [output / "diagnosis.html"])
    raise typer.Exit(1 if diagnosis.found else 0)


def _robot(
    profile: str | None, model: Path | None, urdf: Path | None, overrides: list[str]
) -> tuple[RobotProfile, str, Mechanism | None]:
    """Profile and URDF to read recordings by, and the model if one is given."""
    stored = None if model is None else read_model(model)
    mechanism = None if stored is None else stored.mechanism()
    if profile is not None:
        robot, urdf_xml = load_profile(profile, urdf=urdf, overrides=overrides)
        if stored is not None:
            check_acceptance(stored, robot, urdf_xml, str(model))
        return robot, urdf_xml, mechanism
    if stored is None:
        raise ConfigurationError(
            "diagnose needs a robot's profile: name one with --profile (dynid robots lists them), "
            "or a --model, which carries its own."
        )
    if urdf is not None or overrides:
        raise ConfigurationError(
            "--set and --urdf belong to a profile: name one with --profile besides the model."
        )
    return stored.profile, stored.urdf_xml, mechanism
