"""Rivals of a chosen cause: what the torque's measurement may be instead of a wrong number.

A factor, a delay or friction explains a part of what a sensor does that is not linear, has a
low-pass, or measures another joint too. Each is refitted, and takes the place of the chosen cause
only where it explains surely more on data left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dynid.evaluation.hypotheses.followed import followed
from dynid.evaluation.hypotheses.relations import Relation
from dynid.evaluation.hypotheses.trial import RefitOutcome, Trial

CAUSES = {
    "shape": "nonlinear_torque",
    "hysteresis": "torque_hysteresis",
    "filter": "time_shift",
    "second": "time_shift",
    "crosstalk": "torque_crosstalk",
    "robot": "recordings_differ",
}
"""Keys of the causes by kinds of a relation."""

LOW_PASSES = ("filter", "second")
"""Kinds of low-passes of torque, the simplest first."""


class Rival(NamedTuple):
    """A relation that was tried.

    Attributes:
        kind: of the relation.
        joints, recordings: those concerned; () for all.
        outcome: of the refit.
    """

    kind: str
    joints: tuple[int, ...]
    recordings: tuple[int, ...]
    outcome: RefitOutcome


def rivals(
    trial: Trial,
    now: RefitOutcome,
    chosen: RefitOutcome,
    joints: tuple[int, ...],
    recordings: tuple[int, ...],
) -> Iterator[Rival]:
    """Yield relations between measured and true torque that may be true instead of a cause.

    Args:
        trial: the data.
        now: the outcome without the chosen cause.
        chosen: the outcome with it.
        joints: those that it concerns; (): the one with the largest error.
        recordings: those that it concerns; (): all.
    """
    state = now.state
    if recordings:
        own = state.related(Relation("robot", (), recordings[:1]))
        yield Rival("robot", (), recordings, trial.outcome(own))
        return
    errors = np.nan_to_num(now.refit.held_out)
    late = bool(np.any(chosen.state.delay > state.delay))
    if late:
        slow = now.state.related(Relation("filter", joints))
        second = chosen.state.related(Relation("second", joints))
        yield Rival("filter", joints, (), trial.outcome(slow))
        yield Rival("second", joints, (), followed(trial, second, "delay", joints)[0])
    if len(joints) == len(errors) > 1:
        return  # the sensor of one joint does not do what is seen at all
    for joint in joints or (int(np.argmax(errors)),):
        scaled = replace(now.state, factor=chosen.state.factor)
        bent = scaled.related(Relation("shape", (joint,)))
        yield Rival("shape", (joint,), (), followed(trial, bent, "factor", (joint,))[0])
        if not late:
            slow = now.state.related(Relation("filter", (joint,)))
            yield Rival("filter", (joint,), (), trial.outcome(slow))
        loop = now.state.related(Relation("hysteresis", (joint,)))
        yield Rival("hysteresis", (joint,), (), trial.outcome(loop))
        others = [other for other in range(len(errors)) if other != joint]
        pairs = {o: now.state.related(Relation("crosstalk", (joint, o))) for o in others}
        if pairs:
            best = min(others, key=lambda other: trial.coarse.outcome(pairs[other]).cost)
            yield Rival("crosstalk", (joint, best), (), trial.outcome(pairs[best]))
