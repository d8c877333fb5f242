"""Signals that end a process in good order: heard from the start on, however often they come."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

LONGEST_END = 40.0
"""Time after a signal within which every process of dynid has ended [s]."""

ENDS_WITH_PARENT = "DYNID_ENDS_WITH_PARENT"
"""Environment variable: process number of the parent whose end is taken for a SIGTERM."""

FINISHED, CRITERION_FAILED, NOT_FINISHED, NO_GOOD_END = range(4)
"""Exit codes. The last one: the robot was not seen at rest, or a bag is incomplete.

A task that a signal interrupts, and that ends in order, has 128 plus the signal's number (130 for
SIGINT, 143 for SIGTERM, 129 for SIGHUP); a node that only serves has 0, because signals end it.
"""

HEARD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What ends a process in good order."""

_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL
_HARD = 5.0  # [s] after which the system ends a process whose Python no longer runs


class Stop:
    """Whether SIGINT, SIGTERM or SIGHUP came; rclpy's own handlers would end the topics at once.

    Further signals change nothing: a terminal sends Ctrl-C to every process of its group, and
    ``ros2 launch`` signals each of them again within milliseconds. SIGQUIT and SIGKILL end the
    process as ever.
    """

    def __init__(self, *, bounded: bool = True) -> None:
        """Listen from now on.

        Args:
            bounded: whether the process is ended where it has not ended in LONGEST_END.
        """
        self._bounded = bounded
        self._number: int | None = None
        self._bound: _Bound | None = None
        self.waiting_for = "the program to start"
        """What is said to have kept a process from ending in time."""
        self._parent = os.environ.get(ENDS_WITH_PARENT)
        for number in HEARD:
            # nohup ignores SIGHUP, and that is what its user wants
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._take)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)  # what has waited for this comes now

    @property
    def asked(self) -> bool:
        """Whether the process is to end."""
        if self._number is None and self._parent not in {None, str(os.getppid())}:
            self._take(signal.SIGTERM, None)
        return self._number is not None

    @property
    def name(self) -> str:
        """Name of the signal that came first; empty where none came."""
        return signal.Signals(self._number).name if self.asked and self._number else ""

    @property
    def exit_code(self) -> int:
        """128 plus the number of the signal that came first, as shells count."""
        return 128 + (self._number or 0)

    def over(self) -> None:
        """Say that the process has come to its end in time, and only Python's own end is left."""
        for number in HEARD:  # that would take the handlers away, and let a late signal kill
            signal.signal(number, signal.SIG_IGN)
        if self._bound is not None:
            self._bound.lift()
        silence_closed_streams()

    def _take(self, number: int, _frame: FrameType | None) -> None:
        if self._number is None:
            self._number = number
            self._bound = _Bound(lambda: self.waiting_for) if self._bounded else None


class _Bound:
    """Ends this process with a sentence where it has not ended by itself in LONGEST_END."""

    def __init__(self, waiting_for: Callable[[], str]) -> None:
        """Begin to count; ``waiting_for`` says what for, if it comes to that."""
        self._waiting_for = waiting_for
        self._timer = threading.Timer(LONGEST_END, self._end)
        self._timer.daemon = True
        self._timer.start()
        # the system's own timer needs no Python: a calculation may hold the interpreter's lock
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, LONGEST_END + _HARD)

    def lift(self) -> None:
        """Say no more; the system's timer stays, for an end that hangs."""
        self._timer.cancel()

    def _end(self) -> None:
        say(
            f"waited {LONGEST_END:g} s for {self._waiting_for()} after the signal; the process was "
            "ended without it"
        )
        os._exit(NO_GOOD_END)


def say(sentence: str) -> None:
    """Write a sentence to stderr, if anybody can still read it."""
    silence_closed_streams()
    with suppress(OSError, ValueError):
        sys.stderr.write(f"dynid: {sentence.rstrip('.')}.\n")
        sys.stderr.flush()


def silence_closed_streams() -> None:
    """Let stdout and stderr lead nowhere where their reader is gone.

    After a terminal was closed every write to it fails, and Python's last one, when it ends, would
    replace the exit code by 120.
    """
    poll = select.poll()
    for stream in (1, 2):
        poll.register(stream, 0)
    closed = [stream for stream, events in poll.poll(0) if events & _GONE]
    for stream in closed:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != stream:  # as it is where the lowest free number was that of the stream
            os.dup2(nowhere, stream)
            os.close(nowhere)
