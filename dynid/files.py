"""Files written whole or not at all: a reader never sees half of one."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dynid.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield where to write; the file takes the place of ``path`` only if the block succeeds.

    Whatever goes wrong in the block, an interruption included, what was at ``path`` stays as it
    was and nothing is left beside it. A symbolic link is followed, not replaced.

    Raises:
        OutputError: The folder does not exist, or cannot be written to.
    """
    target = Path(os.path.realpath(path))
    # in the same folder, so that the last step is a rename within one file system
    unfinished = target.with_name(f".{target.name}-{secrets.token_hex(4)}{target.suffix}")
    if target.is_dir():
        message = f"{path}: is a folder; expected the name of a file to write."
        raise OutputError(message)
    try:
        yield unfinished
        _flush(unfinished)
        unfinished.replace(target)
    except OSError as error:
        message = f"{path}: cannot be written ({error.strerror or error})."
        raise OutputError(message) from None
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` in UTF-8, whole or not at all.

    Raises:
        OutputError: The folder does not exist, or cannot be written to.
    """
    with whole_file(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", newline="\n")


def refuse_to_replace(paths: Iterable[Path], force: bool) -> None:
    """Raise an OutputError where one of the files is there already, unless forced."""
    for path in paths:
        if path.exists() and not force:
            message = f"{path}: is there already; --force replaces it."
            raise OutputError(message)


def _flush(path: Path) -> None:
    """Put the content on the disk before its name, or a power cut leaves an empty file."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
