"""``dynid new``: a profile from a URDF, a xacro, an MJCF or a Denavit-Hartenberg table."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import Force, output_file
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.robot.chains import JointChain, RobotJoints


def new_command(
    description: Annotated[
        Path, typer.Argument(metavar="URDF", help="URDF, xacro or MJCF of the robot.")
    ],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME:=VALUE", help="Arguments of the xacro.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None, output_file(help="Profile to write; by default ROBOT.yaml.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="ROBOT", help="Name of the robot; by default the URDF's.")
    ] = None,
    tip: Annotated[
        list[str] | None,
        typer.Option(metavar="LINK", help="Link at the end of the chain to use; repeatable."),
    ] = None,
    joints: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Actuated joints in drive order, such as 'arm_*,wrist_1'."
        ),
    ] = None,
    package_path: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER", help="Folder of ROS packages, for $(find) and package://; repeatable."
        ),
    ] = None,
    srdf: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="SRDF of MoveIt, whose disabled pairs may touch."),
    ] = None,
    force: Force = False,
) -> None:
    """Make a profile from a URDF, a xacro or an MJCF.

    Joints of grippers, fingers and wheels are locked. Where several chains are left, the command
    asks for one in a terminal, and needs --tip or --joints elsewhere. Limits are those of the
    URDF. What it cannot know is marked FILL IN in the profile, which has comments like those of
    config/robots/puma560.yaml. A xacro or an MJCF becomes a URDF beside the
    profile.
    """
    from dynid.files import check_folder, refuse_to_replace, write_texts
    from dynid.packages import Packages
    from dynid.robot.chains import robot_joints
    from dynid.robot.description import (
        described_nominal,
        is_description,
        mesh_folder,
        read_description,
    )
    from dynid.robot.new_profile import NewProfile

    if not is_description(description):
        raise ConfigurationError(
            f"{description}: must be a URDF that ends in .urdf, a xacro in .xacro, or an MJCF in "
            ".xml."
        )
    packages = Packages(package_path or (), beside=description)
    given = _xacro_arguments(arguments or (), description)
    urdf_xml = read_description(description, arguments=given, packages=packages)
    urdf_joints = robot_joints(urdf_xml, description.name)
    robot = _robot_name(name, urdf_xml, description)
    profile, urdf = _files(output, robot, description)
    check_folder(profile)
    written = [profile] if urdf == description else [profile, urdf]
    refuse_to_replace(written, force)
    chosen = _chosen(urdf_joints, tip or (), joints, description.name)
    meshes = mesh_folder(urdf_xml, description, packages)
    content = NewProfile(
        robot=robot,
        urdf=_seen_from(profile, urdf),
        source=description.name,
        found=urdf_joints,
        joints=chosen,
        mesh_folder=None if meshes is None else _seen_from(profile, meshes),
        nominal=described_nominal(description),
        srdf=None if srdf is None else _seen_from(profile, srdf),
        doubtful=_doubtful(urdf_xml, description, chosen),
    )
    texts = {profile: content.text(), urdf: urdf_xml}
    _check(texts[profile], urdf_xml, profile, srdf)
    write_texts({path: texts[path] for path in written})
    _report(profile, written)


def _robot_name(given: str | None, urdf_xml: str, description: Path) -> str:
    from dynid.file_names import checked_file_name, likely_file_name
    from dynid.robot.urdf_profile import robot_name

    if given is None:
        return likely_file_name(robot_name(urdf_xml), description.name.partition(".")[0])
    try:
        return checked_file_name(given)
    except ValueError as problem:
        raise ConfigurationError(f"--name {problem}.") from None


def _files(output: Path | None, robot: str, description: Path) -> tuple[Path, Path]:
    """Return the profile to write, and its URDF: the given one, or that of the xacro."""
    profile = output or Path(f"{robot}.yaml")
    if profile.suffix.lower() not in {".yaml", ".yml"}:
        raise ConfigurationError(f"--output {profile}: must end in .yaml.")
    is_urdf = description.suffix.lower() == ".urdf"
    return profile, description if is_urdf else profile.with_suffix(".urdf")


def _seen_from(profile: Path, path: Path) -> str:
    return os.path.relpath(path.absolute(), profile.absolute().parent)


def _xacro_arguments(given: Sequence[str], description: Path) -> dict[str, str]:
    arguments = {}
    for argument in given:
        name, separator, value = argument.partition(":=")
        if not separator or not name:
            raise ConfigurationError(
                f"'{argument}': must be NAME:=VALUE, an argument of the xacro "
                "such as prefix:=left_."
            )
        if description.suffix.lower() != ".xacro":
            raise ConfigurationError(f"'{argument}': is for a xacro; {description.name} is a URDF.")
        arguments[name] = value
    return arguments


def _chosen(
    urdf_joints: RobotJoints, tips: Sequence[str], joints: str | None, file: str
) -> tuple[str, ...]:
    """Return the actuated joints: by option, the only chain, or as answered in a terminal."""
    from dynid.robot.chains import matching

    if joints is not None:
        patterns = [pattern.strip() for pattern in joints.split(",") if pattern.strip()]
        if not patterns:
            raise ConfigurationError("--joints: names no joint.")
        return matching(patterns, tuple(urdf_joints.joints), "--joints")
    if tips:
        wanted = {joint for tip in tips for joint in urdf_joints.towards(tip)}
        return tuple(name for name in urdf_joints.joints if name in wanted)
    if len(urdf_joints.chains) == 1:
        return urdf_joints.chains[0].joints
    if _interactive():
        return _asked(urdf_joints)
    choices = "; ".join(f"--tip {_described(chain)}" for chain in urdf_joints.chains)
    raise ConfigurationError(
        f"{file}: has {len(urdf_joints.chains)} chains of joints; choose with {choices}; several "
        "by repeating --tip, all by --joints '*', or any with --joints."
    )


def _interactive() -> bool:
    return sys.stdin.isatty()


def _described(chain: JointChain) -> str:
    from dynid.robot.urdf_profile import names

    return f"{chain.tip} ({len(chain.joints)}: {names(chain.joints)})"


def _asked(urdf_joints: RobotJoints) -> tuple[str, ...]:
    typer.echo("The URDF has several chains of joints:", err=True)
    for number, chain in enumerate(urdf_joints.chains, 1):
        typer.echo(f"  {number}  {_described(chain)}", err=True)
    last = len(urdf_joints.chains) + 1
    typer.echo(f"  {last}  all of them ({len(urdf_joints.every)} joints)", err=True)
    answer = typer.prompt("Number of the chain to identify", type=int, err=True)
    while not 1 <= answer <= last:
        answer = typer.prompt(f"A number from 1 to {last}", type=int, err=True)
    return urdf_joints.every if answer == last else urdf_joints.chains[answer - 1].joints


def _doubtful(urdf_xml: str, description: Path, chosen: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of ``limits`` that the profile leaves open, so that they are looked up."""
    from dynid.excitation.plausible_limits import limit_doubts
    from dynid.profile import make_robot
    from dynid.robot.urdf_profile import urdf_profile

    silent = make_robot(urdf_profile(urdf_xml, description.name, chosen), urdf_xml)
    return tuple({key for doubt in limit_doubts(silent) for key in doubt.limits})


