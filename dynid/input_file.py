"""Files that are read: only regular ones, up to a limit; and no output may replace them.

What no output may replace or remove are, of a command, all files that its options name; of a result
in Python or in a node, the recordings, the profile and the URDF that it was made from.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from dynid.errors import ConfigurationError, DynidError, WriteError
from dynid.limits import TEXT_BYTES, InputLimit
from dynid.text import printable

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_UTF_16_OR_32 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


def named_path(path: Path | str) -> Path:
    """Return a path whose last part names the file or folder, as that of ``.`` does not."""
    given = Path(path)
    return given.resolve() if given.name in ("", "..") else given


def is_file(path: Path) -> bool:
    """Return whether a path is a regular file; False for an invalid name."""
    try:
        return path.is_file()
    except OSError:  # too long, or in a folder without access
        return False


def exists(path: Path) -> bool:
    """Return whether there is anything at a path; False for an invalid name."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def check_regular(path: Path, error: type[DynidError] = ConfigurationError) -> os.stat_result:
    """Raise ``error`` unless a path is a regular file: reading a pipe could block forever.

    Returns:
        The file's status, such as its size.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        raise error(f"{printable(path)}: there is no such file.") from None
    except (OSError, ValueError) as problem:  # ValueError for a NUL character in the name
        reason = getattr(problem, "strerror", None) or problem
        raise error(f"{printable(path)}: cannot be read ({reason}).") from None
    for is_kind, kind in _KINDS:
        if is_kind(status.st_mode):
            raise error(f"{printable(path)}: is {kind}; expected the name of a file.")
    return status


def read_bytes(
    path: Path, limit: InputLimit, error: type[DynidError] = ConfigurationError
) -> bytes:
    """Return the contents of a regular file.

    Raises:
        DynidError: ``error``, if the file is missing, unreadable, not regular, or larger than
            ``limit`` allows.
    """
    size = check_regular(path, error).st_size
    limit.check(size, f"{printable(path)}: has {size} bytes", error)
    try:
        with path.open("rb") as file:
            content = file.read(size + 1)  # allocates what is requested, so not the limit
            if len(content) > size:  # a file in /proc, or one that grows
                content += file.read(limit.most + 1 - len(content))
    except OSError as problem:
        reason = problem.strerror or problem
        raise error(f"{printable(path)}: cannot be read ({reason}).") from None
    limit.check(len(content), f"{printable(path)}: has {len(content)} bytes or more", error)
    return content


def read_text(path: Path) -> str:
    r"""Return the text of a file in UTF-8; line ends become ``\n``, a byte order mark is dropped.

    Raises:
        ConfigurationError: the file is missing, unreadable, too large, or not text in UTF-8.
    """
    content = read_bytes(path, TEXT_BYTES)
    shown = printable(path)
    if content.startswith(_UTF_16_OR_32):
        raise ConfigurationError(
            f"{shown}: cannot be read as text, because it is UTF-16 or UTF-32; save it as UTF-8."
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise ConfigurationError(
            f"{shown}: cannot be read as text (byte {problem.start + 1} is not UTF-8); save it as "
            "UTF-8."
        ) from None
    if "\0" in text:
        raise ConfigurationError(
            f"{shown}: cannot be read as text, because it contains null bytes; check the file."
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


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
