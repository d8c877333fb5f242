"""Atomic replacement of several files, whenever the process ends.

New files are written to a folder ``.unfinished-…`` within the target folder. Its process keeps it
locked, and the next run removes it if that process has ended. When everything is on the disk, the
folder is renamed to ``.swapping-…``. From then on the new files are valid: the old ones are
removed, and then the new ones move to their places. All visible files are therefore of one run,
though not complete during the swap; if the process ends during the swap, the next run finishes
it.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from dynid.errors import WriteError
from dynid.input_file import refuse_input

_UNFINISHED = ".unfinished-"
_SWAPPING = ".swapping-"
_TOKEN = re.compile(r"[a-z0-9_]{8}")
_FILES = "files"
_STALE_RECORD = "stale.json"
_SWAP_TIMEOUT = 60.0  # [s] for another process to end its swap, which takes milliseconds
_POLLING_INTERVAL = 0.01  # [s]
# if a file system has no locks, or a folder is writable but not readable
_NO_LOCKS = {errno.EACCES, errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


@contextmanager
def written_together(folder: Path, *, stale: Iterable[str] = ()) -> Iterator[Path]:
    """Yield a folder to write to; its files move to ``folder`` only if the block succeeds.

    The files are replaced together: see this module's description. A file that is a symbolic link
    in ``folder`` is followed, not replaced.

    Args:
        folder: created if it does not exist.
        stale: patterns of names (``*_identified.urdf``); matching files in ``folder`` that are not
            among the new files are from an earlier run, and are removed.

    Raises:
        WriteError: the folder cannot be created, or a file cannot be written or is an input of the
            command.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with unfinished(folder) as scratch, ExitStack() as stack:
            files = scratch / _FILES
            files.mkdir()
            yield files
            names, patterns = _names(files), tuple(stale)
            for file_name in (*names, *_matching(folder, patterns, names)):
                refuse_input(folder / file_name)
            copies = ((name, _beside_target(folder / name, files, stack)) for name in names)
            beside = {name: copy for name, copy in copies if copy is not None}
            for path in (*(files / name for name in names), files):
                flush(path)
            # in a thread of its own, which the process waits for: no interruption reaches it
            with ThreadPoolExecutor(1) as pool:
                pool.submit(_swap, scratch, folder, names, patterns, beside).result()
    except OSError as error:
        name = error.filename or folder
        raise WriteError(f"{name}: cannot be written ({error.strerror or error}).") from None


@contextmanager
def unfinished(folder: Path) -> Iterator[Path]:
    """Yield an empty folder within ``folder``; it is removed at the end, or by the next run.

    Files left in ``folder`` by a killed process are removed first, and its swap is finished.

    Raises:
        OSError: the folder cannot be created.
        WriteError: a swap cannot be finished, or another process does not end its own.
    """
    with _locked(folder):
        _tidy(folder)
        scratch = folder / f"{_UNFINISHED}{secrets.token_hex(4)}"
        scratch.mkdir()
        lock = _lock(scratch)
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        if lock is not None:
            os.close(lock)


@contextmanager
def settled(path: Path) -> Iterator[None]:
    """Ensure within the block that the files beside a file to read are all of one run.

    A swap that a killed process has left in the folder is finished first.

    Raises:
        WriteError: the swap cannot be finished, for example in a read-only folder.
    """
    folders = {Path(os.path.realpath(path.parent)), Path(os.path.realpath(path)).parent}
    with ExitStack() as stack:
        for folder in sorted(folders):
            if folder.is_dir():
                stack.enter_context(_settled(folder))
        yield


@contextmanager
def _settled(folder: Path) -> Iterator[None]:
    with _locked(folder, fcntl.LOCK_SH):
        whole = not _named(folder, _SWAPPING)
        if whole:
            yield
    if not whole:
        with _locked(folder):
            _finish_all(folder, follow=False)
            yield


