"""What no cause explains: how much, and where in time, speed and position it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.hypotheses.contact import errors_of
from dynid.evaluation.hypotheses.samples import FOLDS
from dynid.evaluation.hypotheses.trial import RefitOutcome, Trial
from dynid.evaluation.settings import LARGEST_UNEXPLAINED
from dynid.recording.contradiction import Severity
from dynid.text import listed, percent, significant

_PARTS = 8  # of equal numbers of samples, by speed and by position
_NOTED = 0.15  # relative error above which what is unexplained is a note: 2 % of the square
_ANY_FRICTION = "friction of any shape, also over the position"
_TRIED = ("zeros", "gravity", "delays", "backlash", "hysteresis", "contact", _ANY_FRICTION)
_OF_SEVERAL = ("signs", "factors", "exchanged channels", "coupling")  # where joints are several
_CONCENTRATED = 2.0  # times its share of the samples: less says nothing of the place


def unexplained(
    joints: tuple[str, ...],
    recordings: Sequence[str],
    trial: Trial,
    left: RefitOutcome,
    doubted: Sequence[Finding] = (),
) -> Iterator[Finding]:
    """Report joints of which much remains unexplained by every cause that was tried.

    Args:
        joints: their names.
        recordings: their names.
        trial: the data.
        left: the outcome after all causes that are asserted.
        doubted: causes that explain something, and leave their joints as poor as they are.
    """
    error = left.refit.held_out
    limits = [_NOTED, LARGEST_UNEXPLAINED, np.inf]
    severities: tuple[Severity, ...] = ("note", "warning")
    for (low, high), severity in zip(pairwise(limits), severities, strict=True):
        poor = [j for j in range(len(joints)) if low < error[j] <= high]
        if poor:
            yield _finding(joints, recordings, trial, left, doubted, poor, severity)


def _finding(
    joints: tuple[str, ...],
    recordings: Sequence[str],
    trial: Trial,
    left: RefitOutcome,
    doubted: Sequence[Finding],
    poor: Sequence[int],
    severity: Severity,
) -> Finding:
    error = left.refit.held_out
    names = [joints[j] for j in poor]
    where = "".join(
        f" The squared error of {joints[j]} is concentrated: {listed(places)}."
        for j in poor
        if (places := [*_places(trial, left, j, recordings)])
    )
    tried = (*(_OF_SEVERAL if len(joints) > 1 else ()), *_TRIED)
    better = "".join(f" Better, but not good, with this: {one.sentence}" for one in doubted)
    return Finding(
        cause="unexplained",
        severity=severity,
        sentence=(
            f"{listed(names)}: {listed(percent(error[j] ** 2) for j in poor)} of the squared "
            f"torque remains unexplained on data left out by all that was tried: {listed(tried)}."
            f"{where}{better}"
        ),
        advice=(
            "Record again, slowly and with each joint alone, to find at which joint and in which "
            "motion the torque cannot be explained."
        ),
        evidence={f"unexplained of {joints[j]}": float(error[j] ** 2) for j in poor},
        joints=tuple(names),
        alternatives=tuple((one.cause, one.joints) for one in doubted),
    )


def _places(
    trial: Trial, left: RefitOutcome, joint: int, recordings: Sequence[str]
) -> Iterator[str]:
    """Yield where in time, speed and position a joint's error is concentrated."""
    samples, data = trial.samples, trial.data(left.state)
    kept = data.kept[:, joint]
    squared = errors_of(trial, left)[kept, joint] ** 2
    position, velocity = (values[kept, joint] for values in data.motion[:2])
    unit = "m" if trial.mechanism.prismatic[joint] else "rad"
    span, recording = samples.fold[kept] + FOLDS * samples.recording[kept], samples.recording[kept]
    worst, share = _worst(squared, span)
    if share:
        time, number = samples.time[kept][span == worst], recording[span == worst][0]
        of = f" of {recordings[number]}" if samples.recordings > 1 else ""
        yield f"{percent(share)} from {time.min():.1f} to {time.max():.1f} s{of}"
    for what, values, per in (("speeds", np.abs(velocity), "/s"), ("positions", position, "")):
        edges = np.quantile(values, np.arange(1, _PARTS) / _PARTS)
        part = np.searchsorted(edges, values)
        worst, share = _worst(squared, part)
        if share:
            ends = (significant(float(end), 2) for end in _ends(values[part == worst]))
            yield f"{percent(share)} at {what} from {' to '.join(ends)} {unit}{per}"


def _worst(squared: Array, part: NDArray[np.intp]) -> tuple[int, float]:
    """Return the part with most of the squared error (m,), and its share; 0 if it is not much."""
    sums, counts = np.bincount(part, squared), np.bincount(part)
    worst = int(np.argmax(sums))
    share = float(sums[worst] / max(float(squared.sum()), 1e-300))
    return worst, share if share > _CONCENTRATED * counts[worst] / len(part) else 0.0


def _ends(values: Array) -> tuple[float, float]:
    return float(values.min()), float(values.max())
