"""``dynid tune-collision``: collision thresholds from recorded free motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.json_output import print_json
from dynid.cli.loading import load_model_for
from dynid.configuration import changed
from dynid.control.residual import recorded_residual
from dynid.control.threshold_file import write_thresholds
from dynid.control.tuning import tune
from dynid.errors import OutputError
from dynid.report.terminal.console import print_written, progress, result_console
from dynid.report.terminal.tuning import (
    print_tuning,
    profile_lines,
    tuning_header,
    tuning_json,
)
from dynid.robot.acceptance import check_acceptance
from dynid.robot.recordings import load_recording
from dynid.robot.torque_settings import CollisionSettings


def tune_collision_command(
    recordings: Annotated[
        list[Path], typer.Argument(help="Of free motion: rosbag2, .mcap, .db3, .npz or CSV.")
    ],
    model: Annotated[Path, typer.Option("--model", "-m", help="model.yaml of an identification.")],
    false_alarms_per_hour: Annotated[
        float, typer.Option(help="Of all joints together, that are acceptable.")
    ] = 0.1,
    profile: Annotated[
        str | None,
        typer.Option("--profile", "-p", help="Profile to tune; the model's own, if not given."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Override a key: collision.boost_time=0.2."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also with a model whose identification failed.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="New file that the controller loads while it runs."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object, and nothing else.")
    ] = False,
) -> None:
    """Set collision thresholds as low as a rate of false alarms allows.

    The recordings must show the robot touching nothing, on motion like that of its work: fast and
    slow, with pauses and reversals. Time constant, debounce_time, low_speed, acceleration_step and
    boost_time are those of the profile. The file that -o writes is one of ROS 2's parameter files:
    ros2 param load /feedforward_controller FILE; the group that is printed is for the profile.
    """
    if output is not None and output.exists():
        raise OutputError(f"{output}: already exists; name a new file.")
    loaded = load_model_for(model, profile, overrides=settings or [], force=True)
    robot = loaded.robot
    check_acceptance(loaded, robot, str(model), force=force)
    if profile is None and not as_json:
        typer.echo("The detector's other settings are the defaults; -p takes those of a profile.")
    console = result_console(as_json)
    residuals = []
    with progress(console) as step:
        for path in recordings:
            step(f"reading {path.name}")
            recording = load_recording(path, robot)
            residuals.append(recorded_residual(robot, loaded.mechanism, recording))
        step("tuning")
        tuning = tune(
            robot,
            residuals,
            false_alarms_per_hour=false_alarms_per_hour,
        )
    if output is not None:
        tuned = robot.with_settings(
            changed(robot.settings(CollisionSettings), tuning.settings(), "tuned thresholds")
        )
        write_thresholds(tuned, tuning_header(robot, tuning, recordings, model), output)
    if as_json:
        print_json(tuning_json(robot, tuning))
    else:
        print_tuning(console, robot, tuning)
        typer.echo(profile_lines(robot, tuning), nl=False)
        print_written(console, [] if output is None else [output])
