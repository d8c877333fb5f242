"""Printable names in messages, as names from files may contain any characters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dynid.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_NAMES = 20


def shown(name: Path | str) -> str:
    """Return the printable name of a file (without its folder), topic or joint."""
    return printable(name.name if isinstance(name, Path) else name)


def shown_names(names: Iterable[str], none: str = "none") -> str:
    """Return names as a list in words, the first ones of very many."""
    texts = [shown(name[:200]) for name in names]
    remainder = f", … ({len(texts) - _MOST_NAMES} more)" if len(texts) > _MOST_NAMES else ""
    return ", ".join(texts[:_MOST_NAMES]) + remainder if texts else none
