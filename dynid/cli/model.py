"""``dynid model``: matrices, torques and base parameters of a model, and what plug-ins add."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dynid.cli.named_model import OrProfile, named_model, origin, provenance
from dynid.cli.options import (
    AsJson,
    OneRecording,
    OptionalModel,
    Run,
    Set,
    Start,
    Stop,
    Urdf,
    Without,
    output_file,
)
from dynid.errors import ConfigurationError
from dynid.plugins import MODEL_COMMANDS, load_plugin, registered

if TYPE_CHECKING:
    from dynid.arrays import Array
    from dynid.dynamics.mechanism import Mechanism


model_command = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Compute with a model: matrices, torques, formulas, C code.",
)


@model_command.command("at")
def at_command(
    q: Annotated[str, typer.Option(metavar="Q1,Q2,...", help="Joint positions [rad, m].")],
    dq: Annotated[
        str | None, typer.Option(metavar="V1,V2,...", help="Joint velocities; 0 by default.")
    ] = None,
    ddq: Annotated[
        str | None, typer.Option(metavar="A1,A2,...", help="Joint accelerations; 0 by default.")
    ] = None,
    tau: Annotated[
        str | None,
        typer.Option(metavar="T1,T2,...", help="Torques [N m, N], to compute accelerations from."),
    ] = None,
    degrees: Annotated[
        bool, typer.Option("--degrees", help="Angles are in degrees in place of radians.")
    ] = False,
    model: OptionalModel = None,
    profile: OrProfile = None,
    urdf: Urdf = None,
    settings: Set = None,
    as_json: AsJson = False,
) -> None:
    """Compute mass and Coriolis matrices, torque in parts, and accelerations in one state."""
    from dynid.dynamics.torque_parts import model_at_point, point_json
    from dynid.report.terminal.console import print_json, print_text, result_console
    from dynid.report.terminal.model import print_point

    chosen = named_model(model, profile, urdf, settings)
    mechanism = chosen.mechanism
    position, velocity, acceleration = (
        _numbers(mechanism, name, text, degrees=degrees)
        for name, text in (("--q", q), ("--dq", dq), ("--ddq", ddq))
    )
    torque = None if tau is None else _numbers(mechanism, "--tau", tau, degrees=False)
    point = model_at_point(mechanism, position, velocity, acceleration, torque)
    if as_json:
        about = {"robot": chosen.robot.name, "parameters": origin(chosen)}
        print_json({**about, **point_json(mechanism, point)})
        return
    console = result_console()
    print_text(console, f"{chosen.robot.name}: {origin(chosen)}")
    console.print()
    print_point(console, mechanism, point)


@model_command.command("along")
def along_command(
    recording: OneRecording,
    model: OptionalModel = None,
    profile: OrProfile = None,
    urdf: Urdf = None,
    settings: Set = None,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    output: Annotated[Path | None, output_file(help="File for all samples: .csv or .npz.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compute torque along a recording, in parts: inertia, Coriolis, gravity, friction by kind."""
    from dynid.evaluation.torque_split import check_split_path, split_torque, write_split
    from dynid.report.terminal.console import print_json, print_text, print_written, result_console
    from dynid.report.terminal.model import print_shares
    from dynid.report.terminal.progress import progress
    from dynid.robot.recordings import load_recording

    if output is not None:
        check_split_path(output)
    chosen = named_model(model, profile, urdf, settings)
    console = result_console(as_json)
    with progress(console) as step:
        step(f"reading {recording.name}")
        loaded = load_recording(recording, chosen.robot, start=start, stop=stop, run=run)
        step("computing torque")
        split = split_torque(chosen.mechanism, chosen.robot, loaded)
        if output is not None:
            write_split(split, output)
    if as_json:
        about = {"parameters": origin(chosen), "joints": chosen.mechanism.joints}
        print_json({**about, "rms_torque": split.rms()})
        return
    print_text(console, f"{chosen.robot.name}: {origin(chosen)}")
    console.print()
    print_shares(console, split)
    print_written(console, [output])


@model_command.command("base")
def base_command(
    model: OptionalModel = None,
    profile: OrProfile = None,
    urdf: Urdf = None,
    settings: Set = None,
    written_as: Annotated[
        Literal["text", "latex", "yaml"], typer.Option("--format", help="Format of the table.")
    ] = "text",
    output: Annotated[Path | None, output_file(help="File to write; printed by default.")] = None,
) -> None:
    """List base parameters with their regrouping relations."""
    from dynid.dynamics.base_parameters import base_parameterization, base_table
    from dynid.files import write_text
    from dynid.report.terminal.console import print_written, result_console
    from dynid.report.terminal.model import base_latex, base_text, base_yaml
    from dynid.report.terminal.progress import progress

    chosen = named_model(model, profile, urdf, settings)
    name = chosen.robot.name
    with progress(result_console(), "finding base parameters"):
        base = base_parameterization(chosen.mechanism)
    table = base_table(chosen.mechanism, base, name, origin(chosen), chosen.base.by_name)
    writers = {"text": base_text, "latex": base_latex, "yaml": base_yaml}
    text = writers[written_as](table)
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text(output, text)
        print_written(result_console(), [output])


