"""Robot descriptions in files: a URDF, or a xacro that becomes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynid.input_file import read_text
from dynid.packages import Packages
from dynid.robot.xacro_expansion import expand_xacro

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DESCRIPTIONS = (".urdf", ".xacro")
"""Endings of files that describe a robot without a profile."""


def is_description(path: Path) -> bool:
    """Return whether a file name is that of a URDF or a xacro."""
    return path.suffix.lower() in DESCRIPTIONS


def read_description(
    path: Path, *, arguments: Mapping[str, str] | None = None, packages: Packages | None = None
) -> str:
    """Return the URDF in a file; a xacro is expanded.

    Args:
        path: the file.
        arguments: of a xacro.
        packages: where a xacro finds packages; None: in the environment and around the file.

    Raises:
        ConfigurationError: the file is missing or not text, or the xacro cannot be expanded.
    """
    if path.suffix.lower() != ".xacro":
        return read_text(path)
    return expand_xacro(path, arguments or {}, packages or Packages(beside=path))
