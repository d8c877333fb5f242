"""``dynid identify resonance``: elastic joints from the motors' encoders alone."""

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


def resonance_command(
    recordings: Recordings,
    profile: Profile,
    multisine: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Excitation of `dynid excite multisine` that was played: all joints together.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        model_file(
            help="model.yaml of the links, for --multisine; default: the bodies of the URDF."
        ),
    ] = None,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    settings: Set = None,
    output: Annotated[Path | None, output_file(help="PNG of the Bode diagrams.")] = None,
    as_json: AsJson = False,
) -> None:
    """Identify resonances of joints from torque and motor encoders alone.

    From one recording of broad-band motion, joint by joint: locked- and free-joint frequency,
    inertias and stiffness with standard deviations, where the motion is coherent with the torque up
    to the resonance; what cannot be separated is said. With --multisine, from a recording for each
    joint, of the whole arm. A known elastic.rotor_inertia sets the scale instead of the torque.
    """
    from functools import partial

    from threadpoolctl import threadpool_limits

    from dynid.cli.loading import load_model_for, load_robot
    from dynid.errors import ConfigurationError
    from dynid.report.terminal.console import print_json, print_written, result_console
    from dynid.report.terminal.progress import progress
    from dynid.robot.recordings import load_recording
    from dynid_plugins.elastic.arm_stiffness import identify_arm
    from dynid_plugins.elastic.chart import write_arm, write_bode
    from dynid_plugins.elastic.multisine import read_multisine
    from dynid_plugins.elastic.report import print_arm, print_resonances
    from dynid_plugins.elastic.resonance import identify_resonances

    check_png(output)
    overrides = settings or []
    robot = load_robot(profile, urdf=urdf, overrides=overrides)
    load = partial(load_recording, robot=robot, start=start, stop=stop, run=run)
    console = result_console(as_json)
    if multisine is None:
        if len(recordings) > 1 or model is not None:
            raise ConfigurationError(
                "several recordings and --model are for --multisine, which names the excitation "
                "that was played; otherwise give one recording."
            )
        of_joints = identify_resonances(robot, load(recordings[0]))
        content = of_joints.to_dict()
        write, show = partial(write_bode, of_joints), partial(print_resonances, found=of_joints)
    else:
        played = read_multisine(multisine)
        links = None
        if model is not None:
            links = load_model_for(model, profile, urdf=urdf, overrides=overrides, force=True)
        # more threads are slower for matrices of so few columns
        with progress(console) as step, threadpool_limits(1, user_api="blas"):
            step("reading recordings")
            loaded = [load(path) for path in recordings]
            of_arm = identify_arm(robot, loaded, played, model=links, progress=step)
        content = of_arm.to_dict()
        write, show = partial(write_arm, of_arm), partial(print_arm, found=of_arm)
    if output is not None:
        write(output)
    if as_json:
        print_json(content)
    else:
        show(console)
        print_written(console, [output])
