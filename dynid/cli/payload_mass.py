"""``dynid payload-mass``: what a robot at rest carries."""

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.judgement import print_json
from dynid.cli.loading import load_recordings
from dynid.cli.options import AsJson, OwnProfile, Recordings, Set, Start, Stop, Urdf
from dynid.identification.payload.base_model import load_base_model
from dynid.identification.payload.payload_file import write_payload
from dynid.identification.payload.static import payload_at_rest
from dynid.report.terminal.payload import print_static_payload, static_evidence, static_payload_json
from dynid.report.terminal.results import print_written, progress, result_console


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
    """Weigh a payload, and find its centre as far as told, from a robot at rest in a few poses.

    Friction at rest is what makes it uncertain. Exit code 1 where it hides the mass.
    """
    base = load_base_model(base_model, profile=profile, urdf=urdf, overrides=settings or [])
    console = result_console(as_json)
    with progress(console) as step:
        found = payload_at_rest(
            base, load_recordings(recordings, base.profile, start, stop, step), progress=step
        )
    written = [output / "payload.yaml"] if output is not None and found.success else []
    for path in written:
        write_payload(found.payload, static_evidence(found), path)
    if as_json:
        print_json(static_payload_json(found))
    else:
        print_static_payload(console, found)
        print_written(console, written)
    raise typer.Exit(0 if found.success else 1)
