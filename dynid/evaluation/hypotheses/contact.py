"""Intervals of time in which something else than the robot's own dynamics acts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array, runs
from dynid.evaluation.hypotheses.refit import residual
from dynid.evaluation.hypotheses.trial import FLOOR, RefitOutcome, Trial

_WINDOW = 0.3  # [s] shorter than a push, longer than the filters
_BEYOND = 5.0  # error of a window over the median one
_LONGEST_SHARE = 0.3  # of the time: more is not an event
_MOST_EVENTS = 5  # more of them belong to the motion
_ROUNDS = 3  # errors elsewhere fall once an event is left out, and its ends are seen


def contact_interval(trial: Trial, now: RefitOutcome) -> Iterator[RefitOutcome]:
    """Yield the outcome without the instants whose errors are far beyond the others', if any."""
    outcome = now
    for _ in range(_ROUNDS):
        far = _far(trial, outcome)
        spans = (*now.state.excluded, *_spans(trial, far))
        if spans == outcome.state.excluded:
            break
        if far.mean() > _LONGEST_SHARE or len(runs(far)) > _MOST_EVENTS:
            return
        outcome = trial.outcome(replace(now.state, excluded=spans))
    if outcome is not now:
        yield outcome


def _far(trial: Trial, outcome: RefitOutcome) -> NDArray[np.bool_]:
    """Return the instants (m,) in windows with far larger errors than the median window."""
    error, samples = errors_of(trial, outcome), trial.samples
    flags = []
    for number in range(samples.recordings):
        here = samples.recording == number
        spacing = float(np.median(np.diff(samples.time[here])))
        size = max(3, round(_WINDOW / spacing))
        kept = samples.kept[here].astype(float)
        share = scipy.ndimage.uniform_filter1d(kept, size, axis=0)
        power = scipy.ndimage.uniform_filter1d(error[here] ** 2 * kept, size, axis=0)
        power /= np.maximum(share, 1e-9)
        known = share > 0.3
        # a joint that never moves far from a reversal has no usual error
        usual = _medians(power, known)
        far = known & (power > _BEYOND**2 * np.maximum(usual, FLOOR**2))
        flags.append(_inside(scipy.ndimage.maximum_filter1d(far.any(axis=1), size)))
    return np.concatenate(flags)


def _medians(power: Array, known: NDArray[np.bool_]) -> Array:
    """Return the median of known values (m, n) of each joint, infinite without any."""
    columns = zip(power.T, known.T, strict=True)
    return np.array([np.median(p[k]) if k.any() else np.inf for p, k in columns])


def _spans(trial: Trial, flags: NDArray[np.bool_]) -> Iterator[tuple[int, float, float]]:
    """Yield recording, start and stop [s] of each run of flags (m,)."""
    time, recording = trial.samples.time, trial.samples.recording
    for first, past in runs(flags):
        yield int(recording[first]), float(time[first]), float(time[past - 1])


def _inside(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the flags (N,) of runs that do not touch an end, where motion starts or stops."""
    kept = flags.copy()
    for first, past in runs(flags):
        if first == 0 or past == len(flags):
            kept[first:past] = False
    return np.asarray(kept)


def errors_of(trial: Trial, outcome: RefitOutcome) -> Array:
    """Return each joint's torque error over the norm of its torque, per instant (m, n)."""
    data = trial.data(outcome.state)
    error = residual(data, outcome.refit)
    size = np.sqrt(np.mean(data.torque**2, axis=0))
    return np.asarray(error / np.where(size > 0, size, np.inf))
