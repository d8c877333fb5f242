"""``dynid model elastic``: the elastic joints of a profile in a simulator's file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import (
    AsJson,
    Force,
    MappedJoints,
    Profile,
    Set,
    Urdf,
    mapped_joints,
    output_file,
)


def model_elastic_command(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="MJCF or SDF of the robot with rigid joints."),
    ],
    profile: Profile,
    output: Annotated[Path, output_file(help="File to write.")],
    names: MappedJoints = None,
    urdf: Urdf = None,
    settings: Set = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Split elastic joints of an MJCF or SDF into motor and passive joint with stiffness.

    Stiffness, damping and rotor inertia are those of the profile's elastic. The motor's joint keeps
    its name, with all that refers to it; the passive joint is NAME_elastic. Backlash is not carried
    over. In an SDF, the rotor is a link between them.
    """
    from dynid.cli.loading import load_robot
    from dynid.files import refuse_to_replace, write_text
    from dynid.input_file import read_text
    from dynid.report.terminal.console import (
        print_json,
        print_text,
        print_written,
        result_console,
    )
    from dynid_plugins.elastic.elastic_file import elastic_file, joint_sentences
    from dynid_plugins.elastic.passive_joint import passive_joints

    refuse_to_replace([output], force)
    robot = load_robot(profile, urdf=urdf, overrides=settings or [])
    joints = passive_joints(robot, mapped_joints(names))
    written = elastic_file(read_text(file), file, joints)
    write_text(output, written.text)
    if as_json:
        print_json(written.to_dict())
        return
    console = result_console()
    for sentence in (*joint_sentences(written), *written.notes):
        print_text(console, sentence)
    print_written(console, [output])
