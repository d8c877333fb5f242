"""Files that describe nothing but an excitation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynid.configuration import Settings, parse, read_text, yaml_mapping
from dynid.excitation.settings import ExcitationSettings, TrajectorySettings
from dynid.excitation.trajectory_file import is_message, is_table

if TYPE_CHECKING:
    from collections.abc import Mapping


class _ExcitationFile(Settings):
    excitation: ExcitationSettings


def read_excitation(path: Path) -> ExcitationSettings:
    """Read a YAML file with a group ``excitation``, or a trajectory itself.

    Args:
        path: The YAML file, a CSV file of points, or a trajectory_msgs/JointTrajectory in YAML.

    Raises:
        ConfigurationError: it cannot be read, or is none of these.
    """
    if is_table(path):
        return TrajectorySettings(file=str(path))
    text = read_text(path)
    if is_message(text):
        return TrajectorySettings(file=str(path))
    content = yaml_mapping(text, str(path))
    find_trajectory(content, path)
    return parse(_ExcitationFile, content, path.name).excitation


def find_trajectory(content: Mapping[str, Any], path: Path) -> None:
    """Take the file that a YAML file's ``excitation`` names for one beside it, ``path``."""
    excitation = content.get("excitation")
    file = excitation.get("file") if isinstance(excitation, dict) else None
    if isinstance(excitation, dict) and isinstance(file, str) and file:
        excitation["file"] = str(path.parent / file)
