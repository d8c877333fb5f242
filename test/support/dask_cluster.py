"""A scheduler and workers of Dask, each a group of processes as its own command starts it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

from support.deadlines import LONGEST

_QUIET = {
    "DASK_DISTRIBUTED__WORKER__DAEMON": "False",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


class DaskCluster:
    """Commands ``dask scheduler`` and ``dask worker``, which a test kills with all they started."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[subprocess.Popen[str]] = []
        self._scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-jupyter"
        )
        self.address = _awaited(self._scheduler, r"Scheduler at:\s+(tcp://\S+)")
        self._workers: list[subprocess.Popen[str]] = []

    def add_worker(self) -> None:
        """Start a worker, and wait until it is known."""
        worker = self._start(
            *("worker", self.address, "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"),
            *("--local-directory", str(self._folder)),
        )
        _awaited(worker, r"(Registered to:\s+tcp)")
        self._workers.append(worker)

    def kill_worker(self) -> None:
        """Kill the oldest worker with its nanny, as a machine that loses power."""
        _kill(self._workers.pop(0))

    def kill_scheduler(self) -> None:
        """Kill the scheduler."""
        _kill(self._scheduler)

    def close(self) -> None:
        """Kill everything that still runs."""
        for process in self._running:
            _kill(process)

    def _start(self, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **_QUIET},
            start_new_session=True,
        )
        self._running.append(process)
        return process


def _awaited(process: subprocess.Popen[str], expected: str) -> str:
    """Return what a line of a process says, and go on reading so that it never waits for us."""
    found: list[str] = []
    seen = threading.Event()

    def read() -> None:
        assert process.stderr is not None
        with process.stderr as lines:
            for line in lines:
                match = re.search(expected, line)
                if match and not found:
                    found.append(match[1])
                    seen.set()
        seen.set()

    threading.Thread(target=read, daemon=True).start()
    assert seen.wait(LONGEST), f"waited for '{expected}'"
    assert found, f"ended with {process.wait(LONGEST)} before '{expected}'"
    return found[0]


def _kill(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(LONGEST)
