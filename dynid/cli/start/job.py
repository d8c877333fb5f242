"""A command that runs as a child process, with what it prints and how far it is."""

from __future__ import annotations

import codecs
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from dynid.errors import ConfigurationError
from dynid.report.terminal.progress import PROGRESS_FILE

_LONGEST_OUTPUT = 200_000  # [characters] of which the last ones are kept
_ENDS_WITHIN = 15.0  # [s] for a command to end in order
_KILLED_WITHIN = 5.0  # [s] for one that is killed


class Job:
    """A command that runs; several threads may look at it.

    Args:
        words: command line; ``dynid`` is this installation's.

    Raises:
        ConfigurationError: there is no such program.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.command = shlex.join(words)
        self.begun = time.time()
        self.output = ""
        self._interrupted = False
        self._folder = Path(tempfile.mkdtemp(prefix="dynid_start_"))
        program = [sys.executable, "-m", "dynid"] if words[0] == "dynid" else [words[0]]
        environment = {key: text for key, text in os.environ.items() if key != "FORCE_COLOR"}
        environment |= {
            PROGRESS_FILE: str(self._folder / "progress.json"),
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "PYTHONUNBUFFERED": "1",
        }
        try:
            self._process = subprocess.Popen(
                [*program, *words[1:]],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,  # Ctrl-C ends the page, which then ends it in order
            )
        except OSError as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise ConfigurationError(f"{words[0]}: cannot be started ({error.strerror}).") from None
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def running(self) -> bool:
        """Whether it has not ended, or not all of its output was read."""
        return self._reader.is_alive()

    @property
    def code(self) -> int | None:
        """Exit code, negative after a signal; None while it runs."""
        return None if self.running else self._process.returncode

    @property
    def interrupted(self) -> bool:
        """Whether it was stopped by the user."""
        return self._interrupted

    def progress(self) -> dict[str, Any]:
        """Return ``share`` and ``text`` of its progress, if it has reported any."""
        with suppress(OSError, ValueError):
            state: dict[str, Any] = json.loads((self._folder / "progress.json").read_text("utf-8"))
            return state
        return {}

    def stop(self) -> None:
        """Interrupt it as Ctrl-C does in a terminal; the second time, kill it."""
        self._signal(signal.SIGKILL if self._interrupted else _interruption())
        self._interrupted = True

    def end(self) -> None:
        """Stop it and wait until it has ended; kill it if it does not."""
        if self.running:
            self._signal(_interruption())
            self._reader.join(_ENDS_WITHIN)
            self._signal(signal.SIGKILL)
            self._reader.join(_KILLED_WITHIN)

    def _signal(self, number: int) -> None:
        if self.running:  # the process itself may have ended before those that it has started
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        assert self._process.stdout is not None  # noqa: S101  a pipe
        with self._process.stdout as pipe:
            while data := pipe.read1(1 << 16):  # type: ignore[attr-defined]  # buffered
                self.output = (self.output + decoder.decode(data))[-_LONGEST_OUTPUT:]
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _interruption() -> int:
    """Return the signal that a child does not ignore: a shell's background job ignores Ctrl-C."""
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    return signal.SIGTERM if ignored else signal.SIGINT
