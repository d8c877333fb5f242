"""Signals that end a search early, so that a command continues with what was found."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType


@contextmanager
def interrupted_once() -> Iterator[Callable[[], None]]:
    """Let SIGTERM raise KeyboardInterrupt in the block as Ctrl-C does; ignore all signals after it.

    ``timeout``, a launch system or an impatient user sends a signal more than once: a second one
    must not lose the result that the block is about to write. Nor must a first one that comes after
    the search has ended: the function that is yielded makes the rest of the block ignore signals. A
    signal that is ignored from the start, such as Ctrl-C in a shell's background job, stays so. For
    the main thread only.
    """
    now = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    usual = (signal.default_int_handler, signal.SIG_DFL)
    taken = {number: handler for number, handler in now.items() if handler in usual}

    def ignore() -> None:
        for number in taken:
            signal.signal(number, signal.SIG_IGN)

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        ignore()
        raise KeyboardInterrupt

    for number in taken:
        signal.signal(number, interrupt)
    try:
        yield ignore
    finally:
        for number, handler in taken.items():
            signal.signal(number, handler)
