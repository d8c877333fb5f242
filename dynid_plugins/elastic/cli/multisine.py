"""``dynid excite multisine``: motions that show at which frequencies joints bend."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import AsJson, Force, Profile, Set, TorqueModel, Urdf, output_file


def multisine_command(
    profile: Profile,
    output: Annotated[
        Path, output_file(help="YAML; the number of the joint is added to the name.")
    ] = Path("multisine.yaml"),
    lowest: Annotated[
        float, typer.Option(metavar="HZ", min=0.01, help="Frequency of the slowest wave.")
    ] = 3.0,
    highest: Annotated[
        float, typer.Option(metavar="HZ", min=0.01, help="Frequency of the fastest wave.")
    ] = 60.0,
    period: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Period of the motion.")
    ] = 4.0,
    periods: Annotated[
        int, typer.Option(metavar="NUMBER", min=3, help="Periods; the first one is transient.")
    ] = 6,
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Seed of the phases.")] = 0,
    model: TorqueModel = None,
    urdf: Urdf = None,
    settings: Set = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make a multisine for each elastic joint, to identify stiffness from the motor alone.

    Waves on a slow swing of one joint, within all limits. Play and record each file, then
    `dynid identify resonance RECORDING... --multisine FILE`.
    """
    from dynid.cli.loading import load_model_for, load_robot
    from dynid.excitation.build import described_excitation
    from dynid.excitation.checks import check_motion
    from dynid.excitation.files import excitation_text
    from dynid.excitation.workspace.workspace import Workspace
    from dynid.files import check_folder, refuse_to_replace, write_texts
    from dynid.report.terminal.console import print_json, print_written, result_console
    from dynid.report.terminal.progress import progress
    from dynid.robot.elastic import elastic_settings
    from dynid.robot.model import nominal_model
    from dynid_plugins.elastic.multisine import MultisineSpec, multisine_row, propose_multisine
    from dynid_plugins.elastic.report import print_multisines

    overrides = settings or []
    robot = load_robot(profile, urdf=urdf, overrides=overrides)
    joints = elastic_settings(robot).indices(robot)
    files = [output.with_name(f"{output.stem}_{j + 1}{output.suffix}") for j in joints]
    check_folder(output)
    refuse_to_replace(files, force)
    links = (
        nominal_model(robot)
        if model is None
        else load_model_for(model, profile, urdf=urdf, overrides=overrides, force=True)
    )
    spec = MultisineSpec(lowest, highest, period, periods, seed)
    console = result_console(as_json)
    workspace = Workspace(robot, links.mechanism)
    rows, texts = [], {}
    with progress(console) as step:
        for joint, file in zip(joints, files, strict=True):
            name = robot.joints[joint]
            step(f"finding waves of {name}")
            made = propose_multisine(links, joint, spec)
            motion = described_excitation(made, robot.limits, robot.joints)
            check_motion(motion, robot.limits, links.mechanism, workspace)
            rows.append(multisine_row(name, made, joint, motion.duration))
            comment = f"Multisine of {name} of {robot.name}, made by dynid excite multisine."
            texts[file] = excitation_text(made, [comment])
        write_texts(texts)
    if as_json:
        print_json({"robot": robot.name, "files": [str(file) for file in files], "joints": rows})
    else:
        print_multisines(console, robot.name, rows)
        print_written(console, files)