def _check(text: str, urdf_xml: str, profile: Path, srdf: Path | None) -> None:
    """Raise unless the profile loads, and URDF and SRDF describe a mechanism with its joints."""
    from dynid.configuration import yaml_mapping
    from dynid.excitation.workspace.pairs import check_links
    from dynid.profile import make_robot

    robot = make_robot(yaml_mapping(text, str(profile)), urdf_xml, where=str(profile))
    robot.mechanism()
    if srdf is not None:
        check_links(srdf, set(robot.kinematics().links()))


def _report(profile: Path, written: Sequence[Path]) -> None:
    from dynid.excitation.plausibility import urdf_doubts
    from dynid.excitation.workspace.workspace import Workspace
    from dynid.profile import load_robot
    from dynid.report.terminal.console import print_sentences, print_text, result_console
    from dynid.robot.new_profile import FILL_IN
    from dynid.robot.urdf_profile import assumptions

    console = result_console()
    robot = load_robot(profile)
    print_text(console, f"{robot.name}: {len(robot.joints)} joints")
    print_sentences(console, "Assumed", [f"{assumption}." for assumption in assumptions(robot)], "")
    workspace = Workspace(robot, robot.mechanism())
    doubts = [doubt.sentence for doubt in urdf_doubts(robot, workspace)]
    print_sentences(console, "Doubtful", doubts, "")
    if missing := workspace.bodies.missing_note:
        print_text(console, missing, "yellow")
    console.print()
    for path in written:
        typer.echo(f"wrote {path}")
    typer.echo(
        f"\nFill in what is marked {FILL_IN} in {profile}, then:\n"
        f"  dynid view {profile}                            # its shape and zero position\n"
        f"  dynid demo {profile}                            # every step on a simulated robot\n"
        f"  dynid excite {profile} -o excitation.yaml       # the most informative motion\n"
        f"  dynid check {profile} excitation.yaml           # what it uses of each limit\n"
        f"  dynid identify {profile} RECORDING              # after the robot has played it"
    )


def new_dh_command(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="YAML file (docs/robots.md).")],
    output: Annotated[Path | None, output_file(help="URDF to write; printed by default.")] = None,
    profile_out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Profile to write, with defaults to edit.")
    ] = None,
    force: Force = False,
) -> None:
    """Make a URDF and a profile from a Denavit-Hartenberg table."""
    from dynid.files import check_folder, refuse_to_replace, write_texts
    from dynid.report.terminal.console import print_message
    from dynid.robot.dh.chain import chains_of
    from dynid.robot.dh.table import read_table
    from dynid.robot.dh.urdf import profile_text, urdf_of

    content = read_table(table)
    chains = chains_of(content, table.name)
    urdf = urdf_of(content.robot, chains, table.name)
    if output is None:
        if profile_out is not None:
            message = "--profile-out needs --output: the profile names the URDF file."
            raise ConfigurationError(message)
        typer.echo(urdf, nl=False)
        return
    texts = {output: urdf}
    if profile_out == output:
        raise ConfigurationError(f"--profile-out {profile_out}: must differ from the URDF file.")
    if profile_out is not None:
        seen_from_profile = os.path.relpath(output, profile_out.parent)
        texts[profile_out] = profile_text(
            content.robot, seen_from_profile, chains, content.gravity, table.name
        )
    refuse_to_replace(texts, force)
    for path in texts:
        check_folder(path)
    write_texts(texts)
    for path in texts:
        typer.echo(f"wrote {path}")
    bodiless = [link.joint for chain in chains for link in chain.links if link.mass is None]
    if bodiless:
        print_message(
            f"the links behind {', '.join(bodiless)} have no mass; identification needs none, but "
            "a simulation does (dynid demo).",
            kind="note",
        )
