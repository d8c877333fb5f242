"""Files that were read, which no output that follows from them may replace or remove.

Of a command these are all files that its options name. Of a result in Python or in a node, they are
the recordings, the profile and the URDF that it was made from.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from dynid.errors import WriteError

# where files are written, inputs are not known; and where inputs are known, names of files are not
_KEPT: ContextVar[frozenset[str]] = ContextVar("_KEPT", default=frozenset())


@contextmanager
def inputs_kept(paths: Iterable[Path]) -> Iterator[None]:
    """Refuse within the block to write to any of these files, whichever way they are named."""
    token = _KEPT.set(_KEPT.get() | {os.path.realpath(path) for path in paths})
    try:
        yield
    finally:
        _KEPT.reset(token)


def refuse_input(path: Path) -> None:
    """Raise an WriteError if a file to write, or to remove, is an input."""
    if os.path.realpath(path) in _KEPT.get():
        raise WriteError(f"{path}: is an input, which is never overwritten; name another output.")
