"""Robot descriptions in files: a URDF, or a xacro or an MJCF that becomes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynid.dynamics.urdf_text import check_urdf
from dynid.errors import ConfigurationError, MechanismError
from dynid.input_file import read_text
from dynid.packages import Packages
from dynid.robot.mjcf_conversion import mjcf_as_urdf
from dynid.robot.mjcf_nominal import MjcfNominal, mjcf_nominal
from dynid.robot.xacro_expansion import expand_xacro
from dynid.robot_files import DESCRIPTIONS
from dynid.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def is_description(path: Path) -> bool:
    """Return whether a file name is that of a URDF, a xacro or an MJCF."""
    return path.suffix.lower() in DESCRIPTIONS


def read_description(
    path: Path, *, arguments: Mapping[str, str] | None = None, packages: Packages | None = None
) -> str:
    """Return the URDF in a file; a xacro is expanded, an MJCF converted.

    Args:
        path: the file.
        arguments: of a xacro.
        packages: where a xacro finds packages; None: in the environment and around the file.

    Raises:
        ConfigurationError: the file is missing or not text, the xacro cannot be expanded, the
            MJCF cannot be converted, or the URDF is invalid.
    """
    if path.suffix.lower() == ".xacro":
        text = expand_xacro(path, arguments or {}, packages or Packages(beside=path))
    else:
        text = read_text(path)
        text = mjcf_as_urdf(text, path) if _is_mjcf(path, text) else text
    try:
        check_urdf(text, printable(path.name))
    except MechanismError as error:
        raise ConfigurationError(str(error)) from None
    return text


def described_nominal(path: Path) -> MjcfNominal | None:
    """Return what an MJCF says of gravity and joint terms; None for a URDF or xacro.

    Raises:
        ConfigurationError: the file is missing or not text, or MuJoCo cannot compile it.
    """
    if path.suffix.lower() in {".urdf", ".xacro"}:
        return None
    text = read_text(path)
    return mjcf_nominal(text, path) if _is_mjcf(path, text) else None


def _is_mjcf(path: Path, text: str) -> bool:
    return path.suffix.lower() != ".urdf" and "<mujoco" in text
