"""Cases in a child process: memory and time are limited, and its death is handled."""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import resource
import shutil
import signal
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.case import Outcome, Seeds, case, collect, run

MEMORY = 2 * 2**30
"""Address space that a process may use beyond that at its start [bytes]."""

CPU_SECONDS = 20
"""Processor time of a case: a hundred times that of the slowest good file."""

BLOCKED_SECONDS = 600
"""Real time of a case, which ends one that waits without an end."""

_PLACE = struct.Struct("qqq")


@dataclass
class Tally:
    """Outcomes of the cases of a reader.

    Attributes:
        counts: by kind of outcome.
        faults: number of the first case by signature, and how many there were.
        seconds: longest case [s of the processor], and its number.
        memory: largest growth of the resident size of a process [bytes].
    """

    counts: Counter[str] = field(default_factory=Counter)
    faults: dict[str, tuple[int, int]] = field(default_factory=dict)
    seconds: tuple[float, int] = (0.0, 0)
    memory: int = 0

    def add(self, number: int, outcome: Outcome) -> None:
        self.counts[outcome.kind] += 1
        self.seconds = max(self.seconds, (outcome.seconds, number))
        if outcome.kind == "fault":
            first, count = self.faults.get(outcome.signature, (number, 0))
            self.faults[outcome.signature] = (min(first, number), count + 1)

    def merge(self, other: Tally) -> None:
        self.counts += other.counts
        self.seconds = max(self.seconds, other.seconds)
        self.memory = max(self.memory, other.memory)
        for signature, (number, count) in other.faults.items():
            first, known = self.faults.get(signature, (number, 0))
            self.faults[signature] = (min(first, number), known + count)

    def as_json(self) -> str:
        return json.dumps([dict(self.counts), self.faults, self.seconds, self.memory])

    @classmethod
    def from_json(cls, text: str) -> Tally:
        counts, faults, seconds, memory = json.loads(text)
        found = {signature: (one[0], one[1]) for signature, one in faults.items()}
        return cls(Counter(counts), found, (seconds[0], seconds[1]), memory)


def run_batch(
    target: str,
    seed: int,
    first: int,
    count: int,
    folder: Path,
    cpu_seconds: float = CPU_SECONDS,
) -> Tally:
    """Run cases ``first`` … ``first + count - 1``, each once, even if the process dies.

    Args:
        target: name of the reader.
        seed: of the cases.
        first: number of the first case.
        count: of cases.
        folder: of the corpus.
        cpu_seconds: processor time of a case after which it is a fault.
    """
    seeds = Seeds.of(folder, target)

    def make(number: int) -> tuple[str, bytes]:
        return case(seeds, target, seed, number)

    return run_cases(target, range(first, first + count), make, folder, cpu_seconds)


def run_cases(
    target: str,
    numbers: range,
    make: Callable[[int], tuple[str, bytes]],
    folder: Path,
    cpu_seconds: float = CPU_SECONDS,
) -> Tally:
    """Run cases in child processes: after one has died, the next goes on behind its last case."""
    tally, at = Tally(), numbers.start
    # shared with the children: number of the case at hand; how many were refused and accepted
    with mmap.mmap(-1, _PLACE.size) as place, tempfile.TemporaryDirectory() as work:
        while at < numbers.stop:
            report = Path(work) / "report"
            report.unlink(missing_ok=True)
            child = os.fork()
            if child == 0:
                _child(target, range(at, numbers.stop), make, folder, place, report, cpu_seconds)
            _, status, used = os.wait4(child, 0)
            died, refused, accepted = _PLACE.unpack(place[:])
            partial = Tally.from_json(report.read_text()) if report.exists() else Tally()
            partial.counts.update(
                refused=refused - partial.counts["refused"],
                accepted=accepted - partial.counts["accepted"],
            )
            tally.merge(partial)
            if not os.WIFSIGNALED(status):
                return tally
            number = os.WTERMSIG(status)
            late = number in (signal.SIGPROF, signal.SIGALRM)
            name = "time" if late else f"signal {signal.Signals(number).name}"
            tally.add(died, Outcome("fault", name, used.ru_utime))
            at = died + 1
    return tally


def _child(
    target: str,
    numbers: range,
    make: Callable[[int], tuple[str, bytes]],
    folder: Path,
    place: mmap.mmap,
    report: Path,
    cpu_seconds: float,
) -> None:
    """Run cases and leave; never returns."""
    code = 1
    work = report.with_name("work")
    try:
        faulthandler.disable()  # the parent reports which case it was
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
        for alarm in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(alarm, signal.SIG_DFL)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        tally = Tally()
        for number in numbers:
            place[:] = _PLACE.pack(number, tally.counts["refused"], tally.counts["accepted"])
            name, content = make(number)
            work.mkdir(exist_ok=True)
            file = work / name
            file.write_bytes(content)
            signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
            signal.setitimer(signal.ITIMER_REAL, BLOCKED_SECONDS)
            outcome = run(target, file, folder)
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            tally.add(number, outcome)
            if outcome.kind == "fault":
                collect()
                _write(report, tally, before)
        place[:] = _PLACE.pack(numbers.stop, tally.counts["refused"], tally.counts["accepted"])
        _write(report, tally, before)
        code = 0
    except BaseException as error:
        sys.stderr.write(f"{target}: the harness failed: {error!r}\n")
    finally:
        shutil.rmtree(work, ignore_errors=True)
        os._exit(code)


def _write(report: Path, tally: Tally, before: int) -> None:
    tally.memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    unfinished = report.with_suffix(".new")
    unfinished.write_text(tally.as_json())
    unfinished.replace(report)
