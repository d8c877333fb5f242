"""An instant at which something changes within a recording: torque, load or friction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.hypotheses.refit import errors_with
from dynid.evaluation.hypotheses.relations import friction_columns, payload_columns
from dynid.evaluation.hypotheses.trial import RefitOutcome, Trial, cost

_PARTS = 8  # of a recording, at whose ends a change is sought first
_FINER = 4  # times, twice, near the best of these
_SHORTEST_PART = 0.1  # of a recording before or after a change

Instant = tuple[int, float]
"""Recording and time [s]."""


def change_instant(trial: Trial, now: RefitOutcome, joints: list[int]) -> tuple[float, Instant]:
    """Return the instant after which other torque, friction or load explains most.

    It comes after the fall of the cost of the data fitted that it brings.

    Args:
        trial: the data.
        now: the outcome of which the error is to be explained.
        joints: with large errors.
    """
    coarse = trial.coarse
    least, (recording, at) = min(_costs(coarse, now, joints, list(_grid(coarse))))
    span = _span(coarse, recording)
    for width in (1, _FINER):
        steps = (span[1] - span[0]) / _PARTS / width * np.linspace(-1, 1, 2 * _FINER + 1)
        near = [(recording, at + float(step)) for step in steps if _is_inside(at + step, span)]
        least, (_, at) = min(_costs(coarse, now, joints, near))
    return cost(coarse.outcome(now.state).refit.seen) - least, (recording, at)


def _grid(trial: Trial) -> Iterator[Instant]:
    for recording in range(trial.samples.recordings):
        start, stop = _span(trial, recording)
        for share in np.linspace(0, 1, _PARTS + 1)[1:-1]:
            yield recording, start + float(share) * (stop - start)


def _span(trial: Trial, recording: int) -> tuple[float, float]:
    time = trial.samples.time[trial.samples.recording == recording]
    return float(time.min()), float(time.max())


def _is_inside(time: float, span: tuple[float, float]) -> bool:
    margin = _SHORTEST_PART * (span[1] - span[0])
    return span[0] + margin < time < span[1] - margin


def _costs(
    trial: Trial, now: RefitOutcome, joints: list[int], instants: list[Instant]
) -> list[tuple[float, Instant]]:
    """Return the cost that a change at each instant leaves, of one joint or of the load."""
    data, samples = trial.data(now.state), trial.samples
    torque = data.regressor[:, :, data.base.independent] @ now.refit.base
    blocks: list[Array] = []
    owners: list[Instant] = []
    for instant in instants:
        after = (samples.recording == instant[0]) & (samples.time >= instant[1])
        blocks.append(payload_columns(data, after))
        for joint in joints:
            scaled = np.zeros((*torque.shape, 1))
            scaled[:, joint, 0] = torque[:, joint] * after
            blocks.append(
                np.concatenate([friction_columns(data, joint, after, samples.time), scaled], axis=2)
            )
        owners += [instant] * (1 + len(joints))
    errors = errors_with(data, samples.fold, blocks)
    return [(cost(error), owner) for error, owner in zip(errors, owners, strict=True)]
