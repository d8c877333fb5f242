"""Files written whole or not at all, and where the files that come with dynid are."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dynid.errors import OutputError
from dynid.transaction import flush, unfinished, written_together

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield where to write; the file takes the place of ``path`` only if the block succeeds.

    Whatever goes wrong in the block, an interruption included, what was at ``path`` stays as it
    was and nothing is left beside it that the next run does not remove. A symbolic link is
    followed, not replaced.

    Raises:
        OutputError: the folder does not exist or cannot be written to, or ``path`` is no file.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        what = "a folder" if target.is_dir() else "no regular file"
        message = f"{path}: is {what}; expected the name of a file to write."
        raise OutputError(message)
    try:
        # in the same folder, so that the last step is a rename within one file system
        with unfinished(target.parent) as folder:
            yield folder / target.name
            flush(folder / target.name)
            (folder / target.name).replace(target)
    except OSError as error:
        message = f"{path}: cannot be written ({error.strerror or error})."
        raise OutputError(message) from None


def write_text(path: Path, text: str) -> None:
    """Write ``text`` in UTF-8, whole or not at all.

    Raises:
        OutputError: the folder does not exist, or cannot be written to.
    """
    with whole_file(path) as unfinished:
        # a file name that is not UTF-8, in a header say, must not lose a result
        unfinished.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write texts in UTF-8; those of one folder take their places together.

    Raises:
        OutputError: a folder cannot be made, or a file not be written.
    """
    for folder in dict.fromkeys(path.parent for path in texts):
        with written_together(folder) as unfinished:
            for path, text in texts.items():
                if path.parent == folder:
                    write_text(unfinished / path.name, text)


def check_folder(path: Path) -> None:
    """Raise an OutputError where the folder of a file to be written does not exist."""
    if not path.parent.is_dir():
        message = f"{path}: its folder does not exist; make it first."
        raise OutputError(message)


def refuse_to_replace(paths: Iterable[Path], force: bool) -> None:
    """Raise an OutputError where one of the files already exists, unless forced."""
    for path in paths:
        if path.exists() and not force:
            message = f"{path}: already exists; --force replaces it."
            raise OutputError(message)


def share_directories() -> list[Path]:
    """Where shipped profiles and URDFs can be: source tree, virtual environment, ROS prefix."""
    here = Path(__file__).resolve()
    roots = [here.parents[1], Path(sys.prefix) / "share" / "dynid"]
    roots += [parent / "share" / "dynid" for parent in here.parents[2:6]]
    return [root for root in roots if (root / "config" / "robots").is_dir()]
