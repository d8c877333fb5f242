"""An excitation's settings as the text of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.excitation.settings import ExcitationSettings


def excitation_text(settings: ExcitationSettings, comments: Sequence[str]) -> str:
    """Return YAML with a group ``excitation``, below comments of a line each.

    Numbers are written so that they are read as the very same.
    """
    content = settings.model_dump(mode="json", exclude_none=True, exclude_unset=True)
    group = {"excitation": {"type": settings.type, **content}}
    text = yaml.safe_dump(group, sort_keys=False, default_flow_style=None, width=100)
    return "".join(f"# {line}\n" for line in comments) + text
