"""``dynid diagnose``: problems in recordings or a model, and their remedies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import (
    AsJson,
    Output,
    OwnProfile,
    Recordings,
    Run,
    Set,
    Start,
    Stop,
    Urdf,
    model_file,
)
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from dynid.evaluation.diagnosis.repair import Repair
    from dynid.identification.diagnose import Diagnosis
    from dynid.robot.model import Model
    from dynid.robot.robot import Robot


def diagnose_command(
    recordings: Recordings,
    profile: OwnProfile = None,
    model: Annotated[
        Path | None, model_file(help="model.yaml to compare with the recordings.")
    ] = None,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    settings: Set = None,
    apply: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="New profile to write, with the corrections of what was found."
        ),
    ] = None,
    output: Output = Path("out"),
    as_json: AsJson = False,
) -> None:
    """Find problems in recordings or a model, with remedies.

    Exit code 0: none found; 1: at least one found, or the model fails its criterion; 2: bad input,
    or nothing for --apply to correct.
    """
    from dynid.cli.loading import load_recordings
    from dynid.cli.repaired_profile import print_repaired
    from dynid.identification.diagnose import diagnose_recordings
    from dynid.report.diagnosis import diagnosis_json, print_diagnosis, write_diagnosis
    from dynid.report.terminal.console import print_result, result_console
    from dynid.report.terminal.progress import progress
    from dynid.transaction import written_together

    if apply is not None:
        _check_apply(apply, profile, output)
    robot, loaded_model = _robot_and_model(profile, model, urdf, settings or [])
    console = result_console(as_json)
    with progress(console) as step:
        loaded = load_recordings(recordings, robot, start, stop, step, run, averaged=True)
        diagnosis = diagnose_recordings(robot, loaded, model=loaded_model, progress=step)
        step("writing the report")
        with written_together(output) as unfinished:
            write_diagnosis(diagnosis, unfinished / "diagnosis.html")
    written = [output / "diagnosis.html"]
    print_result(console, diagnosis_json, print_diagnosis, diagnosis, written=written)
    if apply is not None and profile is not None:
        repair = _applied(diagnosis, robot, profile, apply, urdf, settings or [])
        if not as_json:
            print_repaired(repair, apply, recordings, start, stop, run)
    raise typer.Exit(1 if diagnosis.found or diagnosis.reasons else 0)


def _check_apply(path: Path, profile: str | None, output: Path) -> None:
    from dynid.cli.repaired_profile import check_new_profile

    if profile is None:
        raise ConfigurationError("--apply changes a profile; name it with --profile.")
    check_new_profile(path, output)


def _applied(
    diagnosis: Diagnosis,
    robot: Robot,
    profile: str,
    path: Path,
    urdf: Path | None,
    overrides: list[str],
) -> Repair:
    """Write the repaired profile, and return its changes."""
    from dynid.cli.repaired_profile import nothing_to_apply, write_repaired
    from dynid.evaluation.diagnosis.repair import repair_of
    from dynid.recording.settings import RecordingSettings

    given = robot.settings(RecordingSettings).corrections
    repair = repair_of(diagnosis.findings, given, robot.joints)
    if not repair.applied:
        raise nothing_to_apply(repair, path)
    write_repaired(profile, repair, path, urdf=urdf, overrides=overrides)
    return repair


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
            "diagnose needs a robot or a model: name one before the recordings, a shipped robot "
            "(dynid robots), a profile, a URDF or a model.yaml."
        )
    return load_robot(profile, urdf=urdf, overrides=overrides), None
