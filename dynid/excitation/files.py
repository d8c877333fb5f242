"""Files that contain only an excitation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from dynid.configuration import Settings, parse, yaml_mapping
from dynid.excitation.settings import ExcitationSettings, TrajectorySettings, find_trajectory
from dynid.excitation.trajectory_file import is_message, is_table
from dynid.input_file import read_text


class _ExcitationFile(Settings):
    excitation: ExcitationSettings


def read_excitation(path: Path) -> ExcitationSettings:
    """Read a YAML file with a group ``excitation``, or a trajectory: CSV, or a message in YAML.

    Raises:
        ConfigurationError: the file cannot be read, or is neither.
    """
    if is_table(path):
        return TrajectorySettings(file=str(path))
    text = read_text(path)
    if is_message(text):
        return TrajectorySettings(file=str(path))
    content = yaml_mapping(text, str(path))
    find_trajectory(content, path)
    return parse(_ExcitationFile, content, path.name).excitation


def excitation_text(settings: ExcitationSettings, comments: Sequence[str]) -> str:
    """Return YAML with a group ``excitation``, below comments of one line each.

    Numbers are written with all digits, so that they are read back exactly.
    """
    content = settings.model_dump(mode="json", exclude_none=True, exclude_unset=True)
    group = {"excitation": {"type": settings.type, **content}}
    text = yaml.safe_dump(group, sort_keys=False, default_flow_style=None, width=100)
    return "".join(f"# {line}\n" for line in comments) + text
