"""``dynid identify elastic``: stiffness, damping and backlash from two encoders."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import (
    AsJson,
    Profile,
    Recordings,
    Run,
    Set,
    Start,
    Stop,
    Urdf,
    check_png,
    model_file,
    output_file,
)


def elastic_command(
    recordings: Recordings,
    profile: Profile,
    validate: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RECORDING",
            help="Recording that is not fitted, for the error of the deflection; repeatable.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        model_file(
            help="model.yaml of the links, whose torque bends the joints; identified by default."
        ),
    ] = None,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    settings: Set = None,
    output: Annotated[
        Path | None, output_file(help="PNG of the deflection against torque.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Identify stiffness, damping and backlash of joints with two encoders.

    The profile's elastic.link_position names the columns of the encoders at the links. Delay and
    offset between the encoders are identified, too; hardening, friction behind the elasticity,
    waves and errors of the encoders where they reduce the error on data left out.
    """
    from functools import partial

    from threadpoolctl import threadpool_limits

    from dynid.cli.loading import load_model_for, load_robot
    from dynid.report.terminal.console import print_json, print_written, result_console
    from dynid.report.terminal.progress import progress
    from dynid_plugins.elastic.chart import write_deflections
    from dynid_plugins.elastic.identification import deflection_errors, identify_elastic
    from dynid_plugins.elastic.report import print_elastic
    from dynid_plugins.elastic.two_encoders import load_two_encoders, name_of

    check_png(output)
    robot = load_robot(profile, urdf=urdf, overrides=settings or [])
    links = (
        None
        if model is None
        else load_model_for(model, profile, urdf=urdf, overrides=settings or [], force=True)
    )
    load = partial(load_two_encoders, robot=robot)
    console = result_console(as_json)
    # more threads are slower for matrices of so few columns
    with progress(console) as step, threadpool_limits(1, user_api="blas"):
        step("reading recordings")
        pairs = [load(path, start=start, stop=stop, run=run) for path in recordings]
        unseen = [load(path) for path in validate or []]
        found = identify_elastic(robot, pairs, model=links, progress=step)
        errors = {name_of(pair): deflection_errors(found, pair) for pair in unseen}
        if output is not None:
            write_deflections(found, output)
    if as_json:
        validation = {name: one._asdict() for name, one in errors.items()}
        print_json({**found.to_dict(), "validation": validation})
    else:
        print_elastic(console, found, errors)
        print_written(console, [output])
