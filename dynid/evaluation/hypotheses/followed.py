"""Numbers of continuous causes that are followed to their best value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from dynid.evaluation.hypotheses.knobs import Derivatives, knob_of, limited
from dynid.evaluation.hypotheses.refit import Equations
from dynid.evaluation.hypotheses.state import Hypothesis
from dynid.evaluation.hypotheses.trial import RefitOutcome, Trial

_NEGLIGIBLE_FALL = 1e-5  # fall of the cost for which no further step is taken
_ROUNDS = 6  # of Gauss-Newton steps


def followed(
    trial: Trial,
    start: Hypothesis,
    kind: str,
    joints: tuple[int, ...],
    recordings: tuple[int, ...] = (),
) -> tuple[RefitOutcome, float]:
    """Return the best outcome along a knob, by Gauss-Newton steps, and the number's deviation.

    Args:
        trial: the data; steps are taken on a part of the instants.
        start: where to start.
        kind: of the knob.
        joints: of the knob.
        recordings: of the knob; (): all.
    """
    coarse, deviation = trial.coarse, float("nan")
    starts = [start, *(_turned(trial, start) if kind == "gravity" else ())]
    best = min(map(coarse.outcome, starts), key=lambda outcome: outcome.cost)
    for _ in range(_ROUNDS):
        data = coarse.data(best.state)
        derivatives = Derivatives(coarse.samples, data, best.state, best.refit)
        knob = knob_of(derivatives, coarse.samples, kind, joints, recordings)
        columns = knob.columns()
        refit = Equations(data.with_extra([columns]), coarse.samples.fold).refit()
        deviation = float(np.linalg.norm(refit.deviations[-columns.shape[2] :]))
        step = limited(knob, refit.factors[-columns.shape[2] :])
        for share in (1.0, 0.3):
            outcome = coarse.outcome(knob.moved(best.state, share * step))
            if outcome.cost < best.cost - _NEGLIGIBLE_FALL:
                break
        else:
            break
        best = outcome
    return trial.outcome(best.state), deviation


def _turned(trial: Trial, start: Hypothesis) -> Iterator[Hypothesis]:
    """Yield a state with gravity along axes and diagonals.

    Moments that have no weight now would have some under another gravity, which its derivative
    does not see.
    """
    present = trial.mechanism.gravity if start.gravity is None else start.gravity
    size = float(np.linalg.norm(present))
    for direction in product((-1.0, 0.0, 1.0), repeat=3 if size > 0 else 0):
        if any(direction):
            turned = size * np.array(direction) / np.linalg.norm(direction)
            yield replace(start, gravity=turned)
