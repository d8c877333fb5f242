"""``dynid servo``: gains and biases of servos from commands and positions; roll-outs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import AsJson, ModelFile, Profile, Recordings, Set, Start, Stop, Urdf
from dynid.configuration import parse, read_yaml
from dynid.input_file import is_file
from dynid.profile import load_robot
from dynid.robot.recordings import load_commands
from dynid_plugins.servo.rig_runs import RigRun, RigSettings, rig_robot, rig_run

if TYPE_CHECKING:
    from dynid_plugins.servo.identification import ServoIdentification
    from dynid_plugins.servo.roll_out import RollOuts

servo_app = typer.Typer(no_args_is_help=True, add_completion=False)


@servo_app.callback()
def servo() -> None:
    """Identify gains and biases of servos without torque; roll models out."""


@servo_app.command("identify")
def identify_command(
    recordings: Recordings,
    profile: Profile,
    unknown: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Unknown of the law: position_gain, velocity_gain or bias; repeatable; default: "
            "position_gain and bias.",
        ),
    ] = None,
    known: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Base parameter whose value in the URDF is exact, such as MX1; repeatable. One "
            "sets the scale of all torques.",
        ),
    ] = None,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    settings: Set = None,
    as_json: AsJson = False,
) -> None:
    """Identify gains and biases of servos together with the parameters of the robot.

    What is identifiable only in combination keeps the profile's value, and is listed with the
    parameters that absorb its error.
    """
    from dynid.cli.loading import load_robot
    from dynid.report.terminal.console import print_json, result_console
    from dynid.report.terminal.progress import progress
    from dynid_plugins.servo.identification import identify_servos
    from dynid_plugins.servo.report import print_servos, servo_json

    robot = load_robot(profile, urdf=urdf, overrides=settings or [])
    console = result_console(as_json)
    with progress(console) as step:
        step("reading commands")
        commanded = [load_commands(path, robot, start=start, stop=stop) for path in recordings]
        step("identifying")
        found: ServoIdentification = identify_servos(
            robot, commanded, unknowns=unknown or ("position_gain", "bias"), known=known or ()
        )
    if as_json:
        print_json(servo_json(found))
    else:
        print_servos(console, found)


@servo_app.command("roll-out")
def roll_out_command(
    recording: Annotated[Path, typer.Argument(metavar="RECORDING", help="Commands and positions.")],
    model: ModelFile,
    horizon: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Length of each roll-out.")
    ] = 1.0,
    start: Start = None,
    stop: Stop = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a model under recorded commands, from recorded states, and print position errors."""
    from dynid.profile import load_model
    from dynid.report.terminal.console import print_json, result_console
    from dynid.report.terminal.progress import progress
    from dynid_plugins.servo.report import print_roll_outs, roll_outs_json
    from dynid_plugins.servo.roll_out import roll_outs

    loaded = load_model(model)
    console = result_console(as_json)
    with progress(console) as step:
        step("simulating")
        commanded = load_commands(recording, loaded.robot, start=start, stop=stop)
        found: RollOuts = roll_outs(loaded, commanded, horizon=horizon)
    if as_json:
        print_json(roll_outs_json(found))
    else:
        print_roll_outs(console, found)


@servo_app.command("rig")
def rig_command(
    rig: Annotated[
        Path, typer.Argument(metavar="RIG.YAML", help="Profile of the rig, and its recordings.")
    ],
    friction: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Friction as BAM names it, m1 to m6, in place of the profile's terms.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--motor",
            metavar="FILE.yaml",
            help="Also write the motor's data, as `dynid robots --motors` lists those of others.",
        ),
    ] = None,
    settings: Set = None,
    as_json: AsJson = False,
) -> None:
    """Identify one servo on a rig: a rod and loads of known mass.

    Torque constant over resistance, damping, friction, rotor inertia and bias, with standard
    deviations. With several recordings, each is also simulated with the servo that was identified
    from the others.
    """
    from functools import partial

    from dynid.files import check_new
    from dynid.report.terminal.console import print_json, print_written, result_console
    from dynid.report.terminal.progress import progress
    from dynid_plugins.servo.motor_file import motor_of, write_motor
    from dynid_plugins.servo.report import print_rig, rig_json
    from dynid_plugins.servo.rig import identify_friction, identify_rig
    from dynid_plugins.servo.simulated_rig import held_out_roll_outs

    if output is not None:
        check_new(output)
    console = result_console(as_json)
    identify = identify_rig if friction is None else partial(identify_friction, model=friction)
    with progress(console) as step:
        step("reading recordings")
        runs = load_rig(rig, settings or [])
        step("identifying")
        found = identify(runs)
        step("simulating")
        held_out = held_out_roll_outs(runs, identify=identify)
    if output is not None:
        write_motor(motor_of(found, output.stem), output)
    if as_json:
        print_json(rig_json(found, held_out))
    else:
        print_rig(console, found, held_out)
        print_written(console, [output])


def load_rig(path: Path, overrides: Sequence[str] = ()) -> list[RigRun]:
    """Return the runs of a rig's file.

    Raises:
        ConfigurationError: the file or its profile is missing or invalid.
        RecordingError: a recording cannot be read.
    """
    settings = parse(RigSettings, read_yaml(path), path.name)
    profile = path.parent / settings.profile
    robot = load_robot(profile if is_file(profile) else settings.profile, overrides=overrides)
    runs = []
    for run in settings.runs:
        rig_robot(robot, run)  # before anything is read
        recording = path.parent / run.recording
        commanded = load_commands(recording, robot, start=run.start, stop=run.stop)
        runs.append(rig_run(run.recording, robot, commanded, run))
    return runs
