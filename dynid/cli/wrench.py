"""``dynid collisions wrench``: external wrenches and the link in contact, without a sensor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import (
    AsJson,
    CarriedPayload,
    ModelFile,
    OwnProfile,
    Recordings,
    Run,
    SetCollision,
    Start,
    Stop,
    output_folder,
)
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.control.wrench.uncertainty import ExternalTorqueUncertainty
    from dynid.dynamics.rigid_body import RigidBody
    from dynid.robot.model import Model


_KEPT = "wrench_uncertainty.yaml"


def collisions_wrench_command(
    recordings: Recordings,
    model: ModelFile,
    free: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RECORDING",
            help="Free motion, for the uncertainty without contact; repeatable.",
        ),
    ] = None,
    uncertainty: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="wrench_uncertainty.yaml of an earlier --free."),
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option(metavar="LINK", help="Link of the estimated wrench; default: the last one."),
    ] = None,
    confidence: Annotated[
        float, typer.Option(metavar="SHARE", help="Least probability of the link in contact.")
    ] = 0.95,
    false_alarms_per_hour: Annotated[
        float, typer.Option(metavar="RATE", help="Acceptable rate of contacts that are none.")
    ] = 0.1,
    zero_phase: Annotated[
        bool,
        typer.Option(
            "--zero-phase",
            help="Filter motion by the profile's zero-phase filters, which no controller can.",
        ),
    ] = False,
    payload: CarriedPayload = None,
    profile: OwnProfile = None,
    settings: SetCollision = None,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    output: Annotated[Path | None, output_folder(help="Folder for CSV files and pictures.")] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Replace existing files; accept a model whose identification failed."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Estimate external wrenches and the link in contact, without a force sensor.

    The momentum observer finds the external torque of the joints. Recordings of free motion
    (--free), not used in the identification, determine its uncertainty; without them it is that of
    the identification. Directions that the torque does not determine are reported as such.
    """
    from dynid.cli.loading import load_model_for
    from dynid.control.carried_body import read_carried_body
    from dynid.control.wrench.estimation import wrench_of_recording
    from dynid.control.wrench.uncertainty import uncertainty_text
    from dynid.files import refuse_to_replace, write_text
    from dynid.report.terminal.console import (
        print_json,
        print_message,
        print_written,
        result_console,
    )
    from dynid.report.terminal.progress import progress
    from dynid.report.wrench import (
        csv_text,
        false_contacts,
        print_wrench,
        wrench_json,
        write_wrench,
    )
    from dynid.robot.acceptance import check_acceptance
    from dynid.robot.recordings import load_recording
    from dynid.transaction import written_together

    _check(confidence, false_alarms_per_hour, free, uncertainty)
    loaded = load_model_for(model, profile, overrides=settings or [], force=True)
    check_acceptance(loaded, loaded.robot, str(model), force=force)
    files = {} if output is None else _files(output, recordings)
    kept = output / _KEPT if output is not None and free else None
    existing = [file for both in files.values() for file in both]
    refuse_to_replace(existing if kept is None else [*existing, kept], force)
    carried = None if payload is None else read_carried_body(payload)
    console = result_console(as_json)
    wrenches = {}
    with progress(console) as step:
        step("determining the uncertainty")
        errors = _uncertainty(
            loaded, free or [], uncertainty, false_alarms_per_hour, carried, zero_phase
        )
        for path in step.each(recordings, lambda path: f"estimating on {path.name}"):
            recording = load_recording(path, loaded.robot, start=start, stop=stop, run=run)
            wrench = wrench_of_recording(
                loaded,
                recording,
                errors,
                frame=frame,
                confidence=confidence,
                carried=carried,
                zero_phase=zero_phase,
                start=start or 0.0,
            )
            wrenches[path] = wrench
        if output is not None:
            with written_together(output) as unfinished:
                for path, (table, picture) in files.items():
                    title = f"{loaded.robot.name}: external wrench, {path.name}"
                    write_text(unfinished / table.name, csv_text(wrenches[path]))
                    write_wrench(wrenches[path], title, unfinished / picture.name)
                if kept is not None:
                    text = uncertainty_text(errors, _header(loaded, model, free))
                    write_text(unfinished / kept.name, text)
    shown = {_shown(path, recordings): wrench for path, wrench in wrenches.items()}
    if as_json:
        print_json(wrench_json(loaded.robot.name, errors, shown))
        return
    advice = " --free determines it." if errors.origin == "identification" else ""
    print_message(false_contacts(errors) + advice, kind="note")
    for name, wrench in shown.items():
        print_wrench(console, name, wrench)
    print_written(console, existing if kept is None else [*existing, kept])


def _header(loaded: Model, model: Path, free: Sequence[Path] | None) -> list[str]:
    names = ", ".join(path.name for path in free or [])
    return [
        f"Uncertainty of the external torque of {loaded.robot.name}, by `dynid collisions wrench`.",
        f"Model: {model.name}. Free motion: {names}.",
    ]


def _shown(path: Path, recordings: Sequence[Path]) -> str:
    """Return the name of a recording; its path, if another one has the same name."""
    names = [recording.name for recording in recordings]
    return path.name if names.count(path.name) == 1 else str(path)


def _check(
    confidence: float,
    false_alarms_per_hour: float,
    free: Sequence[Path] | None,
    uncertainty: Path | None,
) -> None:
    if not 0.5 <= confidence < 1:
        raise ConfigurationError(f"--confidence {confidence:g}: must be from 0.5 to below 1.")
    from dynid.control.tail import MOST_FREQUENT, RAREST

    if not RAREST <= false_alarms_per_hour <= MOST_FREQUENT:
        raise ConfigurationError(
            f"--false-alarms-per-hour {false_alarms_per_hour:g}: must be from {RAREST:g} to "
            f"{MOST_FREQUENT:g}."
        )
    if free and uncertainty is not None:
        raise ConfigurationError("--free and --uncertainty: give one of them.")


def _files(output: Path, recordings: Sequence[Path]) -> dict[Path, tuple[Path, Path]]:
    """Return the CSV file and the picture of each recording."""
    stems = [path.stem for path in recordings]
    for stem in stems:
        if stems.count(stem) > 1:
            raise ConfigurationError(
                f"two recordings are named '{stem}', whose results would be one file; give them "
                "in separate calls."
            )
    return {
        path: (output / f"{path.stem}_wrench.csv", output / f"{path.stem}_wrench.png")
        for path in recordings
    }


def _uncertainty(
    model: Model,
    free: Sequence[Path],
    given: Path | None,
    false_alarms_per_hour: float,
    carried: RigidBody | None,
    zero_phase: bool,
) -> ExternalTorqueUncertainty:
    from dynid.control.wrench.estimation import free_motion_uncertainty
    from dynid.control.wrench.uncertainty import read_uncertainty
    from dynid.robot.recordings import load_recording

    if given is not None:
        return read_uncertainty(given, model.robot)
    return free_motion_uncertainty(
        model,
        [load_recording(path, model.robot) for path in free],
        false_alarms_per_hour=false_alarms_per_hour,
        carried=carried,
        zero_phase=zero_phase,
    )
