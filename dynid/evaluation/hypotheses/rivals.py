"""Rivals of a chosen cause: what the torque's measurement may be instead of a wrong number.

A factor, a delay or friction explains a part of what a sensor does that is not linear, has a
low-pass, or measures another joint too. Each is refitted, and takes the place of the chosen cause
only where it explains surely more on data left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dynid.evaluation.hypotheses.followed import followed
from dynid.evaluation.hypotheses.relations import Relation
from dynid.evaluation.hypotheses.trial import RefitOutcome, Trial
from dynid.evaluation.hypotheses.tried import TriedCause


def rivals(trial: Trial, now: RefitOutcome, chosen: TriedCause) -> Iterator[TriedCause]:
    """Yield relations between measured and true torque that may be true instead of a cause.

    Args:
        trial: the data.
        now: the outcome without the chosen cause.
        chosen: the cause.
    """
    if chosen.kind == "sign":  # which is one of two; what else a sensor does is another cause
        return
    state, joints, recordings = now.state, chosen.joints, chosen.recordings

    def tried(kind: str, joints: tuple[int, ...], outcome: RefitOutcome) -> TriedCause:
        return TriedCause(kind, joints, trial.judged(outcome), recordings)

    if recordings:
        own = state.related(Relation("robot", (), recordings[:1]))
        yield tried("robot", (), trial.outcome(own))
        return
    errors = np.nan_to_num(now.refit.held_out)
    late = bool(np.any(chosen.outcome.state.delay > state.delay))
    if late:
        slow = state.related(Relation("filter", joints))
        second = chosen.outcome.state.related(Relation("second", joints))
        yield tried("filter", joints, trial.outcome(slow))
        yield tried("second", joints, followed(trial, second, "delay", joints)[0])
    if len(joints) == len(errors) > 1:
        return  # the sensor of one joint does not do what is seen at all
    for joint in joints or (int(np.argmax(errors)),):
        scaled = replace(now.state, factor=chosen.outcome.state.factor)
        bent = scaled.related(Relation("shape", (joint,)))
        yield tried("shape", (joint,), followed(trial, bent, "factor", (joint,))[0])
        if not late:
            slow = state.related(Relation("filter", (joint,)))
            yield tried("filter", (joint,), trial.outcome(slow))
        loop = state.related(Relation("hysteresis", (joint,)))
        yield tried("hysteresis", (joint,), trial.outcome(loop))
        others = [other for other in range(len(errors)) if other != joint]
        pairs = {o: state.related(Relation("crosstalk", (joint, o))) for o in others}
        if pairs:
            best = min(others, key=lambda other: trial.coarse.outcome(pairs[other]).cost)
            yield tried("crosstalk", (joint, best), trial.outcome(pairs[best]))
