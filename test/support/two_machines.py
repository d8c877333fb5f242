"""Two machines joined by a network: network namespaces, each with a shared memory of its own."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.deadlines import LONGEST

HERE, THERE = "192.0.2.1", "192.0.2.2"
"""Addresses of the two machines, from the range for documentation (RFC 5737)."""

_MACHINE = "mount -t tmpfs tmpfs /dev/shm && ip link set lo up && echo ready && exec cat"
_WIRE = (
    "ip link add wire type veth peer name wire netns {there}",
    f"ip addr add {HERE}/24 dev wire",
    "ip link set wire up",
)


class Program:
    """A process on one of the machines; its output is a file.

    Args:
        process: that runs.
        output: file of its standard output and error.
    """

    def __init__(self, process: subprocess.Popen[bytes], output: Path) -> None:
        self._process, self._output = process, output

    @property
    def lines(self) -> list[str]:
        """What it has printed."""
        return self._output.read_text().splitlines()

    def prints(self, line: str, timeout: float) -> bool:
        """Wait until it has printed a line; return whether it has in this time [s]."""
        deadline = time.monotonic() + timeout
        while line not in self.lines and time.monotonic() < deadline:
            time.sleep(0.05)
        return line in self.lines

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def until(self, line: str) -> None:
        """Wait until it has printed a line."""
        deadline = time.monotonic() + LONGEST
        while line not in self.lines:
            assert self._process.poll() is None, f"ended: {self.lines}"
            assert time.monotonic() < deadline, f"no '{line}' in {self.lines}"
            time.sleep(0.05)


class TwoMachines:
    """Used in a ``with`` block, at whose end the machines and their programs are gone.

    Args:
        folder: for the output of programs.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stack = ExitStack()

    def __enter__(self) -> TwoMachines:
        try:
            self._here = self._machine(["unshare", "--user", "--map-root-user", "--net", "--mount"])
            inside = [*self._entering(self._here), "unshare", "--net", "--mount"]
            self._there = self._machine(inside)
            for command in _WIRE:
                self._run(self._here, command.format(there=self._there))
            self._run(self._there, f"ip addr add {THERE}/24 dev wire")
            self._run(self._there, "ip link set wire up")
        except (OSError, subprocess.CalledProcessError) as problem:
            self._stack.close()
            pytest.skip(f"no network namespaces here: {problem}")
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def here(self, *command: str, **environment: str) -> Program:
        """Start a program on the first machine."""
        return self._start(self._here, command, environment)

    def there(self, *command: str, **environment: str) -> Program:
        """Start a program on the second machine."""
        return self._start(self._there, command, environment)

    def _start(self, machine: int, command: tuple[str, ...], changed: dict[str, str]) -> Program:
        output = self._folder / f"output-{len(list(self._folder.glob('output-*')))}"
        with output.open("wb") as file:
            process = subprocess.Popen(
                [*self._entering(machine), *command],
                env=os.environ | changed,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return Program(process, output)

    def _machine(self, command: list[str]) -> int:
        """Return the process of a new machine, which ends when its input is closed."""
        pipes = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
        process = subprocess.Popen([*command, "sh", "-c", _MACHINE], **pipes)
        self._stack.enter_context(process)
        if process.stdout.readline() != b"ready\n":
            raise subprocess.CalledProcessError(process.wait(), command)
        return process.pid

    def _entering(self, machine: int) -> list[str]:
        spaces = ["--user", "--net", "--mount", "--preserve-credentials", f"--wd={Path.cwd()}"]
        return ["nsenter", "--target", str(machine), *spaces]

    def _run(self, machine: int, command: str) -> None:
        subprocess.run([*self._entering(machine), *command.split()], check=True)
