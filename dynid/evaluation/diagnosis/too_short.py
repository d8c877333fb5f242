"""Joints with too few cycles of motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.text import listed, these_joints

FEWEST_CYCLES = 3
"""Of each joint in an excitation, so that every speed occurs in several poses."""
_BOTH_WAYS = 0.1  # of the peak speed, which a stroke exceeds and noise at rest does not


def too_short(case: Case) -> Iterator[Finding]:
    """Count the cycles of each joint over all recordings."""
    if case.mechanism.semi_static:
        return  # one stroke in each direction through all poses is enough
    cycles = np.sum([strokes(s.velocity) for s in case.signals], axis=0) / 2
    moves = case.decimated.moves  # joints at rest have another cause
    few = [j for j in range(len(case.joints)) if moves[j] and cycles[j] < FEWEST_CYCLES]
    if not few:
        return
    names = [case.joints[j] for j in few]
    length = sum(float(s.time[-1] - s.time[0]) for s in case.signals)
    seen = [f"{cycles[j]:g}" for j in few]
    worst = min(few, key=lambda j: cycles[j])
    longest = case.longest
    yield Finding(
        cause="too_short",
        joints=tuple(names),
        severity="warning",
        sentence=(
            f"{listed(names)}: {listed(seen)} cycles in {length:.3g} s of motion; at least "
            f"{FEWEST_CYCLES} are needed to separate inertia, gravity and friction."
        ),
        advice=f"Record a longer motion, or increase the frequency of {these_joints(names)}.",
        evidence={f"cycles of {case.joints[j]}": float(cycles[j]) for j in few},
        plot=Plot(
            x_label="time [s]",
            y_label=f"position of {case.joints[worst]}",
            traces=(Trace(longest.time, longest.position[:, worst], "measured"),),
        ),
    )


def strokes(velocity: Array) -> Array:
    """Count the strokes of each joint (n,): runs with one sign of velocity (N, n)."""
    peak = np.abs(velocity).max(axis=0)
    counts = np.zeros(velocity.shape[1])
    for joint, column in enumerate(velocity.T):
        signs = np.sign(column[np.abs(column) > _BOTH_WAYS * peak[joint]])
        counts[joint] = np.count_nonzero(np.diff(signs)) + bool(len(signs))
    return counts
