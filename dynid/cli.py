"""The command line: arguments in, calls into the library, tables or JSON out.

Exit codes: 0 good, 1 ran but failed its criterion, 2 bad input.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from dynid.cli_drives import drives_command
from dynid.cli_tracking import tracking_command
from dynid.cli_tune import tune_collision_command
from dynid.cli_view import view_command
from dynid.configuration import parse, read_yaml
from dynid.demo import STEPS, run_demo
from dynid.errors import DynidError
from dynid.identification import Identification, identify
from dynid.judging.judgement_json import judgement_json
from dynid.outputs.model_file import read_model
from dynid.outputs.write import write_outputs, write_validation_outputs
from dynid.profile import RobotProfile, load_profile, shipped_profiles
from dynid.recording import Recording, convert, describe
from dynid.recording.columns import ColumnMap
from dynid.terminal import (
    print_demonstration,
    print_identification,
    print_judgement,
    print_recording_info,
    print_written,
    progress,
    result_console,
)
from dynid.validation import Validation, validate

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="From a recording of a robot to a dynamic model that can be trusted and run.",
    pretty_exceptions_enable=False,
)

Recordings = Annotated[
    list[Path],
    typer.Argument(help="rosbag2, .mcap, .db3, .npz or CSV; several make one model."),
]
Profile = Annotated[
    str, typer.Option("--profile", "-p", help="Name of a shipped profile, or a YAML file.")
]
Urdf = Annotated[Path | None, typer.Option(help="URDF to use in place of the profile's.")]
Start = Annotated[float | None, typer.Option(help="Leave out what lies before, in seconds.")]
Stop = Annotated[float | None, typer.Option(help="Leave out what lies behind, in seconds.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="Override a key of the profile: identification.cutoff_hz=20."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")]


@app.command("identify")
def identify_command(
    recordings: Recordings,
    profile: Profile,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    estimator: Annotated[str | None, typer.Option(help="ols, wls or irls.")] = None,
    settings: Set = None,
    output: Output = Path("out"),
    as_json: AsJson = False,
) -> None:
    """Identify the dynamic model of a robot from recordings of its motion."""
    overrides = list(settings or [])
    if estimator is not None:
        overrides.append(f"identification.estimator={estimator}")
    robot, urdf_xml = load_profile(profile, urdf=urdf, overrides=overrides)
    console = result_console(as_json)
    with progress(console) as step:
        loaded = _load(recordings, robot, start, stop, step)
        identification = identify(robot, urdf_xml, loaded, progress=step)
        step("writing the report")
        written = write_outputs(identification, output)
    _show(identification, console, written, as_json)
    raise typer.Exit(0 if identification.judgement.success else 1)


@app.command("validate")
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
        loaded = _load(recordings, stored.profile, start, stop, step)
        step("judging")
        validation = validate(
            stored.profile, stored.mechanism(), loaded, failed=stored.status == "failed"
        )
        written = [] if output is None else write_validation_outputs(validation, output)
    if as_json:
        _print_json(
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


@app.command("convert")
def convert_command(
    source: Annotated[Path, typer.Argument(help="CSV file, or folder of files.")],
    destination: Annotated[Path, typer.Argument(help="rosbag2 folder to create.")],
    columns: Annotated[
        Path | None, typer.Option(help="YAML file that says which column is what.")
    ] = None,
) -> None:
    """Write a CSV recording as a rosbag2 folder (MCAP)."""
    samples = convert(source, destination, _column_map(columns))
    count, joints = len(samples.stamps), len(samples.joint_names)
    Console().print(f"{destination}: {count} samples of {joints} joints.")


@app.command("info")
def info_command(
    recording: Annotated[Path, typer.Argument(help="Any recording.")],
    columns: Annotated[Path | None, typer.Option(help="Column map, for CSV.")] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", "-p", help="Profile that has a column map.")
    ] = None,
) -> None:
    """Tell what a recording holds."""
    column_map = _column_map(columns)
    if column_map is None and profile is not None:
        column_map = load_profile(profile)[0].recording.columns
    print_recording_info(Console(), describe(recording, columns=column_map))


@app.command("demo")
def demo_command(
    robot: Annotated[str, typer.Option(help="A profile with an excitation.")] = "puma560",
    output: Output = Path("out"),
    without_ros: Annotated[
        bool, typer.Option("--without-ros", help="The same in one process, without nodes.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Excite a simulated robot, record, identify, and validate on another motion."""
    if not without_ros and find_spec("rclpy") is not None:
        command = [sys.executable, "-m", "dynid_ros.demo", "--robot", robot, "-o", str(output)]
        # in place of this process: Ctrl-C is for the one that has a robot to bring to rest
        os.execv(sys.executable, [*command, *(["--json"] if as_json else [])])
    console = result_console(as_json)
    if not without_ros:
        console.print("There is no rclpy here, so the demonstration runs without ROS.")
    with progress(console, steps=STEPS) as step:
        demonstration = run_demo(robot, output, step)
    judged = demonstration.judged
    if as_json:
        _print_json(
            {kind: _json(demonstration.identification, one) for kind, one in judged.items()}
        )
    else:
        print_demonstration(console, {kind: one.judgement for kind, one in judged.items()})
        print_written(console, demonstration.written)
    raise typer.Exit(0 if demonstration.success else 1)


app.command("drives")(drives_command)
app.command("tracking")(tracking_command)
app.command("tune-collision")(tune_collision_command)
app.command("view")(view_command)


@app.command("profiles")
def profiles_command() -> None:
    """List the robot profiles that come with dynid."""
    for name in shipped_profiles():
        typer.echo(name)


def main() -> None:
    """Run the command line; a user's mistake becomes one sentence and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal without UTF-8 gets question marks
            stream.reconfigure(errors="replace")
    try:
        app()
    except DynidError as error:
        typer.echo(f"dynid: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has had enough
    except OSError as error:
        name = error.filename or "a file"
        typer.echo(f"dynid: {name}: {error.strerror or error}.", err=True)
        sys.exit(2)


def _load(
    paths: list[Path],
    profile: RobotProfile,
    start: float | None,
    stop: float | None,
    step: Callable[[str], None],
) -> list[Recording]:
    loaded = []
    for path in paths:
        step(f"reading {path.name}")
        loaded.append(profile.load_recording(path, start=start, stop=stop))
    return loaded


def _show(
    identification: Identification, console: Console, written: list[Path], as_json: bool
) -> None:
    if as_json:
        _print_json(_json(identification, identification))
    else:
        print_identification(console, identification)
        print_written(console, written)


def _json(identification: Identification, judged: Identification | Validation) -> dict[str, Any]:
    """The judgement of an identification, or of its model on other motion."""
    return judgement_json(
        judged.judgement,
        condition_number=identification.condition_number,
        base_parameters=len(identification.base_parameters),
        samples=judged.samples,
    )


def _print_json(content: dict[str, Any]) -> None:
    typer.echo(json.dumps(content, allow_nan=False))


def _column_map(path: Path | None) -> ColumnMap | None:
    return None if path is None else parse(ColumnMap, read_yaml(path), path.name)


if __name__ == "__main__":
    main()
