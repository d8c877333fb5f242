"""``dynid identify --payload``: what a moving robot carries, compared with its own model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from dynid.cli.json_output import print_json
from dynid.cli.loading import load_model_for, load_recordings
from dynid.cli.options import AsJson, OwnProfile, Recordings, Set, Start, Stop, Urdf
from dynid.errors import ConfigurationError, ModelFileError
from dynid.identification.payload.identification import identify_payload
from dynid.identification.payload.payload import write_payload
from dynid.identification.payload.static import payload_at_rest
from dynid.report.terminal.console import print_written, progress, result_console
from dynid.report.terminal.payload import (
    identification_evidence,
    payload_identification_json,
    print_payload_identification,
    print_static_payload,
    static_evidence,
    static_payload_json,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dynid.robot.model import Model

_FILE = "payload.yaml"


def load_payload_base(
    path: Path, *, profile: str | None, urdf: Path | None, overrides: Sequence[str]
) -> Model:
    """Read the model of the robot without payload.

    Args:
        path: of its model.yaml.
        profile: to preprocess by; None for the one that the model carries.
        urdf: in place of the profile's.
        overrides: of the profile's keys.

    Raises:
        ModelFileError: it cannot be read, is of another robot, or its identification failed.
        ConfigurationError: no such profile, or options that need one.
    """
    if profile is None and (urdf is not None or overrides):
        raise ConfigurationError(
            "--set, --estimator and --urdf belong to a profile, but a payload is identified by the "
            "one that its base model carries; name one with --profile."
        )
    model = load_model_for(path, profile, urdf=urdf, overrides=overrides, force=True)
    if model.failed:
        raise ModelFileError(
            f"{path}: its identification failed, so that what it leaves of torque is no payload's; "
            "identify the robot without payload again."
        )
    return model


def identify_payload_only(
    recordings: list[Path],
    base: Model,
    start: float | None,
    stop: float | None,
    output: Path,
    as_json: bool,
) -> NoReturn:
    """Identify the payload, print and write it, and exit with 1 where that failed."""
    console = result_console(as_json)
    with progress(console) as step:
        found = identify_payload(
            base, load_recordings(recordings, base.robot, start, stop, step), progress=step
        )
    success = found.verdict.success
    written = [output / _FILE] if success else []
    for path in written:
        write_payload(found.payload, identification_evidence(found), path)
    _tell_kept(output, success)
    if as_json:
        print_json(payload_identification_json(found))
    else:
        print_payload_identification(console, found)
        print_written(console, written)
    raise typer.Exit(0 if success else 1)


def payload_mass_command(
    recordings: Recordings,
    base_model: Annotated[Path, typer.Option(help="model.yaml of the robot without payload.")],
    profile: OwnProfile = None,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    settings: Set = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for payload.yaml.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Weigh a payload, and locate its centre, from a robot at rest in a few poses.

    Friction at rest is what makes it uncertain. Exit code 1 where it hides the mass.
    """
    base = load_payload_base(base_model, profile=profile, urdf=urdf, overrides=settings or [])
    console = result_console(as_json)
    with progress(console) as step:
        found = payload_at_rest(
            base, load_recordings(recordings, base.robot, start, stop, step), progress=step
        )
    written = [output / _FILE] if output is not None and found.success else []
    for path in written:
        write_payload(found.payload, static_evidence(found), path)
    _tell_kept(output, found.success)
    if as_json:
        print_json(static_payload_json(found))
    else:
        print_static_payload(console, found)
        print_written(console, written)
    raise typer.Exit(0 if found.success else 1)


def _tell_kept(output: Path | None, success: bool) -> None:
    """Say that a failed identification has left the payload of an earlier one as it was."""
    if output is not None and not success and (output / _FILE).exists():
        typer.echo(f"{output / _FILE}, of an earlier identification, stays as it was.", err=True)
