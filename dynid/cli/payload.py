"""``dynid identify --payload``: what a moving robot carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import typer

from dynid.cli.judgement import print_json
from dynid.cli.loading import load_recordings
from dynid.identification.payload.identification import identify_payload
from dynid.identification.payload.payload_file import write_payload
from dynid.report.terminal.payload import (
    identification_evidence,
    payload_identification_json,
    print_payload_identification,
)
from dynid.report.terminal.results import print_written, progress, result_console

if TYPE_CHECKING:
    from pathlib import Path

    from dynid.identification.payload.base_model import BaseModel


def identify_payload_only(
    recordings: list[Path],
    base: BaseModel,
    start: float | None,
    stop: float | None,
    output: Path,
    as_json: bool,
) -> NoReturn:
    """Identify the payload, print and write it, and exit with 1 where that failed."""
    console = result_console(as_json)
    with progress(console) as step:
        found = identify_payload(
            base, load_recordings(recordings, base.profile, start, stop, step), progress=step
        )
    success = found.judgement.success
    written = [output / "payload.yaml"] if success else []
    for path in written:
        write_payload(found.payload, identification_evidence(found), path)
    if as_json:
        print_json(payload_identification_json(found))
    else:
        print_payload_identification(console, found)
        print_written(console, written)
    raise typer.Exit(0 if success else 1)
