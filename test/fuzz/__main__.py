"""``python -m fuzz``: cases for a time, or a fixed number; prints a table of the outcomes."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: processes are forked

import argparse
import json
import math
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.spatial.transform  # noqa: F401

from fuzz.batch import CPU_SECONDS, Tally, run_batch
from fuzz.case import Seeds, case
from fuzz.corpus import make_corpus
from fuzz.targets import TARGETS

_PIECE = 0.25  # of a target's cases in the tests that a batch has


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        _forked(lambda: make_corpus(folder / "corpus"))
        begun = time.monotonic()
        jobs = [_begin(options, folder, job) for job in range(options.jobs)]
        for stop in (signal.SIGINT, signal.SIGTERM):
            signal.signal(stop, lambda *_: _end(jobs))
        for child in jobs:
            os.waitpid(child, 0)
        tallies = {name: Tally() for name in options.targets}
        for file in folder.glob("job-*"):
            for name, text in json.loads(file.read_text()).items():
                tallies[name].merge(Tally.from_json(text))
        _print(tallies, time.monotonic() - begun)
        return _save(tallies, options, folder / "corpus")


def _begin(options: argparse.Namespace, folder: Path, job: int) -> int:
    """Start a new process, because one with threads must not be forked; return its id."""
    child = os.fork()
    if child:
        return child
    stopped = []
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, lambda *_: stopped.append(True))
    code = 1
    try:
        tallies = _rounds(options, folder / "corpus", job, stopped)
        texts = {name: tally.as_json() for name, tally in tallies.items()}
        (folder / f"job-{job}").write_text(json.dumps(texts))
        code = 0
    except Exception as error:
        sys.stderr.write(f"the harness failed: {error!r}\n")
    finally:
        os._exit(code)


def _end(jobs: list[int]) -> None:
    """Let every process finish its batch, and collect the results."""
    for child in jobs:
        os.kill(child, signal.SIGTERM)


def _rounds(
    options: argparse.Namespace, folder: Path, job: int, stopped: list[bool]
) -> dict[str, Tally]:
    """Run all readers in turn until the time is over, or for a given number of cases."""
    tallies = {name: Tally() for name in options.targets}
    end = time.monotonic() + options.seconds if options.seconds else math.inf
    share = _PIECE if options.seconds else options.times
    first = dict.fromkeys(tallies, options.first + job * 10**9)
    while not stopped:
        for name, tally in tallies.items():
            count = max(1, round(share * TARGETS[name].cases))
            tally.merge(
                run_batch(name, options.seed, first[name], count, folder, options.cpu_seconds)
            )
            first[name] += count
            if stopped or time.monotonic() > end:
                return tallies
        if not options.seconds:
            return tallies
    return tallies


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=0, help="run this long")
    parser.add_argument(
        "--times", type=float, default=1, help="or this many times the tests' cases"
    )
    parser.add_argument("--seed", type=int, default=1, help="another seed, other cases")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
    parser.add_argument(
        "--cpu-seconds", type=float, default=CPU_SECONDS, help="a case that takes longer is a fault"
    )
    parser.add_argument("--save", type=Path, default=Path("build/fuzz"), help="folder for faults")
    parser.add_argument("targets", nargs="*", default=[], help=", ".join(TARGETS))
    options = parser.parse_args(arguments)
    unknown = set(options.targets) - set(TARGETS)
    if unknown:
        parser.error(f"no reader is called {', '.join(sorted(unknown))}")
    options.targets = options.targets or list(TARGETS)
    return options


def _forked(work: Callable[[], None]) -> None:
    """Do something in a new process, whose threads and memory end with it."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(code)
    if os.waitpid(child, 0)[1]:
        raise SystemExit("The corpus could not be made.")


def _print(tallies: dict[str, Tally], seconds: float) -> None:
    row = "{:<12}{:>10}{:>10}{:>10}{:>8}{:>12}{:>12}\n"
    write = sys.stdout.write
    write(row.format("reader", "cases", "refused", "accepted", "faults", "longest s", "memory MB"))
    total = Tally()
    for name, tally in [*tallies.items(), ("together", total)]:
        counts = tally.counts
        write(
            row.format(
                name,
                counts.total(),
                counts["refused"],
                counts["accepted"],
                counts["fault"],
                f"{tally.seconds[0]:.2f}",
                f"{tally.memory / 1e6:.0f}",
            )
        )
        total.merge(Tally(tally.counts, {}, tally.seconds, tally.memory))
    write(f"in {seconds:.0f} s\n")


def _save(tallies: dict[str, Tally], options: argparse.Namespace, folder: Path) -> int:
    """Write the first case of each fault to a file; return how many faults there are."""
    found = 0
    for name, tally in tallies.items():
        seeds = Seeds.of(folder, name)
        for signature, (number, count) in tally.faults.items():
            found += 1
            file, content = case(seeds, name, options.seed, number)
            options.save.mkdir(parents=True, exist_ok=True)
            path = options.save / f"{name}-{options.seed}-{number}-{file}"
            path.write_bytes(content)
            sys.stdout.write(f"{name}: {signature}, {count} times, first in {path}\n")
    return min(found, 1)


if __name__ == "__main__":
    raise SystemExit(main())
