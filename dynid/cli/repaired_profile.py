"""A profile with the changes of a diagnosis, beside the one that it was made with."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
import yaml

from dynid.errors import ConfigurationError, DynidError
from dynid.files import check_new
from dynid.profile import load_robot, profile_content, profile_text, write_content
from dynid.recording.corrections import correction_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.evaluation.diagnosis.repair import Repair

_NOTE = "With the corrections of `dynid diagnose --apply`."
_FILES = (
    ("urdf",),
    ("drives", "drive"),
    ("workspace", "srdf"),
    ("workspace", "mesh_folder"),
    ("excitation", "file"),
)
"""Keys of a profile whose values may be files, relative to it."""


def check_new_profile(path: Path, output: Path) -> None:
    """Raise a DynidError unless a new profile can be written here, where ``output`` will exist."""
    if path.suffix.lower() not in {".yaml", ".yml"}:
        raise ConfigurationError(f"--apply {path}: must end in .yaml.")
    if path.parent != output or output.exists():
        check_new(path)


def write_repaired(
    profile: str,
    repair: Repair,
    path: Path,
    *,
    urdf: Path | None = None,
    overrides: Sequence[str] = (),
) -> None:
    """Write a profile with a repair's changes, and with the comments and order of the given one.

    Args:
        profile: shipped robot, profile, or URDF.
        repair: with at least one change.
        path: of the new file.
        urdf: in place of the profile's.
        overrides: of the profile's keys, which the new one contains.

    Raises:
        WriteError: the file cannot be written.
        ConfigurationError: the profile does not allow a change.
    """
    source, content = profile_content(profile, overrides=overrides)
    content = _moved(content, source.parent, path.parent)
    if urdf is not None:
        content["urdf"] = _seen_from(path.parent, urdf)
    recording = content.get("recording") or {}
    if repair.corrections or recording.get("corrections"):
        entries = [correction.entry() for correction in repair.corrections]
        content["recording"] = {**recording, "corrections": entries}
    content |= repair.settings
    write_content(content, path, given=profile_text(profile), note=_NOTE)
    try:
        load_robot(path)
    except DynidError:
        path.unlink()
        raise


def print_repaired(
    repair: Repair,
    path: Path,
    recordings: Sequence[Path],
    start: float | None,
    stop: float | None,
    run: int | None,
) -> None:
    """Print what the new profile has, what is left, and the command that identifies with it."""
    typer.echo(f"wrote {path}")
    if repair.corrections:
        typer.echo(f"  {correction_yaml(repair.corrections)}")
    for key, value in repair.settings.items():
        typer.echo(f"  {yaml.safe_dump({key: value}, default_flow_style=None).strip()}")
    if repair.left:
        causes = dict.fromkeys(finding.cause.replace("_", " ") for finding in repair.left)
        typer.echo(f"It changes nothing about: {', '.join(causes)}.")
    span = [("--start", start), ("--stop", stop), ("--run", run)]
    words = ["dynid", "identify", *map(str, recordings), "-p", str(path)]
    words += [word for name, value in span if value is not None for word in (name, f"{value:g}")]
    typer.echo(f"\nIdentify with it:\n  {shlex.join(words)}")


def nothing_to_apply(repair: Repair, path: Path) -> ConfigurationError:
    """Return the error of a diagnosis without a finding that a profile can correct."""
    reason = "no finding has a correction that the recordings decide on"
    if not repair.left:
        reason = "nothing was found"
    return ConfigurationError(f"--apply: {reason}, so {path} was not written.")


def _moved(content: dict[str, Any], source: Path, target: Path) -> dict[str, Any]:
    """Return a profile's content with file names relative to another folder."""
    if os.path.realpath(source) == os.path.realpath(target):
        return dict(content)
    moved = {
        key: dict(value) if isinstance(value, dict) else value for key, value in content.items()
    }
    for *groups, key in _FILES:
        group: Any = moved
        for name in groups:
            group = group.get(name)
        value = group.get(key) if isinstance(group, dict) else None
        if isinstance(value, str) and value and (source / value).exists():
            group[key] = _seen_from(target, source / value)
    return moved


def _seen_from(folder: Path, path: Path) -> str:
    return os.path.relpath(path.absolute(), folder.absolute())
