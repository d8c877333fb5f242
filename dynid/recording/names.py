"""Printable names in messages, as names from files may contain any characters."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path

from dynid.text import printable

_MOST_NAMES = 20
_LONGEST_EXCERPT = 80  # [characters] of a name or cell from a file
_LONGEST_LIST = 800  # [characters] of names


def shown(name: Path | str) -> str:
    """Return the printable name of a file (without its folder), or the begin of other text."""
    if isinstance(name, Path):
        return printable(name.name)
    return printable(name if len(name) <= _LONGEST_EXCERPT else f"{name[: _LONGEST_EXCERPT - 1]}…")


def shown_names(names: Iterable[str], none: str = "none") -> str:
    """Return names as a list in words, the first ones of very many."""
    texts = [shown(name) for name in names]
    lengths = accumulate(len(text) + 2 for text in texts[:_MOST_NAMES])
    listed = max(1, sum(length <= _LONGEST_LIST for length in lengths))
    remainder = f", … ({len(texts) - listed} more)" if len(texts) > listed else ""
    return ", ".join(texts[:listed]) + remainder if texts else none