def flush(path: Path) -> None:
    """Write a file's content to the disk before its name, or a power cut leaves an empty file."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _swap(
    scratch: Path,
    folder: Path,
    names: list[str],
    patterns: tuple[str, ...],
    beside: dict[str, Path],
) -> None:
    """Move new files to their places; those of linked places have a copy there already."""
    with _locked(folder):
        if len(names) == 1 and not _matching(folder, patterns, names):
            # a single file only needs a rename, which is atomic
            _move(scratch / _FILES / names[0], folder / names[0], beside.get(names[0]), follow=True)
            return
        stale = _matching(folder, patterns, names)
        (scratch / _STALE_RECORD).write_text(json.dumps(stale), encoding="ascii")
        flush(scratch / _STALE_RECORD)
        flush(scratch)
        swapping = folder / scratch.name.replace(_UNFINISHED, _SWAPPING)
        scratch.rename(swapping)
        flush(folder)
        _finish(swapping, beside, follow=True)


def _finish(swapping: Path, beside: dict[str, Path], *, follow: bool) -> None:
    try:
        _put_in_place(swapping, beside, follow=follow)
    except OSError as error:
        raise WriteError(
            f"{swapping.parent}: the results of a run are in {swapping.name}, and cannot be moved "
            f"to their places ({error.strerror or error}); the next run tries again."
        ) from None


def _put_in_place(swapping: Path, beside: dict[str, Path], *, follow: bool) -> None:
    """Remove the old files, then move the new ones to their places; can be repeated."""
    folder, files = swapping.parent, swapping / _FILES
    stale = _stale(swapping)
    if stale is None:
        return
    names = _names(files) if files.is_dir() else []
    if not follow and any((folder / name).is_symlink() for name in names):
        # a process that only reads must not write to the target of a link
        message = f"{folder}: an interrupted run has replaced only some links; write to it again."
        raise WriteError(message)
    for name in stale:
        (folder / name).unlink(missing_ok=True)
    for name in names:
        Path(os.path.realpath(folder / name)).unlink(missing_ok=True)
    for name in names:
        _move(files / name, folder / name, beside.get(name), follow=follow)
    flush(folder)
    done = folder / swapping.name.replace(_SWAPPING, _UNFINISHED)
    swapping.rename(done)
    shutil.rmtree(done, ignore_errors=True)


def _move(path: Path, place: Path, beside: Path | None, *, follow: bool) -> None:
    """Move a file to its place; ``beside`` is a copy in the folder of the link's target, if any."""
    target = Path(os.path.realpath(place)) if follow else place
    if beside is not None and beside.exists():
        beside.replace(target)
        path.unlink()
        return
    try:
        path.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        copy = target.with_name(f"{_UNFINISHED}{secrets.token_hex(4)}")
        shutil.copyfile(path, copy)
        flush(copy)
        copy.replace(target)
        path.unlink()


def _beside_target(place: Path, files: Path, stack: ExitStack) -> Path | None:
    """Return a copy of the new file in the folder that a place links to, or None."""
    target = Path(os.path.realpath(place))
    if target.exists() and not target.is_file():
        raise WriteError(f"{place}: is not a file; expected one, or none.")
    if not place.is_symlink() or target.parent == Path(os.path.realpath(place.parent)):
        return None
    copy = stack.enter_context(unfinished(target.parent)) / target.name
    shutil.copyfile(files / place.name, copy)
    flush(copy)
    return copy


def _tidy(folder: Path) -> None:
    """Finish swaps, and remove unfinished files of processes that have ended."""
    _finish_all(folder, follow=True)
    for path in _named(folder, _UNFINISHED):
        lock = _lock(path)
        if lock is not None:
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)


def _finish_all(folder: Path, *, follow: bool) -> None:
    for swapping in _named(folder, _SWAPPING):
        _finish(swapping, {}, follow=follow)


def _stale(swapping: Path) -> list[str] | None:
    """Return the names to remove; None if this is not a folder of a swap."""
    try:
        names = json.loads((swapping / _STALE_RECORD).read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        return None
    plain = isinstance(names, list) and all(
        isinstance(name, str) and name not in {"", ".", ".."} and "/" not in name for name in names
    )
    return names if plain else None


def _matching(folder: Path, patterns: Iterable[str], new: list[str]) -> list[str]:
    matches = {path.name for pattern in patterns for path in folder.glob(pattern)}
    return sorted(name for name in matches - set(new) if not (folder / name).is_dir())


def _named(folder: Path, prefix: str) -> list[Path]:
    """Return the folders within a folder whose names dynid has created."""
    try:
        names = _names(folder)
    except PermissionError:
        return []
    made = [n for n in names if n.startswith(prefix) and _TOKEN.fullmatch(n.removeprefix(prefix))]
    return [folder / name for name in made if stat.S_ISDIR((folder / name).lstat().st_mode)]


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _lock(folder: Path) -> int | None:
    """Return the descriptor that locks a folder; None if it is locked or cannot be locked."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


@contextmanager
def _locked(folder: Path, kind: int = fcntl.LOCK_EX) -> Iterator[None]:
    """Prevent other processes and threads from changing the files of a folder.

    A process that only reads (``LOCK_SH``) continues if another one does not end.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        yield
        return
    try:
        if not _taken(descriptor, kind) and kind == fcntl.LOCK_EX:
            message = f"{folder}: another process has been writing to it for {_SWAP_TIMEOUT:g} s."
            raise WriteError(message)
        yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int, kind: int) -> bool:
    deadline = time.monotonic() + _SWAP_TIMEOUT
    while not _lock_now(descriptor, kind):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLLING_INTERVAL)
    return True


def _lock_now(descriptor: int, kind: int) -> bool:
    """Return whether a process may continue: not if another has the lock, but without locks."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    return True
