"""``dynid identify`` and ``dynid validate``."""

from pathlib import Path
from typing import Annotated, get_args

import typer
from rich.console import Console

from dynid.cli.judgement import print_json, with_model
from dynid.cli.loading import load_recordings
from dynid.cli.options import AsJson, Output, Profile, Recordings, Set, Start, Stop, Urdf
from dynid.cli.payload import identify_payload_only
from dynid.errors import ConfigurationError
from dynid.identification.identify import Identification, identify
from dynid.identification.payload.base_model import load_base_model
from dynid.identification.validate import validate
from dynid.profile import load_profile
from dynid.report.terminal.results import (
    print_identification,
    print_judgement,
    print_written,
    progress,
    result_console,
)
from dynid.report.verdict_json import judgement_json
from dynid.report.write import write_outputs, write_validation_outputs
from dynid.robot.model_reader import read_model
from dynid.signals.settings import EstimatorName


def identify_command(
    recordings: Recordings,
    profile: Profile = None,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    payload: Annotated[
        bool, typer.Option("--payload", help="Only what the robot carries; needs --base-model.")
    ] = False,
    base_model: Annotated[
        Path | None, typer.Option(help="model.yaml of the robot without payload.")
    ] = None,
    estimator: Annotated[
        str | None, typer.Option(help=f"{', '.join(get_args(EstimatorName))}: docs/estimators.md.")
    ] = None,
    unsigned_torque: Annotated[
        bool,
        typer.Option("--unsigned-torque", help="Effort has lost its sign: find that first."),
    ] = False,
    settings: Set = None,
    output: Output = Path("out"),
    as_json: AsJson = False,
) -> None:
    """Identify the dynamic model of a robot, or its payload, from recordings of its motion."""
    overrides = list(settings or [])
    if estimator is not None:
        overrides.append(f"identification.estimator={estimator}")
    if unsigned_torque:
        overrides.append("identification.unsigned_torque=true")
    if payload != (base_model is not None):
        raise ConfigurationError(
            "--payload and --base-model belong together: name the model.yaml of the robot without "
            "its payload."
        )
    if base_model is not None:
        base = load_base_model(base_model, profile=profile, urdf=urdf, overrides=overrides)
        identify_payload_only(recordings, base, start, stop, output, as_json)
    if profile is None:
        raise ConfigurationError(
            "identify needs a robot's profile: name one with --profile (dynid robots lists them)."
        )
    robot, urdf_xml = load_profile(profile, urdf=urdf, overrides=overrides)
    console = result_console(as_json)
    with progress(console) as step:
        loaded = load_recordings(recordings, robot, start, stop, step)
        identification = identify(robot, urdf_xml, loaded, progress=step)
        step("writing the report")
        written = write_outputs(identification, output)
    _show(identification, console, written, as_json)
    raise typer.Exit(0 if identification.judgement.success else 1)


def validate_command(
    recordings: Recordings,
    model: Annotated[Path, typer.Option("--model", "-m", help="model.yaml of an identification.")],
    start: Start = None,
    stop: Stop = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for a report and the signals.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Judge an identified model on recordings that it has not seen."""
    stored = read_model(model)
    console = result_console(as_json)
    with progress(console) as step:
        loaded = load_recordings(recordings, stored.profile, start, stop, step)
        step("judging")
        validation = validate(
            stored.profile, stored.mechanism(), loaded, failed=stored.status == "failed"
        )
        written = [] if output is None else write_validation_outputs(validation, output)
    if as_json:
        print_json(
            judgement_json(
                validation.judgement,
                condition_number=stored.condition_number,
                base_parameters=stored.base_parameter_count,
                samples=validation.samples,
            )
        )
    else:
        print_judgement(console, validation.judgement, notes=validation.notes)
        print_written(console, written)
    raise typer.Exit(0 if validation.judgement.success else 1)


def _show(
    identification: Identification, console: Console, written: list[Path], as_json: bool
) -> None:
    if as_json:
        print_json(with_model(identification, identification))
    else:
        print_identification(console, identification)
        print_written(console, written)
