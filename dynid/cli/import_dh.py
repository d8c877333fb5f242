"""``dynid new dh``: a URDF and a profile from a Denavit-Hartenberg table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import Force, output_file
from dynid.errors import ConfigurationError


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
