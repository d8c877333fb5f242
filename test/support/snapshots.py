"""Copies of a folder before each change: the states in which a killed process would leave it.

Python reports every change of the file system before making it (PEP 578). A copy of the folder at
that time is what the process leaves if it dies there; there is no lock on the copy either.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from support.killed import is_change

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class _Snapshots:
    """The one hook of this process, because hooks cannot be taken back."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.taken: list[Path] = []
        self._into: Path | None = None
        self._busy = False
        sys.addaudithook(self._look)

    def begin(self, folder: Path, into: Path) -> None:
        self.taken, self.folder, self._into = [], folder, into

    def _look(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.folder is None or self._into is None or self._busy:
            return
        if is_change(event, arguments) and self.folder.exists():
            self._busy = True
            try:
                self.taken.append(self._into / str(len(self.taken)))
                shutil.copytree(self.folder, self.taken[-1], symlinks=True)
            finally:
                self._busy = False


_SNAPSHOTS: list[_Snapshots] = []


@contextmanager
def snapshots(folder: Path, into: Path) -> Iterator[list[Path]]:
    """Yield a list that gets a copy of ``folder``, within ``into``, before every change."""
    if not _SNAPSHOTS:
        _SNAPSHOTS.append(_Snapshots())
    into.mkdir(parents=True)
    _SNAPSHOTS[0].begin(folder, into)
    try:
        yield _SNAPSHOTS[0].taken
    finally:
        _SNAPSHOTS[0].folder = None
