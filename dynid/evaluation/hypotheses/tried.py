"""Causes that were tried: how much each explains, and whether it is surely better than another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.hypotheses.kinds import KINDS
from dynid.evaluation.hypotheses.trial import DOUBTED, FLOOR, RefitOutcome, advantage

MATTERS = 0.3
"""Fall of the cost below which a cause is not worth naming: squared errors fall by a quarter, all
joints together."""
DECIDES = 0.15
"""Difference in cost between two causes below which either may be true. Changes that cannot be seen
at all differ by up to 0.05."""
# Student's t over blocks: about a hundred causes are tried, so that one in a thousand is little
_SURE_ADVANTAGE = 7.0
_SURE_OF_FEW = 5.0
"""The same of causes of which few are tried: those of single joints with large errors, and a delay
or clock of all joints."""
_BETTER_ADVANTAGE = 3.0
HALF = 0.5
"""Of the error of a joint: what a contact or a recording has to explain at least."""
INCONSISTENT = 2.0
"""Fall of the penalty of physical consistency that no accident causes."""


@dataclass(frozen=True, eq=False)
class TriedCause:
    """A cause that was tried.

    Attributes:
        kind: what is changed, a key of ``KINDS``.
        joints: those concerned; () for the whole robot.
        outcome: of the refit.
        recordings: the recordings concerned; (): all.
        deviation: standard deviation of a continuous cause's number; NaN: unknown.
        alike: kinds of low-passes that explain about the same as a delay or low-pass does.
    """

    kind: str
    joints: tuple[int, ...]
    outcome: RefitOutcome
    recordings: tuple[int, ...] = ()
    deviation: float = float("nan")
    alike: tuple[str, ...] = ()

    @property
    def cause(self) -> str:
        """Its key."""
        return KINDS[self.kind].cause_in(self.recordings)


def matters(now: RefitOutcome, candidate: TriedCause) -> bool:
    """Whether a cause explains much, and fits not worse for the sake of possible parameters."""
    outcome = candidate.outcome
    signs = len(candidate.joints) if candidate.kind == "sign" else 1  # each is a choice of its own
    return now.total - outcome.total > MATTERS and outcome.cost < now.cost + DECIDES * signs


def is_seen(now: RefitOutcome, candidate: TriedCause) -> bool:
    """Whether a cause explains so much, in most blocks of time, that it is no accident."""
    outcome = candidate.outcome
    if not matters(now, candidate):
        return False
    if candidate.kind == "contact":  # in a few blocks by its nature
        return _halves(outcome.refit.seen, now.refit.seen, FLOOR)
    by_penalty = (now.penalty or 0.0) - (outcome.penalty or 0.0)
    everywhere = len(candidate.joints) == len(now.refit.seen)
    few = KINDS[candidate.kind].few or (candidate.kind in ("delay", "clock") and everywhere)
    sure = _SURE_OF_FEW if few else _SURE_ADVANTAGE
    if advantage(outcome, now) > sure or by_penalty > INCONSISTENT:
        return True
    if not candidate.recordings:
        return False
    # blocks of others are as good
    return _halves(outcome.refit.held_out, now.refit.held_out, DOUBTED)


def _halves(errors: Array, before: Array, least: float) -> bool:
    """Whether less than half of the error of a joint is left, where it was more than ``least``."""
    return bool(np.any((errors < HALF * before) & (before > least)))


def is_better(chosen: TriedCause, other: TriedCause) -> bool:
    """Whether another cause is surely worse than the chosen one."""
    fall = other.outcome.total - chosen.outcome.total
    if "contact" in (chosen.kind, other.kind):
        return fall > MATTERS
    by_penalty = (other.outcome.penalty or 0.0) - (chosen.outcome.penalty or 0.0)
    return fall > DECIDES and (
        advantage(chosen.outcome, other.outcome) > _BETTER_ADVANTAGE or by_penalty > INCONSISTENT
    )


def is_same(first: TriedCause, other: TriedCause, recordings: int) -> bool:
    """Whether two candidates say the same: of two recordings, that one differs from the other."""
    kinds = {"sign": "factor", "flip": "factor", "drift": "friction"}
    alike = (first.joints, kinds.get(first.kind, first.kind)) == (
        other.joints,
        kinds.get(other.kind, other.kind),
    )
    alike &= first.outcome.state.backwards == other.outcome.state.backwards
    of_any = recordings <= 2 or "drift" in (first.kind, other.kind)
    return alike and (of_any or first.recordings == other.recordings)
