"""Signals that end a search early or a command in order."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_AGAIN = 0.05  # [s] after which an interruption that had to wait is tried again
_UNCATCHABLE = ("__del__", "take_back")  # functions whose exceptions nobody can catch
_FORCED = 1.0  # [s] after the first signal from which on another one does not wait
# Python's import of modules; extension modules make an ImportError of what is raised within it
_IMPORTS = frozenset({"importlib", "_frozen_importlib", "_frozen_importlib_external"})


@contextmanager
def interrupted_between_imports() -> Iterator[None]:
    """Let SIGINT raise KeyboardInterrupt in the block, but not within the import of a module.

    What is raised there may come out as an ImportError, or leave half a module behind. Another
    signal a second later ends the process. For the main thread; in others, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with _taken(_Interruption(), [signal.SIGINT]):
        yield


@contextmanager
def interrupted_once() -> Iterator[Callable[[], None]]:
    """Let SIGTERM raise KeyboardInterrupt in the block as Ctrl-C does; ignore all signals after it.

    ``timeout``, a launch system or an impatient user sends a signal more than once: a second one
    must not lose the result that the block is about to write. Nor must a first one that comes after
    the search has ended: the function that is yielded makes the rest of the block ignore signals. A
    signal that is ignored from the start, such as Ctrl-C in a shell's background job, stays so.
    Nothing is raised within the import of a module, but after it. For the main thread only.
    """
    interruption = _Interruption(once=True)
    with _taken(interruption, [signal.SIGINT, signal.SIGTERM]):
        yield interruption.ignore


@contextmanager
def interrupted_outside(packages: Collection[str]) -> Iterator[None]:
    """Let SIGINT and SIGTERM raise KeyboardInterrupt in the block, but not within some packages.

    Raised there it could leave a lock held for which other threads wait without an end; and what
    is raised in a destructor, in a callback of a weak reference or of the garbage collector, or
    in the import of a module, would be lost or come out as something else. Such an interruption is
    raised afterwards, at the end of the block at the latest. Another signal a second later does
    not wait; within an import, it ends the process. A signal that is ignored stays so. For the
    main thread only; SIGALRM is used.

    Args:
        packages: names, such as ``distributed``.
    """
    with _taken(_Interruption(packages), [signal.SIGINT, signal.SIGTERM]):
        yield


@contextmanager
def _taken(interruption: _Interruption, numbers: Collection[signal.Signals]) -> Iterator[None]:
    """Let an interruption handle signals in the block, unless something else does already."""
    handlers = _usual_handlers(numbers)
    interruption.hook, sys.unraisablehook = sys.unraisablehook, interruption.take_back
    for number in handlers:
        signal.signal(number, interruption.take)
    try:
        yield
    finally:
        interruption.stop_trying()
        sys.unraisablehook = interruption.hook
        for number, handler in handlers.items():
            signal.signal(number, handler)
        interruption.raise_if_waiting()


class _Interruption:
    """The first signal, and whether it was raised.

    Args:
        packages: within which it is not raised, besides the import of modules.
        once: whether all later signals are ignored.
    """

    def __init__(self, packages: Collection[str] = (), *, once: bool = False) -> None:
        self.hook = sys.unraisablehook
        self._packages = _IMPORTS.union(packages)
        self._once = once
        self._first: float | None = None
        self._raised = False
        self._alarm: list[Any] = []  # the handler that was there, while this one tries again

    def take(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal, or the alarm with which one that had to wait is tried again."""
        now, is_alarm = time.monotonic(), bool(self._alarm) and number == signal.SIGALRM
        if self._first is None:
            self._first = now
        forced = not (is_alarm or self._once) and now - self._first > _FORCED
        if forced and _is_within(frame, _IMPORTS):
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        if forced or (self._waits and not self._must_wait(frame)):
            self._raised = True
            raise KeyboardInterrupt
        if self._waits:
            self._try_again()

    def ignore(self) -> None:
        """Ignore all signals from now on, and one that waits."""
        self._once = self._raised = True
        self._first = 0.0

    def take_back(self, lost: sys.UnraisableHookArgs) -> None:
        """Handle an exception that nobody can catch; an interruption is raised again."""
        if self._raised and lost.exc_type is KeyboardInterrupt:
            self._raised = False
            self._try_again()
        else:
            self.hook(lost)

    def raise_if_waiting(self) -> None:
        """Raise KeyboardInterrupt if there was a signal for which it was not raised."""
        if self._waits:
            self._raised = True
            raise KeyboardInterrupt

    def stop_trying(self) -> None:
        """Give the alarm back."""
        if self._alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._alarm.pop())

    @property
    def _waits(self) -> bool:
        return self._first is not None and not self._raised

    def _must_wait(self, frame: FrameType | None) -> bool:
        # without an alarm, as on Windows, it would not be raised before the end of the block
        return hasattr(signal, "SIGALRM") and _is_within(frame, self._packages, _UNCATCHABLE)

    def _try_again(self) -> None:
        if not self._alarm:
            self._alarm.append(signal.signal(signal.SIGALRM, self.take))
        signal.setitimer(signal.ITIMER_REAL, _AGAIN)


def _is_within(
    frame: FrameType | None, packages: Collection[str], functions: Collection[str] = ()
) -> bool:
    """Return whether a frame is of code of packages or of functions, or called by it."""
    while frame is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package in packages or frame.f_code.co_name in functions:
            return True
        frame = frame.f_back
    return False


def _usual_handlers(numbers: Collection[signal.Signals]) -> dict[signal.Signals, Any]:
    """Return the handlers of signals, where they are Python's, the system's own or those above.

    Raises:
        KeyboardInterrupt: an interruption waits already.
    """
    handlers = {}
    for number in numbers:
        handler = signal.getsignal(number)
        outer = getattr(handler, "__self__", None)
        if isinstance(outer, _Interruption):
            outer.raise_if_waiting()
        elif handler not in (signal.default_int_handler, signal.SIG_DFL):
            continue
        handlers[number] = handler
    return handlers
