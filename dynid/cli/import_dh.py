"""``dynid import-dh``: a URDF, and a first profile, from a Denavit-Hartenberg table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.errors import ConfigurationError, OutputError
from dynid.files import check_folder, refuse_to_replace, write_texts
from dynid.robot.dh.chain import chains_of
from dynid.robot.dh.profile_text import profile_text
from dynid.robot.dh.table import read_table
from dynid.robot.dh.urdf import urdf_of

if TYPE_CHECKING:
    from collections.abc import Iterable


def import_dh_command(
    table: Annotated[Path, typer.Argument(help="YAML file with the table: docs/robots.md.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="URDF to write; none: print it.")
    ] = None,
    profile_out: Annotated[
        Path | None, typer.Option(help="Profile to write, made of the table and defaults.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
) -> None:
    """Make a URDF, and a profile to begin with, from a Denavit-Hartenberg table."""
    content = read_table(table)
    chains = chains_of(content, table.name)
    urdf = urdf_of(content.robot, chains, table.name)
    if output is None:
        if profile_out is not None:
            message = "--profile-out: a profile names its URDF; say with --output where that goes."
            raise ConfigurationError(message)
        typer.echo(urdf, nl=False)
        return
    texts = {output: urdf}
    if profile_out == output:
        message = f"--profile-out {profile_out}: must not be the URDF's file."
        raise ConfigurationError(message)
    if profile_out is not None:
        seen_from_profile = os.path.relpath(output, profile_out.parent)
        texts[profile_out] = profile_text(
            content.robot, seen_from_profile, chains, content.gravity, table.name
        )
    _refuse_the_table(texts, table)
    refuse_to_replace(texts, force)
    for path in texts:
        check_folder(path)
    write_texts(texts)
    for path in texts:
        typer.echo(f"wrote {path}")
    bodiless = [link.joint for chain in chains for link in chain.links if link.mass is None]
    if bodiless:
        typer.echo(
            f"note: no mass is given behind {', '.join(bodiless)}; identification needs none, but "
            "a simulation does (dynid demo)."
        )


def _refuse_the_table(paths: Iterable[Path], table: Path) -> None:
    for path in paths:
        if path.exists() and path.samefile(table):
            message = f"{path}: is the table itself; name another file for what is made of it."
            raise OutputError(message)
