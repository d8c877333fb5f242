"""A mutant and its outcome."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One mistake: ``before`` became ``after`` in a file, whose text is now ``source``."""

    path: str
    line: int
    before: str
    after: str
    source: str
    statement: int = 0  # line where the statement starts

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before}  ->  {self.after}"


@dataclass(frozen=True)
class Outcome:
    """``killed``, ``timed out`` (killed too), ``survived`` or ``does not compile``; and by what."""

    word: str
    by: str
