"""``make mutants AREA=signals COUNT=100 SEED=1``: sampled mistakes against an area's own tests."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from mutation import cpp_trials, python_trials
from mutation.own_tests import RESULTS, ROOT
from mutation.trial import Mutant, Outcome

PYTHON_AREAS = ("playback", "signals", "evaluation", "estimation")
CPP_AREA = "cpp/core"
WANTED = 0.9


def main() -> None:
    """Try the mutants of each area; exits with 1 if fewer than WANTED were detected."""
    options = _options()
    areas = options.area or [*PYTHON_AREAS, CPP_AREA]
    rates = [_try_area(area, options) for area in areas]
    sys.exit(0 if min(rates) >= WANTED else 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--area", action="append", choices=[*PYTHON_AREAS, CPP_AREA])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--again", action="store_true", help="only those that survived the last run of this seed"
    )
    return parser.parse_args()


def _try_area(area: str, options: argparse.Namespace) -> float:
    survivors = RESULTS / f"{area.replace('/', '-')}-{options.seed}.survivors.json"
    print(f"\n{area}, seed {options.seed}", flush=True)
    outcomes = []
    survived = []
    for mutant, outcome in _trials(area, options, survivors):
        outcomes.append(outcome)
        print(f"{len(outcomes):4} {outcome.word:9} {mutant}", flush=True)
        if outcome.by:
            print(f"               by {outcome.by}", flush=True)
        if outcome.word == "survived":
            survived.append(mutant)
    survivors.parent.mkdir(parents=True, exist_ok=True)
    survivors.write_text(json.dumps([str(one) for one in survived], indent=1))
    return _report(area, outcomes, survived)


def _trials(area: str, options: argparse.Namespace, survivors: Path):
    only = set(json.loads(survivors.read_text())) if options.again else None
    if area == CPP_AREA:
        return cpp_trials.run(options.count, options.seed, options.jobs, only)
    sources = sorted((ROOT / "dynid" / area).rglob("*.py"))
    if only is None:
        mutants = python_trials.sample(sources, options.count, options.seed)
    else:
        mutants = python_trials.named(sources, only)
    return python_trials.run(sources, ROOT / "test/unit" / area, mutants, options.jobs)


def _report(area: str, outcomes: list[Outcome], survived: list[Mutant]) -> float:
    count = Counter(one.word for one in outcomes)
    noticed = count["killed"] + count["timed out"]
    tried = noticed + count["survived"]
    print(f"\n{area}: {tried} sampled, {count['killed']} killed, {count['timed out']} timed out,")
    print(f"{count['survived']} survived: {noticed / max(tried, 1):.0%} noticed")
    for mutant in survived:
        print(f"  {mutant}")
    return noticed / tried if tried else 1.0


main()
