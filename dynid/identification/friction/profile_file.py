"""A robot profile written back as YAML, with other joint terms."""

from __future__ import annotations

from pathlib import Path

import yaml

from dynid.files import write_text
from dynid.profile import RobotProfile

_HEADER = "# Terms chosen by `dynid friction`; comments of the profile it was given are lost.\n"


def write_profile(chosen: RobotProfile, path: Path) -> None:
    """Write a profile such that dynid loads it as it is.

    Raises:
        OutputError: the file cannot be written.
    """
    content = chosen.model_dump(mode="json", exclude_unset=True)
    content["terms"] = [
        {"kind": term.kind} | term.model_dump(mode="json", exclude_defaults=True)
        for term in chosen.terms
    ]
    text = yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=100)
    write_text(path, _HEADER + text)
