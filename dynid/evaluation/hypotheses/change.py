"""An instant at which something changes within a recording: torque, load or friction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.evaluation.hypotheses.refit import errors_with
from dynid.evaluation.hypotheses.trial import RefitOutcome, Trial, cost

_PARTS = 8  # of a recording, at whose ends a change is sought first
_FINER = 4  # times, twice, near the best of these
_SHORTEST_PART = 0.1  # of a recording before or after a change

Instant = tuple[int, float]
"""Recording and time [s]."""


def change_instant(trial: Trial, now: RefitOutcome, joints: list[int]) -> tuple[float, Instant]:
    """Return the instant after which parameters of a joint's own explain most.

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
    """Return the cost that parameters of a joint's own after each instant leave, for each joint."""
    data, samples = trial.data(now.state), trial.samples
    costs = []
    for instant in instants:
        after = (samples.recording == instant[0]) & (samples.time >= instant[1])
        for joint in joints:
            columns = data.of_joints[joint][1]
            own = np.zeros((*data.torque.shape, columns.shape[1]))
            own[:, joint] = columns * after[:, None]
            (error,) = errors_with(data, samples.fold, [own])
            costs.append((cost(error), instant))
    return costs
