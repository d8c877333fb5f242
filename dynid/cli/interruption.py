"""Signals that end a search early or a command in order."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from types import FrameType

_AGAIN = 0.05  # [s] after which an interruption that had to wait is tried again
_UNCATCHABLE = ("__del__", "take_back")  # functions whose exceptions nobody can catch
_FORCED = 1.0  # [s] after the first signal from which on another one does not wait


@contextmanager
def interrupted_once() -> Iterator[Callable[[], None]]:
    """Let SIGTERM raise KeyboardInterrupt in the block as Ctrl-C does; ignore all signals after it.

    ``timeout``, a launch system or an impatient user sends a signal more than once: a second one
    must not lose the result that the block is about to write. Nor must a first one that comes after
    the search has ended: the function that is yielded makes the rest of the block ignore signals. A
    signal that is ignored from the start, such as Ctrl-C in a shell's background job, stays so. For
    the main thread only.
    """
    taken = _usual_handlers()

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


@contextmanager
def interrupted_outside(packages: Collection[str]) -> Iterator[None]:
    """Let SIGINT and SIGTERM raise KeyboardInterrupt in the block, but not within some packages.

    Raised there it could leave a lock held for which other threads wait without an end; and what
    is raised in a destructor, or in a callback of a weak reference or of the garbage collector,
    would be printed and lost. Such an interruption is raised afterwards, at the end of the block
    at the latest. Another signal a second later does not wait. A signal that is ignored stays so.
    For the main thread only; SIGALRM is used.

    Args:
        packages: names, such as ``distributed``.
    """
    taken = _usual_handlers()
    interruption = _Interruption(frozenset(packages))
    alarm = signal.signal(signal.SIGALRM, interruption.take)
    interruption.hook, sys.unraisablehook = sys.unraisablehook, interruption.take_back
    for number in taken:
        signal.signal(number, interruption.take)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, alarm)
        sys.unraisablehook = interruption.hook
        for number, handler in taken.items():
            signal.signal(number, handler)
        if interruption.waits:
            raise KeyboardInterrupt


class _Interruption:
    """The first signal, and whether it was raised."""

    def __init__(self, packages: frozenset[str]) -> None:
        self.hook = sys.unraisablehook
        self._packages = packages
        self._first: float | None = None
        self._raised = False

    @property
    def waits(self) -> bool:
        return self._first is not None and not self._raised

    def take(self, number: int, frame: FrameType | None) -> None:
        now, is_alarm = time.monotonic(), number == signal.SIGALRM
        if self._first is None:
            if is_alarm:
                return
            self._first = now
        forced = not is_alarm and now - self._first > _FORCED
        if forced or (self.waits and not self._is_within(frame)):
            self._raised = True
            raise KeyboardInterrupt
        if self.waits:
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)

    def take_back(self, lost: sys.UnraisableHookArgs) -> None:
        """Handle an exception that nobody can catch; an interruption is raised again."""
        if self._raised and lost.exc_type is KeyboardInterrupt:
            self._raised = False
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)
        else:
            self.hook(lost)

    def _is_within(self, frame: FrameType | None) -> bool:
        while frame is not None:
            package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
            if package in self._packages or frame.f_code.co_name in _UNCATCHABLE:
                return True
            frame = frame.f_back
        return False


def _usual_handlers() -> dict[signal.Signals, Any]:
    """Return the handlers of SIGINT and SIGTERM, where they are Python's or the system's own."""
    now = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    usual = (signal.default_int_handler, signal.SIG_DFL)
    return {number: handler for number, handler in now.items() if handler in usual}
