"""The table of a run, its goals, and whether these are met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from .kinds import CLEAN, KINDS
from .trials import PAIR, JudgedOutcome

_MOST_WRONG, _MOST_SILENT, _LEAST_RIGHT, _MOST_CALLED_FAULTY = 0.01, 0.02, 0.90, 0.01
_NAME = 31  # columns of the first one
_COUNTS: dict[str, Callable[[JudgedOutcome], bool]] = {
    "first": lambda outcome: outcome.judgement == "right",
    "listed": lambda outcome: outcome.listed,
    "hedged": lambda outcome: outcome.hedged,
    "wrong": lambda outcome: outcome.judgement in {"wrong", "called faulty"},
    "unexpl.": lambda outcome: outcome.judgement == "unexplained",
    "no cause": lambda outcome: outcome.judgement == "no cause",
    "silent": lambda outcome: outcome.judgement in {"silent", "quiet"},
    "refused": lambda outcome: outcome.judgement == "refused",
}


def table(outcomes: Sequence[JudgedOutcome]) -> str:
    """Return a row for each kind of fault, pairs and clean cases, and one for all faults.

    In the row of clean cases ``wrong`` are those that are called faulty, and ``silent`` the others.
    """
    kept = [outcome for outcome in outcomes if not outcome.dropped]
    heads = "".join(f"{name:>9}" for name in ("cases", *_COUNTS, "dropped"))
    lines = [f"{'fault':<{_NAME}}{heads}  wrong causes"]
    for name in (*KINDS, PAIR, CLEAN):
        here = [outcome for outcome in kept if outcome.kind == name]
        away = sum(outcome.kind == name for outcome in outcomes) - len(here)
        if here or away:
            lines.append(_row(name, here, away))
    faulty = [outcome for outcome in kept if not _is_clean(outcome)]
    lines.append(_row("all faults", faulty, len(outcomes) - len(kept)))
    return "\n".join(lines)


def _is_clean(outcome: JudgedOutcome) -> bool:
    kind = KINDS.get(outcome.kind)
    return outcome.kind == CLEAN or (kind is not None and kind.seen == "nowhere")


def _row(name: str, here: Sequence[JudgedOutcome], dropped: int) -> str:
    counts = [sum(map(count, here)) for count in _COUNTS.values()]
    cells = "".join(f"{number:>9}" for number in (len(here), *counts, dropped))
    wrong = Counter(outcome.first for outcome in here if _COUNTS["wrong"](outcome)).most_common(4)
    return f"{name:<{_NAME}}{cells}  {', '.join(f'{cause} {count}' for cause, count in wrong)}"


def goals(outcomes: Sequence[JudgedOutcome]) -> tuple[str, bool]:
    """Return a line for each goal, and whether all are met; those without a case are."""
    kept = [outcome for outcome in outcomes if not outcome.dropped]
    faulty = [outcome for outcome in kept if not _is_clean(outcome)]
    clean = [outcome for outcome in kept if _is_clean(outcome)]
    rows = (
        ("right cause first", _share(faulty, "first"), ">=", _LEAST_RIGHT),
        ("wrong cause asserted", _share(faulty, "wrong"), "<=", _MOST_WRONG),
        ("silent", _share(faulty, "silent"), "<=", _MOST_SILENT),
        ("clean called faulty", _share(clean, "wrong"), "<=", _MOST_CALLED_FAULTY),
    )
    lines, met = [], True
    for name, share, relation, goal in rows:
        if share is None:
            continue
        good = share >= goal if relation == ">=" else share <= goal
        met = met and good
        verdict = "met" if good else "MISSED"
        lines.append(f"{name:<22}{share:>7.1%}   goal {relation} {goal:.0%}   {verdict}")
    return "\n".join(lines), met


def _share(outcomes: Sequence[JudgedOutcome], name: str) -> float | None:
    if not outcomes:
        return None
    return sum(map(_COUNTS[name], outcomes)) / len(outcomes)


def drops(outcomes: Sequence[JudgedOutcome]) -> str:
    """Return how many cases were no test, and why; and how long a case takes."""
    reasons = Counter(outcome.dropped for outcome in outcomes if outcome.dropped)
    named = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items())) or "none"
    kept = [outcome for outcome in outcomes if not outcome.dropped]
    if not kept:
        return f"dropped: {named}"
    each = sum(outcome.seconds for outcome in kept) / len(kept)
    making = sum(outcome.making for outcome in outcomes) / len(outcomes)
    longest = max(kept, key=lambda outcome: outcome.seconds)
    return (
        f"dropped: {named}\nCPU seconds per case: {each:.2f} of dynid (at most "
        f"{longest.seconds:.1f}, seed {longest.seed}), {making:.2f} to make it"
    )
