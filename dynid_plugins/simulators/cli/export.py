"""``dynid model export``: a model in the file of a simulator."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynid.cli.options import AsJson, Force, MappedJoints, Start, Stop, mapped_joints, output_file

if TYPE_CHECKING:
    from rich.console import Console

    from dynid.robot.model import Model
    from dynid_plugins.simulators.export import Export


class _Format(str, Enum):
    """Format of the file."""

    isaaclab = "isaaclab"
    mjcf = "mjcf"
    mjlab = "mjlab"
    mujoco_dcmotor = "mujoco-dcmotor"
    sdf = "sdf"
    urdf = "urdf"
    usd = "usd"


def export_command(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="model.yaml of an identification.")
    ],
    to: Annotated[_Format, typer.Option(help="The simulator's format.")],
    output: Annotated[Path, output_file(help="File to write.")],
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Your own file of the robot, which gets the model; default: a new file.",
        ),
    ] = None,
    names: MappedJoints = None,
    recording: Annotated[
        Path | None,
        typer.Option(
            metavar="RECORDING",
            help="Motion on which friction is approximated and errors are computed; default: the "
            "profile's excitation.",
        ),
    ] = None,
    start: Start = None,
    stop: Stop = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a model to the file of a simulator: MJCF, SDF, URDF or USD.

    Masses, inertias, armature, damping, dry friction, springs, torque limits and closed chains.
    mujoco-dcmotor is an MJCF with LuGre friction; mjlab and isaaclab are Python modules with
    actuators, their limits and delays, and ranges for domain randomisation.
    With --into they go into a copy of your own file, in which everything else stays as it is; with
    USD into a layer over it. What a format does not have is listed, with what is in its place and
    the torque error that it causes.
    """
    from dynid.cli.loading import load_recordings
    from dynid.files import refuse_to_replace
    from dynid.profile import load_model
    from dynid.report.terminal.console import print_json, print_written, result_console
    from dynid.report.terminal.progress import progress
    from dynid_plugins.simulators.export import export_along, read_users_file
    from dynid_plugins.simulators.exported_model import motion_of

    base = load_model(model)
    refuse_to_replace([output], force)
    console = result_console(as_json)
    with progress(console) as step:
        recorded = None
        if recording is not None:
            (recorded,) = load_recordings([recording], base.robot, start, stop, step)
        step("choosing the nearest terms")
        export = export_along(
            base,
            to.value,
            motion_of(base, recorded),
            into=None if into is None else (read_users_file(to.value, into), into),
            names=mapped_joints(names),
            header=_header(base),
        )
    export.save(output)
    if as_json:
        print_json(_json(export))
        return
    _print(console, export, recording)
    print_written(console, [output])


def _header(base: Model) -> list[str]:
    source = base.source
    lines = [f"Dynamic model of {base.robot.name}, written by dynid."]
    if source is not None:
        lines.append(f"From {source.name}, SHA-256 {source.sha256}")
    return lines


def _json(export: Export) -> dict[str, Any]:
    exported = export.exported
    return {
        "joints": list(exported.mechanism.joints),
        "torque_error": exported.error.tolist(),
        "torque": exported.torque.tolist(),
        "replaced": list(exported.replaced),
        "notes": list(export.notes),
        "simulator_difference": export.difference,
    }


def _print(console: Console, export: Export, recording: Path | None) -> None:
    from dynid.report.terminal.console import print_sentences, print_text
    from dynid.report.terminal.tables import table
    from dynid.text import percent, significant

    exported = export.exported
    rows = table("joint", "armature", "damping", "dry friction", "torque", "error", "relative")
    for j, joint in enumerate(exported.mechanism.joints):
        axis = exported.terms.axes[j]
        rows.add_row(
            joint,
            *(significant(value) for value in (axis.armature, axis.damping[0], axis.dry_friction)),
            *(significant(float(value[j])) for value in (exported.torque, exported.error)),
            percent(float(exported.error[j] / exported.torque[j])) if exported.torque[j] else "",
        )
    console.print(rows)
    where = "the excitation" if recording is None else recording.name
    print_text(
        console,
        f"SI units; torque of the model and error of the format against it: root mean squares on "
        f"{where}.",
    )
    if exported.replaced:
        print_sentences(
            console,
            "The format has",
            [f"{replacement[:1].upper()}{replacement[1:]}." for replacement in exported.replaced],
            "yellow",
        )
    for note in export.notes:
        print_text(console, note)
