"""``dynid collisions``: thresholds tuned on recordings of free motion, and tested."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import (
    AsJson,
    CarriedPayload,
    ForceModel,
    ModelFile,
    OwnProfile,
    Recordings,
    Run,
    SetCollision,
    Start,
    Stop,
    output_file,
)

_OF_READING = 0.3  # share of the work
_OF_LINKS = "Of the torque in gears: for controllers with elastic.link_torque: true."


def collisions_tune_command(
    recordings: Annotated[
        list[Path],
        typer.Argument(
            metavar="RECORDING", help="Free motion: rosbag2 folder, .mcap, .db3, .npz, .csv, .REC."
        ),
    ],
    model: ModelFile,
    false_alarms_per_hour: Annotated[
        float, typer.Option(metavar="RATE", help="Acceptable rate, all joints together.")
    ] = 0.1,
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPAN",
            help="Leave a contact out: START..STOP in seconds, of one of several recordings "
            "2:START..STOP or NAME:START..STOP; repeatable.",
        ),
    ] = None,
    profile: OwnProfile = None,
    settings: SetCollision = None,
    force: ForceModel = False,
    output: Annotated[
        Path | None, output_file(help="New parameter file for the running controller.")
    ] = None,
    into_model: Annotated[
        bool,
        typer.Option(
            "--into-model",
            help="Write the thresholds into the file of --model, which a controller gets with "
            "them; the model itself stays as it is.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Tune collision thresholds on recordings of free motion.

    Thresholds are as low as the acceptable rate of false alarms allows. In the recordings the robot
    must not touch anything, and move as in its work: fast and slow, with pauses and reversals. A
    recording with an outlying torque error is refused; if it is a contact, --without leaves it out.

    The time constant, debounce_time, low_speed and boost_time are those of the model, or of
    --profile. Load the file of -o by ros2 param load /feedforward_controller FILE, or write the
    thresholds into the model.
    """
    from dynid.cli.loading import collision_origin, load_model_for
    from dynid.configuration import changed
    from dynid.control.collisions import write_into_model, write_thresholds
    from dynid.control.residual import recorded_residual, without_spans
    from dynid.control.tuning import tune
    from dynid.files import check_new
    from dynid.report.terminal.collisions import print_tuning, tuning_header, tuning_json
    from dynid.report.terminal.console import print_result, result_console
    from dynid.report.terminal.progress import progress
    from dynid.robot.acceptance import check_acceptance
    from dynid.robot.elastic import elastic_settings
    from dynid.robot.link_encoders import load_supervised
    from dynid.robot.torque_settings import CollisionSettings

    if output is not None:
        check_new(output)
    loaded = load_model_for(model, profile, overrides=settings or [], force=True)
    robot = loaded.robot
    check_acceptance(loaded, robot, str(model), force=force)
    of_links = elastic_settings(robot).link_torque
    if into_model:
        _check_into_model(model, of_links=of_links)
    origin = collision_origin(loaded, model, profile)
    console = result_console(as_json)
    residuals = []
    with progress(console) as step:
        for path in step.each(recordings, lambda path: f"reading {path.name}", of=_OF_READING):
            recording = load_supervised(path, robot)
            residuals.append(recorded_residual(robot, loaded.mechanism, recording))
        residuals = without_spans(residuals, [path.name for path in recordings], without or [])
        step("tuning")
        tuning = tune(
            robot,
            residuals,
            false_alarms_per_hour=false_alarms_per_hour,
            share=lambda done: step.share(_OF_READING + (1 - _OF_READING) * done),
        )
    written = [] if output is None else [output]
    if output is not None or into_model:
        tuned = robot.with_settings(
            changed(robot.settings(CollisionSettings), tuning.settings(), "tuned thresholds")
        )
        header = tuning_header(robot, tuning, recordings, model)
        header += [f"Left out: {span}." for span in without or []]
        header += [_OF_LINKS] if of_links else []
        if output is not None:
            write_thresholds(tuned, header, output)
        if into_model:
            write_into_model(tuned, header, model)
            written.append(model)
    print_result(console, tuning_json, print_tuning, robot, tuning, origin, written=written)


def _check_into_model(path: Path, *, of_links: bool) -> None:
    """Raise where thresholds are of gears and the model's profile of motors, or the reverse."""
    from dynid.cli.loading import load_model_for
    from dynid.errors import ConfigurationError
    from dynid.robot.elastic import elastic_settings

    stored = load_model_for(path, None, force=True).robot
    if of_links != elastic_settings(stored).link_torque:
        raise ConfigurationError(
            f"--into-model: the thresholds are those of elastic.link_torque: "
            f"{str(of_links).lower()}, but {path} says otherwise; identify with this profile, or "
            "write them with -o."
        )


def collisions_play_command(
    recordings: Recordings,
    model: ModelFile,
    thresholds: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File of `dynid collisions tune -o`, in place of the model's thresholds.",
        ),
    ] = None,
    payload: CarriedPayload = None,
    profile: OwnProfile = None,
    settings: SetCollision = None,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    force: ForceModel = False,
    as_json: AsJson = False,
) -> None:
    """Test collision thresholds on recordings.

    Prints every alarm, or the smallest margin of each joint where there is none. The detector is
    that of the controller, with one cycle for each sample. On motion without contact every alarm
    is false; on motion with a contact the times show the delay of detection.
    """
    from dynid.cli.loading import collision_origin, load_model_for
    from dynid.control.carried_body import read_carried_body
    from dynid.control.collisions import replay_thresholds, with_thresholds
    from dynid.control.residual import recorded_residual
    from dynid.report.terminal.collisions import collisions_json, print_collisions
    from dynid.report.terminal.console import print_result, result_console
    from dynid.report.terminal.progress import progress
    from dynid.robot.acceptance import check_acceptance
    from dynid.robot.link_encoders import load_supervised

    loaded = load_model_for(model, profile, overrides=settings or [], force=True)
    check_acceptance(loaded, loaded.robot, str(model), force=force)
    robot, origin = loaded.robot, collision_origin(loaded, model, profile)
    if thresholds is not None:
        robot, origin = with_thresholds(robot, thresholds), f"of {thresholds}"
    carried = None if payload is None else read_carried_body(payload)
    console = result_console(as_json)
    replays = []
    with progress(console) as step:
        for path in step.each(recordings, lambda path: f"testing on {path.name}"):
            recording = load_supervised(path, robot, start=start, stop=stop, run=run)
            residual = recorded_residual(robot, loaded.mechanism, recording, carried=carried)
            replays.append(
                replay_thresholds(robot, residual, recording=path.name, start=start or 0.0)
            )
    tuned = thresholds is not None or (profile is None and bool(loaded.thresholds))
    tune = "" if tuned else f"dynid collisions tune FREE_MOTION --model {model} --into-model"
    print_result(console, collisions_json, print_collisions, robot, replays, origin, tune)
