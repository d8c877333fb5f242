"""How far a run of ``dynid fleet identify`` is, for other processes: a small file in the data set.

The run keeps the file locked. So a reader sees whether the run that wrote it still goes on, also
after a power failure, and never has to hold the lock of the data set, which a run needs.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_NAME = "progress.json"
_LENGTH = 64  # [bytes] that each write replaces as a whole
_MOST_RECORDINGS = 10**12  # recordings: more are no count

Progress = Callable[[int, int], None]
"""Called with what is done, and all that there is."""


@dataclass(frozen=True)
class RunProgress:
    """The state of the latest run.

    Attributes:
        running: whether its process goes on.
        done, count: recordings; both 0 before the first result.
    """

    running: bool
    done: int
    count: int


@contextmanager
def left_progress(folder: Path, progress: Progress) -> Iterator[Progress]:
    """Yield a function that calls ``progress`` and leaves its numbers in a folder.

    Raises:
        OSError: the folder cannot be written.
    """
    with (folder / _NAME).open("wb", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # readers hold it for an instant

        def left(done: int, count: int) -> None:
            text = json.dumps({"done": done, "all": count})
            os.pwrite(file.fileno(), text.ljust(_LENGTH).encode("ascii"), 0)
            progress(done, count)

        yield left


def read_progress(folder: Path) -> RunProgress | None:
    """Return how far the latest run is; None if there was none."""
    try:
        with (folder / _NAME).open("rb") as file:
            running = _is_locked(file.fileno())
            content = json.loads(file.read(_LENGTH) or b'{"done": 0, "all": 0}')
            done, count = content["done"], content["all"]
    except (OSError, ValueError, KeyError, TypeError):
        return None  # there is none, or it is not ours
    if type(done) is not int or type(count) is not int or not 0 <= done <= count < _MOST_RECORDINGS:
        return None
    return RunProgress(running, done, count)


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False
