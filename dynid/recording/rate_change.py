"""Stamps whose steps change for good: another rate of the samples, or a clock of another speed."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from dynid.errors import RecordingError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dynid.recording.samples import Samples

_WINDOW = 21  # steps of a moving median: a change shorter than half of it is none
_SAMPLES, _SECONDS = 25, 0.1  # least of a stretch; a burst that a loop makes up is shorter
_EVEN = 0.05  # of the step: within this distance of it are most steps of a stretch
_EVEN_SHARE = 0.8
_CHANGE = 0.02  # least relative change of the step
_BESIDE = 8  # samples at each side of a change to which a polynomial is fitted
_DEGREE = 4
_CLEARLY = 0.25  # squared error at the better times over that at the others


class RateChange(NamedTuple):
    """A change of the steps between stamps, with the rates before and after it [Hz].

    ``row`` is the first sample after a step of the new length.
    """

    row: int
    before: float
    after: float


def rate_changes(seconds: NDArray[np.float64]) -> list[RateChange]:
    """Return where the steps of increasing stamps (N,) [s] change from even ones to even others.

    Jitter, lost samples and bursts are no changes: the steps of both stretches have to be even.
    """
    steps = np.diff(seconds)
    if len(steps) < 2 * _SAMPLES:
        return []
    usual = scipy.ndimage.median_filter(steps, _WINDOW, mode="nearest")
    bounds = np.flatnonzero(np.abs(np.diff(np.log(usual))) > _CHANGE) + 1
    stretches = []
    for first, past in zip([0, *bounds], [*bounds, len(steps)], strict=True):
        step = float(np.median(steps[first:past]))
        even = np.abs(steps[first:past] - step) < _EVEN * step
        long = past - first >= _SAMPLES and seconds[past] - seconds[first] >= _SECONDS
        if long and even.mean() >= _EVEN_SHARE:
            stretches.append((int(first), step))
    changes = []
    for (_, before), (first, after) in pairwise(stretches):
        if abs(after - before) > _CHANGE * before:
            nearer = np.abs(np.log(steps / after)) < np.abs(np.log(steps / before))
            row = _first_change(nearer, first)
            changes.append(RateChange(row, _rate(before), _rate(after)))
    return changes


def refuse_wrong_clock(samples: Samples, changes: list[RateChange]) -> None:
    """Refuse stamps that change their rate where the motion shows that the samples do not.

    If the samples kept their rate, positions are smooth at equal steps, and at the stamps they have
    a bend, as speed changes by the ratio of the steps.
    """
    for change in changes:
        near = slice(max(change.row - _BESIDE, 0), change.row + _BESIDE)
        position = samples.position[near]
        at_stamps = _errors(samples.seconds[near], position)
        at_equal_steps = _errors(np.arange(len(position), dtype=np.float64), position)
        largest = np.maximum(at_stamps, at_equal_steps)
        moving = largest > 0
        if not moving.any():
            continue
        # joints count alike, whatever their unit and speed
        equal, stamped = (
            float((errors[moving] / largest[moving]).mean())
            for errors in (at_equal_steps, at_stamps)
        )
        if equal < _CLEARLY * stamped:
            time = float(samples.seconds[change.row - 1])
            raise RecordingError(
                f"{samples.label}: the rate of the stamps changes from {change.before:.6g} Hz to "
                f"{change.after:.6g} Hz at {time:.3f} s, but positions show that the samples keep "
                "their rate, so the stamps are wrong on one side; correct the times, or select the "
                f"side that is right (--stop {time:.3f} or --start {time:.3f})."
            )


def _first_change(nearer: NDArray[np.bool_], first: int) -> int:
    """Return the first sample after the steps from which on most are of the new length.

    A moving median finds it, except for a few samples where steps are uneven.
    """
    around = np.arange(max(first - _WINDOW, 0), min(first + _WINDOW, len(nearer)))
    new = nearer[around].astype(int)
    wrong = np.concatenate([[0], np.cumsum(new)]) + np.concatenate(
        [np.cumsum((1 - new)[::-1])[::-1], [0]]
    )
    return int(around[0] + np.argmin(wrong)) + 1


def _errors(times: NDArray[np.float64], position: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return squared distances (n,) of positions from a polynomial of times."""
    scaled = 2 * (times - times[0]) / (times[-1] - times[0]) - 1
    matrix = np.polynomial.chebyshev.chebvander(scaled, _DEGREE)
    solution = np.linalg.lstsq(matrix, position, rcond=None)[0]
    return np.asarray(((position - matrix @ solution) ** 2).sum(axis=0))


def _rate(step: float) -> float:
    rate = 1 / step
    return float(round(rate)) if abs(round(rate) - rate) < 1e-4 * rate else rate
