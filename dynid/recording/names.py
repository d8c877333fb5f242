"""Names as sentences show them: they come from files, and may hold anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST = 20


def shown(name: Path | str) -> str:
    """The name of a file, topic or joint; what cannot be printed, as U+FFFD.

    A file's name may hold bytes that are no UTF-8, which would end the writing of a report.
    """
    text = name.name if isinstance(name, Path) else name
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def shown_names(names: Iterable[str], none: str = "none") -> str:
    """Names as a list, the first ones of very many."""
    every = [shown(name[:200]) for name in names]
    more = f", … ({len(every) - _MOST} more)" if len(every) > _MOST else ""
    return ", ".join(every[:_MOST]) + more if every else none
