"""A process that is killed before its k-th change of the file system, for every k.

Python reports every such change before making it (PEP 578): between two stops there is at most one
change, and killing at all of them covers every state in which a killed process can leave a folder,
except for the contents of a file that it was writing.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable

_CHANGES = {
    *("os.rename", "os.remove", "os.rmdir", "os.mkdir"),
    *("os.truncate", "os.link", "os.symlink"),
}


def killed_at(change: int, work: Callable[[], object]) -> bool:
    """Run ``work`` in a child that dies before its change number ``change``; whether it died so.

    Raises:
        AssertionError: the child ended in another way.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _die_at(change)
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGKILL if killed else status == 0, status
    return killed


def _die_at(change: int) -> None:
    made = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal made
        if is_change(event, arguments):
            made += 1
            if made == change:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def is_change(event: str, arguments: tuple[object, ...]) -> bool:
    """Whether an event changes the file system."""
    if event != "open":
        return event in _CHANGES
    flags = arguments[2]
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
