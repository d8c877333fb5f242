"""Commands of dynid in a child process on a system with faults: limits, missing rights."""

from __future__ import annotations

import ctypes
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dynid import cli

_CAPABILITIES = 0x20080522  # version of the structures, of linux/capability.h
_PAST_PERMISSIONS = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


def as_anybody() -> None:
    """Apply file permissions to this process, as for every user except root."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0)
    rights = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice
    assert libc.capget(header, rights) == 0
    for right in _PAST_PERMISSIONS:
        for one in range(3):
            rights[one] &= ~(1 << right)
    assert libc.capset(header, rights) == 0


@dataclass(frozen=True)
class Ended:
    """Exit code and output of a command."""

    code: int
    output: str


def refused(ended: Ended, words: str) -> None:
    """Assert that a command refused its work with a single sentence that has these words."""
    assert ended.code == 2, ended
    assert "Traceback" not in ended.output
    last = ended.output.strip().splitlines()[-1]
    assert last.startswith("dynid: ")
    assert words in last


def dynid(arguments: Sequence[object], before: Callable[[], object] = lambda: None) -> Ended:
    """Run a command in a child process, after ``before`` has made the system faulty there."""
    return begin(arguments, before).end()


@dataclass(frozen=True)
class Child:
    """A running command; its output comes through a pipe, without limits on files."""

    process: int
    output: int

    def end(self) -> Ended:
        """Wait for it."""
        with os.fdopen(self.output, "rb") as pipe:
            output = pipe.read().decode(errors="replace")
        return Ended(os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1]), output)


def begin(arguments: Sequence[object], before: Callable[[], object] = lambda: None) -> Child:
    """Start such a command."""
    output, end = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os._exit(_run(arguments, before, end))
        finally:
            os._exit(70)
    os.close(end)
    return Child(process, output)


def _run(arguments: Sequence[object], before: Callable[[], object], output: int) -> int:
    for stream in (1, 2):
        os.dup2(output, stream)
    sys.stdout, sys.stderr = (os.fdopen(one, "w", closefd=False) for one in (1, 2))
    sys.argv = ["dynid", *map(str, arguments)]
    code: object = 1
    # a limit on files would truncate bytecode, which Python would find later
    sys.dont_write_bytecode = True
    try:
        before()
        cli.main()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else 1
