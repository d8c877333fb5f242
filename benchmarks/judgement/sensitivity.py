"""How many cases each constant of the search decides: those whose answer changes with it.

    python -m benchmarks.judgement.sensitivity --cases 24 --seed 0 [--share 0.25]

Each constant is made smaller and larger by a share, alone. A case changes if the cause that is said
first, or its judgement, is another one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from dynid.evaluation import settings
from dynid.evaluation.diagnosis import searched, tested, unexplained
from dynid.evaluation.hypotheses import change, contact, proposals, search, trial, tried

from .__main__ import case_seeds
from .trials import JudgedOutcome, judge_seed

CONSTANTS = (
    (tried, "MATTERS"),
    (tried, "DECIDES"),
    (tried, "_SURE_ADVANTAGE"),
    (tried, "_BETTER_ADVANTAGE"),
    (tried, "HALF"),
    (tried, "INCONSISTENT"),
    (contact, "_BEYOND"),
    (contact, "_LONGEST_SHARE"),
    (change, "_SHORTEST_PART"),
    (trial, "FLOOR"),
    (trial, "DOUBTED"),
    (trial, "POOR"),
    (settings, "LARGEST_UNEXPLAINED"),
)
"""Modules and names of the constants on which a cause may depend."""
_MODULES = (
    tried,
    search,
    proposals,
    contact,
    change,
    trial,
    settings,
    searched,
    tested,
    unexplained,
)


def main() -> int:
    """Print the share of cases that each constant decides."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judgement.sensitivity")
    parser.add_argument("--cases", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=0.25, help="by which constants change")
    options = parser.parse_args()
    usual = _kept(options.seed, options.cases)
    print(f"{len(usual)} cases; changed by -{options.share:.0%} and by +{options.share:.0%}")
    for module, name in CONSTANTS:
        changed = []
        for factor in (1 - options.share, 1 + options.share):
            with _multiplied(module, name, factor):
                answers = [_answer(judge_seed(outcome.seed)) for outcome in usual]
            changed.append(
                sum(a != _answer(b) for a, b in zip(answers, usual, strict=True)) / len(usual)
            )
        place = module.__name__.rpartition(".")[2]
        print(f"{place}.{name}: {changed[0]:.1%} {changed[1]:.1%}", flush=True)
    return 0


def _kept(seed: int, count: int) -> list[JudgedOutcome]:
    """Judge cases until enough are kept."""
    kept: list[JudgedOutcome] = []
    seeds = case_seeds(seed, None)
    while len(kept) < count:
        outcome = judge_seed(next(seeds))
        if not outcome.dropped:
            kept.append(outcome)
    return kept


def _answer(outcome: JudgedOutcome) -> tuple[object, ...]:
    return outcome.judgement, outcome.first


@contextmanager
def _multiplied(module: ModuleType, name: str, factor: float) -> Iterator[None]:
    """Multiply a constant in every module that has it."""
    value = getattr(module, name)
    having = [one for one in _MODULES if getattr(one, name, None) is value]
    for one in having:
        setattr(one, name, value * factor)
    try:
        yield
    finally:
        for one in having:
            setattr(one, name, value)


if __name__ == "__main__":
    sys.exit(main())
