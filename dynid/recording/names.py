"""Names as sentences show them: they come from files, and may hold anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dynid.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST = 20


def shown(name: Path | str) -> str:
    """The name of a file (without its folder), topic or joint, as it can be printed."""
    return printable(name.name if isinstance(name, Path) else name)


def shown_names(names: Iterable[str], none: str = "none") -> str:
    """Names as a list, the first ones of very many."""
    every = [shown(name[:200]) for name in names]
    more = f", … ({len(every) - _MOST} more)" if len(every) > _MOST else ""
    return ", ".join(every[:_MOST]) + more if every else none
