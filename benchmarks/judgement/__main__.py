"""Does the diagnosis name the right cause? Random robots with known faults, and none.

    python -m benchmarks.judgement --cases 1000 --seed 0 --jobs 2 [--real FOLDER] [--kind NAME]
        [--unlisted] [--json FILE] [--only SEED]
    python -m benchmarks.judgement --join FILE ...

A run can be made in pieces with different seeds, each with a file, and joined into one table. A
case is wholly determined by its seed. A fault is kept only if a model of its recordings is
clearly worse on another motion and the recordings contradict every model (by plain least squares,
not by dynid); the others are counted as dropped. Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import count, islice
from pathlib import Path

from .cases import FIRST_UNLISTED, kinds_of
from .kinds import CLEAN, KINDS, LISTED, UNLISTED
from .real import RealTrial, judge_real, real_seed, real_trials
from .tables import drops, goals, table
from .trials import PAIR, JudgedOutcome, judge_seed

_SEEDS = 1_000_000  # of cases for each seed of a run
_BATCH = 8  # cases that are given to processes at a time


def main() -> int:
    """Judge cases and print the tables."""
    options = _options()
    if options.join:
        return _joined(options.join)
    if options.only is not None:
        print(json.dumps([asdict(outcome) for outcome in _repeated(options)], indent=1))
        return 0
    first = FIRST_UNLISTED if options.unlisted else 0
    outcomes = _judged(options, case_seeds(options.seed, options.kind, first))
    if options.real is not None:
        for outcome in _mapped(options.jobs)(judge_real, _real_trials(options)):
            outcomes.append(outcome)
            _write(options.json, outcomes)
    return _reported(outcomes)


def _joined(paths: Sequence[Path]) -> int:
    """Print the tables of the outcomes in several files."""
    entries = [entry for path in paths for entry in json.loads(path.read_text("utf-8"))]
    return _reported([JudgedOutcome(**entry) for entry in entries])


def _reported(outcomes: Sequence[JudgedOutcome]) -> int:
    """Print a table of simulated and one of real robots; return 1 if the former miss a goal."""
    met = True
    for real, title in ((False, "simulated robots"), (True, "real recordings")):
        here = [outcome for outcome in outcomes if outcome.real == real]
        if here:
            print("\n".join([title, table(here), "", goals(here)[0], drops(here), ""]))
            met = met and (real or goals(here)[1])
    return 0 if met else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.judgement",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cases", type=int, default=1000, help="that are kept")
    parser.add_argument("--seed", type=int, default=0, help="of the run")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--real", type=Path, help="folder of recordings of real robots")
    parser.add_argument("--kind", choices=(*KINDS, PAIR, CLEAN), help="only that fault")
    parser.add_argument("--unlisted", action="store_true", help="faults that no row was made for")
    parser.add_argument("--json", type=Path, help="file for every case")
    parser.add_argument("--join", type=Path, nargs="+", help="files of runs to print together")
    parser.add_argument("--only", type=int, metavar="SEED", help="of the one case to repeat")
    return parser.parse_args()


def _repeated(options: argparse.Namespace) -> list[JudgedOutcome]:
    """Judge one case again: one of a real recording where there is a folder of these."""
    if options.real is None:
        return [judge_seed(options.only)]
    trials = _real_trials(options)
    return [judge_real(trial) for trial in trials if real_seed(trial) == options.only]


def _real_trials(options: argparse.Namespace) -> list[RealTrial]:
    kinds = UNLISTED if options.unlisted else LISTED
    return real_trials(options.real, options.seed, options.kind, kinds)


def case_seeds(seed: int, kind: str | None, first: int = 0) -> Iterator[int]:
    """Yield the seeds of cases of a run, without end."""
    for case in count(first + seed * _SEEDS):
        names = kinds_of(case)
        row = PAIR if len(names) > 1 else names[0] if names else CLEAN
        if kind in (None, row):
            yield case


def _judged(options: argparse.Namespace, seeds: Iterator[int]) -> list[JudgedOutcome]:
    """Judge cases until enough are kept."""
    outcomes: list[JudgedOutcome] = []
    mapped, missing = _mapped(options.jobs), options.cases
    while missing > 0:
        for outcome in mapped(judge_seed, list(islice(seeds, min(missing, _BATCH)))):
            outcomes.append(outcome)
            missing -= not outcome.dropped
        _write(options.json, outcomes)  # a run that is stopped leaves what it has done
        print(f"{options.cases - missing} of {options.cases}", file=sys.stderr, flush=True)
    return outcomes


def _write(path: Path | None, outcomes: list[JudgedOutcome]) -> None:
    if path is not None:
        path.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1), "utf-8")


def _mapped(jobs: int) -> Callable[..., Iterator[JudgedOutcome]]:
    """Return ``map``, or the same on several processes, with results in order."""
    if jobs == 1:
        return map
    # a fork would take threads of numerical libraries along
    return multiprocessing.get_context("spawn").Pool(jobs).imap


if __name__ == "__main__":
    sys.exit(main())
