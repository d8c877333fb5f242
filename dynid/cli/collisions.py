"""``dynid collisions play``: collision thresholds tested on recordings."""

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
    from dynid.control.collisions import replay_thresholds
    from dynid.control.residual import recorded_residual
    from dynid.control.threshold_file import with_thresholds
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
