"""Joints with too few cycles of motion."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.errors import relative_errors
from dynid.text import listed, these_joints

FEWEST_CYCLES = 3
"""Of each joint in an excitation, so that every speed occurs in several poses."""
_LOST_FACTOR = 1.5  # error of parts left out, over that of the fit, that is a warning
_BOTH_WAYS = 0.1  # of the peak speed, which a stroke exceeds and noise at rest does not


def too_short(case: Case) -> Iterator[Finding]:
    """Count the cycles of each joint over all recordings.

    They are too few where parts of the motion do not predict each other.
    """
    if case.mechanism.semi_static or (case.model is not None and case.held_out is None):
        return  # one stroke in each direction through all poses is enough; nothing is fitted
    cycles = np.sum([strokes(s.velocity) for s in case.signals], axis=0) / 2
    moves = case.decimated.moves  # joints at rest have another cause
    few = [j for j in range(len(case.joints)) if moves[j] and cycles[j] < FEWEST_CYCLES]
    if not few:
        return
    names = [case.joints[j] for j in few]
    length = sum(float(s.time[-1] - s.time[0]) for s in case.signals)
    seen = [f"{cycles[j]:g}" for j in few]
    worst = min(few, key=lambda j: cycles[j])
    lost = _loss(case)
    longest = case.longest
    yield Finding(
        cause="too_short",
        joints=tuple(names),
        severity="warning" if lost > _LOST_FACTOR else "note",
        sentence=(
            f"{listed(names)}: {listed(seen)} cycles in {length:.3g} s of motion; {FEWEST_CYCLES} "
            f"separate inertia, gravity and friction better. {_effect(lost)}"
        ),
        advice=f"Record a longer motion, or increase the frequency of {these_joints(names)}.",
        evidence={f"cycles of {case.joints[j]}": float(cycles[j]) for j in few},
        plot=Plot(
            x_label="time [s]",
            y_label=f"position of {case.joints[worst]}",
            traces=(Trace(longest.time, longest.position[:, worst], "measured"),),
        ),
    )


def _loss(case: Case) -> float:
    """Return the largest error of a joint on parts left out, over that of the fit; inf: no fit."""
    if case.held_out is None:
        return inf
    error = relative_errors(case.comparisons)
    left_out = np.asarray(case.held_out.of_blocks)
    return float(np.max(np.divide(left_out, error, out=np.ones_like(error), where=error > 0)))


def _effect(lost: float) -> str:
    if not np.isfinite(lost):
        return "No model could be fitted."
    return f"Parts left out of the fit have up to {lost:.2g} times its error."


def strokes(velocity: Array) -> Array:
    """Count the strokes of each joint (n,): runs with one sign of velocity (N, n)."""
    peak = np.abs(velocity).max(axis=0)
    counts = np.zeros(velocity.shape[1])
    for joint, column in enumerate(velocity.T):
        signs = np.sign(column[np.abs(column) > _BOTH_WAYS * peak[joint]])
        counts[joint] = np.count_nonzero(np.diff(signs)) + bool(len(signs))
    return counts