@model_command.command("softmc")
def softmc_command(
    output: Annotated[Path, output_file(help="Program to write: IDNT.PRG.")],
    model: OptionalModel = None,
    profile: OrProfile = None,
    urdf: Urdf = None,
    settings: Set = None,
    axis: Annotated[str, typer.Option(metavar="NAME", help="Name of the axis in softMC.")] = "A1",
    arm_length: Annotated[
        float,
        typer.Option(metavar="METRES", min=0.0, help="From a rotary axis to its payload [m]."),
    ] = 0.0,
    without: Without = None,
) -> None:
    """Write a model of a single axis as softMC's program IDNT.PRG."""
    from dynid.files import write_text
    from dynid.report.terminal.console import print_written, result_console
    from dynid.robot.softmc_program import softmc_program

    chosen = named_model(model, profile, urdf, settings).without_terms(without or [])
    notes = provenance(chosen, without or [])
    write_text(output, softmc_program(chosen, axis, arm_length=arm_length, notes=notes))
    print_written(result_console(), [output])


@model_command.command("seal")
def seal_command(
    model: Annotated[
        Path, typer.Argument(metavar="FILE", help="model.yaml that was edited by hand.")
    ],
    as_json: AsJson = False,
) -> None:
    """Confirm an edit of a model.yaml by hand: check the file and update its checksum."""
    from dynid.profile import make_robot
    from dynid.report.terminal.console import print_json
    from dynid.robot.model_file import confirm_edit
    from dynid.text import iso_time

    confirmed = confirm_edit(model, make_robot)
    made = confirmed.model.identified_provenance
    if as_json:
        print_json(
            {
                "model": str(model),
                "changed": confirmed.changed,
                "sha256_before": confirmed.before,
                "sha256": confirmed.after,
                "status": made.status,
                "edited_at": None if made.edited_at is None else iso_time(made.edited_at),
            }
        )
        return
    if not confirmed.changed:
        typer.echo(f"{model}: the seal is valid ({confirmed.after[:12]}…); nothing was changed.")
        return
    before = "none" if confirmed.before is None else f"{confirmed.before[:12]}…"
    typer.echo(
        f"{model}: the edit is confirmed. Old seal: {before}; new seal: {confirmed.after[:12]}…; "
        f"status: {made.status}."
    )


@model_command.command("gains")
def gains_command(
    delay: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            help="From the measurement of a position until the torque that follows acts: half a "
            "cycle of the velocity loop, its filter, and the current loop.",
        ),
    ],
    margin: Annotated[
        float, typer.Option(metavar="DEGREES", help="Phase margin of both loops, 30 to 70.")
    ] = 60.0,
    model: OptionalModel = None,
    profile: OrProfile = None,
    urdf: Urdf = None,
    settings: Set = None,
    as_json: AsJson = False,
) -> None:
    """Compute gains of the drives' position and velocity loops, with bandwidths and margins.

    The largest gains with the phase margin at the smallest and the largest inertia of each joint in
    its workspace. Elasticity of the gears is left out: with it, choose a longer delay.
    """
    from dynid.control.loop_gains import loop_gains
    from dynid.report.terminal.console import print_json, print_text, result_console
    from dynid.report.terminal.model import print_gains

    chosen = named_model(model, profile, urdf, settings)
    found = loop_gains(chosen, delay, margin)
    if as_json:
        from dynid.json_text import json_fields

        print_json({"delay": delay, "joints": [json_fields(one) for one in found]})
        return
    console = result_console()
    print_text(console, f"{chosen.robot.name}: {origin(chosen)}")
    print_gains(console, found)
    print_text(
        console,
        "SI units at the joint; for a motor's side divide inertia and velocity gain by the square "
        "of the gear ratio.",
    )


def _numbers(mechanism: Mechanism, name: str, text: str | None, *, degrees: bool) -> Array:
    """Return one number for each joint; zeros where there is no text."""
    import numpy as np

    count = len(mechanism.joints)
    if text is None:
        return np.zeros(count)
    try:
        values = np.array([float(word) for word in text.split(",")])
    except ValueError:
        message = f"{name} {text}: must be numbers separated by commas, such as 0,-1.2,0.5."
        raise ConfigurationError(message) from None
    if len(values) != count or not np.isfinite(values).all():
        raise ConfigurationError(
            f"{name} {text}: must be {count} finite numbers, one each for "
            f"{', '.join(mechanism.joints)}."
        )
    turns = ~np.array(mechanism.prismatic)
    return np.where(turns, np.radians(values), values) if degrees else values


for _name in registered(MODEL_COMMANDS):
    model_command.command(_name)(load_plugin(MODEL_COMMANDS, _name, f"dynid model {_name}"))


def model_compare_command(
    first: Annotated[Path, typer.Argument(metavar="FIRST", help="model.yaml of a robot.")],
    second: Annotated[
        Path,
        typer.Argument(
            metavar="SECOND", help="model.yaml of the same robot, or of another one of its type."
        ),
    ],
    recordings: Annotated[
        list[Path] | None,
        typer.Option(
            "--recording", "-r", metavar="RECORDING", help="Evaluate both on it; repeatable."
        ),
    ] = None,
    states: Annotated[
        int, typer.Option(metavar="N", min=1, help="Random states within the limits.")
    ] = 2000,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    as_json: AsJson = False,
) -> None:
    """Compare two models: parameters, torques, errors on recordings.

    Differences of parameters are in standard deviations of both identifications together, and those
    of torque are over random states within the limits, and along recordings.
    """
    from dynid.cli.loading import load_recordings
    from dynid.evaluation.model_comparison import compare_models
    from dynid.profile import load_model
    from dynid.report.terminal.comparison import comparison_json, print_model_comparison
    from dynid.report.terminal.console import print_result, result_console
    from dynid.report.terminal.progress import progress

    before, after = load_model(first), load_model(second)
    console = result_console(as_json)
    with progress(console) as step:
        loaded = load_recordings(recordings or [], before.robot, start, stop, step, run)
        step("comparing")
        comparison = compare_models(before, after, loaded, states=states)
    print_result(console, comparison_json, print_model_comparison, comparison)
