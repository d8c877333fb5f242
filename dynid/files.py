"""Atomic writing of files, and the location of files that are part of dynid."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dynid.errors import WriteError
from dynid.input_file import refuse_input
from dynid.transaction import flush, unfinished, written_together


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a path to write to; the file replaces ``path`` only if the block succeeds.

    After an error in the block, or an interruption, the file at ``path`` is unchanged and nothing
    remains beside it that the next run does not remove. A symbolic link is followed, not replaced.

    Raises:
        WriteError: the folder does not exist or is not writable, or ``path`` is not a file, or an
            input of the command.
    """
    refuse_input(path)
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        what = "a folder" if target.is_dir() else "not a regular file"
        raise WriteError(f"{path}: is {what}; expected the name of a file to write.")
    try:
        # in the same folder, so that the last step is a rename within one file system
        with unfinished(target.parent) as folder:
            yield folder / target.name
            flush(folder / target.name)
            (folder / target.name).replace(target)
    except OSError as error:
        raise WriteError(f"{path}: cannot be written ({error.strerror or error}).") from None


def write_text(path: Path, text: str) -> None:
    """Write ``text`` in UTF-8 atomically.

    Raises:
        WriteError: the folder does not exist, or is not writable.
    """
    with whole_file(path) as unfinished:
        # the result must be written even if it contains a file name that is not UTF-8
        unfinished.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write texts in UTF-8; those of one folder are replaced together.

    Raises:
        WriteError: a folder cannot be created, or a file cannot be written.
    """
    for folder in dict.fromkeys(path.parent for path in texts):
        with written_together(folder) as unfinished:
            for path, text in texts.items():
                if path.parent == folder:
                    write_text(unfinished / path.name, text)


def check_folder(path: Path) -> None:
    """Raise an WriteError if the folder of a file to write does not exist."""
    if not path.parent.is_dir():
        raise WriteError(f"{path}: its folder does not exist; create it first.")


def refuse_to_replace(paths: Iterable[Path], force: bool) -> None:
    """Raise an WriteError if one of the files is an input, or exists already, unless forced."""
    for path in paths:
        refuse_input(path)
        if path.exists() and not force:
            raise WriteError(f"{path}: already exists; --force replaces it.")


def check_new(path: Path) -> None:
    """Raise a WriteError unless a new file can be written here."""
    refuse_input(path)
    if path.exists():
        raise WriteError(f"{path}: already exists; name a new file.")
    check_folder(path)


def share_directories() -> list[Path]:
    """Return the folders of shipped files: source tree, virtual environment, ROS prefix."""
    file = Path(__file__).resolve()
    roots = [file.parents[1], Path(sys.prefix) / "share" / "dynid"]
    roots += [parent / "share" / "dynid" for parent in file.parents[2:6]]
    return [root for root in roots if (root / "config" / "robots").is_dir()]
