"""Signals that shut a process down cleanly, handled from the start on and if repeated."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

LONGEST_END = 40.0
"""Time after a signal within which every process of dynid has ended [s]."""

ENDS_WITH_PARENT = "DYNID_ENDS_WITH_PARENT"
"""Environment variable: process number of the parent whose end has the effect of SIGTERM."""

FINISHED, CRITERION_FAILED, NOT_FINISHED, NO_GOOD_END, VALIDATION_MISSING = range(5)
"""Exit codes. NO_GOOD_END: the robot was not observed at rest, or a bag is incomplete.
VALIDATION_MISSING: the model is good, but the requested validation could not be evaluated.

A task that is interrupted by a signal, and shuts down cleanly, has 128 plus the signal's number
(130 for SIGINT, 143 for SIGTERM, 129 for SIGHUP); any other node has 0, because signals end it.
"""

HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that shut a process down cleanly."""

_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL
_HARD = 5.0  # [s] after which the system ends a process whose Python code is blocked
_CLOSING = 10.0  # [s] for the middleware to close, after which nothing is lost any more
_SIGEV_THREAD, _CLOCK_MONOTONIC = 2, 1  # of signal.h and time.h of glibc


class Stop:
    """Handles SIGINT, SIGTERM and SIGHUP; rclpy's own handlers would end the topics at once.

    Further signals have no effect: a terminal sends Ctrl-C to every process of its group, and
    ``ros2 launch`` signals each of them again within milliseconds. SIGQUIT and SIGKILL end the
    process as usual.
    """

    def __init__(self, *, bounded: bool = True) -> None:
        """Handle signals from now on.

        Args:
            bounded: whether the process is ended if it has not ended within LONGEST_END.
        """
        self._bounded = bounded
        self._number: int | None = None
        self._bound: _Bound | None = None
        self.waiting_for = "the program to start"
        """Cause in the message that the process did not end in time."""
        self._parent = os.environ.get(ENDS_WITH_PARENT)
        for number in HANDLED:
            # nohup ignores SIGHUP, and that is what its user wants
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)  # delivers signals that were blocked

    @property
    def requested(self) -> bool:
        """Whether the process must end."""
        if self._number is None and self._parent not in {None, str(os.getppid())}:
            self._on_signal(signal.SIGTERM, None)
        return self._number is not None

    @property
    def name(self) -> str:
        """Name of the signal that came first; empty where none came."""
        return signal.Signals(self._number).name if self.requested and self._number else ""

    @property
    def exit_code(self) -> int:
        """128 plus the number of the signal that came first, as shells count."""
        return 128 + (self._number or 0)

    def done(self, code: int) -> int:
        """Return the exit code of a process whose work is done, which then ends within seconds.

        It ends with this code also if its middleware does not close, where that holds the GIL.
        """
        _end_after(_CLOSING, code)
        return code

    def over(self) -> None:
        """Mark the shutdown as done in time, except Python's own."""
        for number in HANDLED:  # without the handlers a late signal would kill
            signal.signal(number, signal.SIG_IGN)
        if self._bound is not None:
            self._bound.lift()
        silence_closed_streams()

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self._number is None:
            self._number = number
            self._bound = _Bound(lambda: self.waiting_for) if self._bounded else None


class _Bound:
    """Ends this process with a message if it has not ended by itself within LONGEST_END."""

    def __init__(self, waiting_for: Callable[[], str]) -> None:
        """Start the timer; ``waiting_for`` returns the cause for the message."""
        self._waiting_for = waiting_for
        self._timer = threading.Timer(LONGEST_END, self._end)
        self._timer.daemon = True
        self._timer.start()
        _end_after(LONGEST_END + _HARD, NO_GOOD_END)

    def lift(self) -> None:
        """Cancel the message; the system's timer stays, in case the shutdown hangs."""
        self._timer.cancel()

    def _end(self) -> None:
        write_error(
            f"timed out after {LONGEST_END:g} s of waiting for {self._waiting_for()} after the "
            "signal; the process was ended"
        )
        os._exit(NO_GOOD_END)


class _Event(ctypes.Structure):
    """``struct sigevent`` of glibc, padded to its size."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("number", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("rest", ctypes.c_char * 40),
    )


class _TimerSpec(ctypes.Structure):
    """``struct itimerspec``: interval and time, each in seconds and nanoseconds."""

    _fields_ = tuple((name, ctypes.c_long) for name in ("often", "often_ns", "seconds", "ns"))


def _end_after(duration: float, code: int) -> None:
    """Have the system end this process after a time [s], without Python, whose GIL may be held."""
    libc, timer = ctypes.CDLL(None), ctypes.c_void_p()
    end = ctypes.cast(libc["_exit"], ctypes.c_void_p).value
    event = _Event(value=code, kind=_SIGEV_THREAD, function=end)
    if libc.timer_create(_CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) == 0:
        seconds, rest = divmod(round(duration * 1e9), 10**9)
        libc.timer_settime(timer, 0, ctypes.byref(_TimerSpec(0, 0, seconds, rest)), None)


def write_error(sentence: str) -> None:
    """Write a sentence to stderr, unless it is closed."""
    silence_closed_streams()
    with suppress(OSError, ValueError):
        sys.stderr.write(f"dynid: {sentence.rstrip('.')}.\n")
        sys.stderr.flush()


def silence_closed_streams() -> None:
    """Redirect stdout and stderr to the null device where their reader has ended.

    After a terminal was closed every write to it fails, and Python's flush at exit would replace
    the exit code by 120.
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
