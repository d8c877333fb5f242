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
from dynid.evaluation.hypotheses.measured import Measured
from dynid.evaluation.hypotheses.state import Hypothesis
from dynid.evaluation.hypotheses.trial import RefitOutcome, Trial

CAUSES = {
    "shape": "nonlinear_torque",
    "filter": "time_shift",
    "crosstalk": "torque_crosstalk",
    "robot": "recordings_differ",
}
"""Keys of the causes by kinds of a relation."""


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
    if recordings:
        state = _with(now.state, Measured("robot", recordings[0]))
        yield Rival("robot", (), recordings, trial.outcome(state))
        return
    errors = np.nan_to_num(now.refit.held_out)
    if len(joints) == len(errors) > 1:
        return  # the sensor of one joint does not do what is seen at all
    for joint in joints or (int(np.argmax(errors)),):
        scaled = replace(now.state, factor=chosen.state.factor)
        bent, late = (
            _with(scaled, Measured("shape", joint)),
            _with(now.state, Measured("filter", joint)),
        )
        yield Rival("shape", (joint,), (), followed(trial, bent, "factor", (joint,))[0])
        yield Rival("filter", (joint,), (), followed(trial, late, "delay", (joint,))[0])
        others = [other for other in range(len(errors)) if other != joint]
        pairs = {other: _with(now.state, Measured("crosstalk", joint, other)) for other in others}
        if pairs:
            best = min(others, key=lambda other: trial.coarse.outcome(pairs[other]).cost)
            yield Rival("crosstalk", (joint, best), (), trial.outcome(pairs[best]))


def _with(state: Hypothesis, measured: Measured) -> Hypothesis:
    return replace(state, measured=(*state.measured, measured))
