"""``dynid identify resonance``: elastic joints from the motors' encoders alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import AsJson, Profile, Run, Set, Start, Stop, Urdf, check_png


def resonance_command(
    recording: Annotated[
        Path,
        typer.Argument(metavar="RECORDING", help="Broad-band motion of single joints."),
    ],
    profile: Profile,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    settings: Set = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="PNG of the Bode diagrams."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Identify resonances of joints from torque and motor encoders alone.

    Locked- and free-joint frequency, inertias and stiffness with standard deviations, where the
    motion is coherent with the torque up to the resonance; what cannot be separated is said. A
    known elastic.rotor_inertia sets the scale instead of the torque.
    """
    from dynid.cli.loading import load_robot
    from dynid.report.terminal.console import print_json, print_written, result_console
    from dynid.robot.recordings import load_recording
    from dynid_plugins.elastic.chart import write_bode
    from dynid_plugins.elastic.report import print_resonances
    from dynid_plugins.elastic.resonance import identify_resonances

    check_png(output)
    robot = load_robot(profile, urdf=urdf, overrides=settings or [])
    loaded = load_recording(recording, robot, start=start, stop=stop, run=run)
    found = identify_resonances(robot, loaded)
    if output is not None:
        write_bode(found, output)
    if as_json:
        print_json(found.to_dict())
    else:
        console = result_console(as_json)
        print_resonances(console, found)
        print_written(console, [] if output is None else [output])
