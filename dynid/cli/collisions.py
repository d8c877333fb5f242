"""``dynid collisions``: collision thresholds played over recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.json_output import print_json
from dynid.cli.loading import load_model_for
from dynid.cli.options import AsJson, OwnProfile, Recordings, Start, Stop
from dynid.control.carried_body import read_carried_body
from dynid.control.collisions import replay_thresholds
from dynid.control.residual import recorded_residual
from dynid.control.threshold_file import with_thresholds
from dynid.report.terminal.collisions import collisions_json, print_collisions
from dynid.report.terminal.console import progress, result_console
from dynid.robot.acceptance import check_acceptance
from dynid.robot.recordings import load_recording


def collisions_command(
    recordings: Recordings,
    model: Annotated[Path, typer.Option("--model", "-m", help="model.yaml of an identification.")],
    thresholds: Annotated[
        Path | None,
        typer.Option(help="File of tune-collision -o; the profile's thresholds, if not given."),
    ] = None,
    payload: Annotated[
        Path | None, typer.Option(help="payload.yaml of what the robot carries in them.")
    ] = None,
    profile: OwnProfile = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Override a key: collision.debounce_time=0.01."),
    ] = None,
    start: Start = None,
    stop: Stop = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also with a model whose identification failed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Play collision thresholds over recordings: each alarm, or how close it came to one.

    The detector is the controller's own, a sample of a recording being its cycle. Of motion
    without contact every alarm is false; of motion with one, see how long it takes.
    """
    loaded = load_model_for(model, profile, overrides=settings or [], force=True)
    check_acceptance(loaded, loaded.robot, str(model), force=force)
    robot = loaded.robot if thresholds is None else with_thresholds(loaded.robot, thresholds)
    carried = None if payload is None else read_carried_body(payload)
    console = result_console(as_json)
    found = []
    with progress(console, steps=len(recordings)) as step:
        for path in recordings:
            step(path.name)
            recording = load_recording(path, robot, start=start, stop=stop)
            residual = recorded_residual(robot, loaded.mechanism, recording, carried=carried)
            found.append(
                replay_thresholds(robot, residual, recording=path.name, start=start or 0.0)
            )
    if as_json:
        print_json(collisions_json(robot, found))
    else:
        print_collisions(console, robot, found)
