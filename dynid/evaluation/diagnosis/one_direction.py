"""Joints that move in one direction only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.text import listed, these_joints

_BOTH_WAYS = 0.02  # of the peak speed: a short way back, unlike noise at rest, is enough


def one_direction(case: Case) -> Iterator[Finding]:
    """Look for joints whose friction has one sign in all recordings."""
    mechanism, moves = case.mechanism, case.decimated.moves  # joints at rest have another cause
    only_one = moves & move_one_way([s.velocity for s in case.signals])
    rubbing = sorted({term.joint for term in mechanism.terms if term.traits.dissipative})
    with_offset = {term.joint for term in mechanism.terms if term.kind == "offset"}
    for kept, consequence in (
        (True, "dry friction and offset cannot be separated, and may both be far too large"),
        (False, "dry friction and offset cannot be separated, and the model's offset is 0"),
    ):
        few = [j for j in rubbing if only_one[j] and (j in with_offset) == kept]
        if not few:
            continue
        names, longest = [case.joints[j] for j in few], case.longest
        yield Finding(
            cause="one_direction",
            joints=tuple(names),
            severity="warning",
            sentence=(
                f"{listed(names)}: {'moves' if len(few) == 1 else 'move'} in one direction only; "
                f"{consequence}."
            ),
            advice=f"Record motion of {these_joints(names)} in both directions.",
            evidence={f"fastest motion of {case.joints[j]}": _fastest(case, j) for j in few},
            plot=Plot(
                x_label="time [s]",
                y_label=f"position of {names[0]}",
                traces=(Trace(longest.time, longest.position[:, few[0]], "measured"),),
            ),
        )


def move_one_way(velocities: Sequence[Array]) -> NDArray[np.bool_]:
    """Return which joints move, and in all recordings in the same direction, (n,).

    Args:
        velocities: (N, n) of each recording.
    """
    highest = np.max([velocity.max(axis=0) for velocity in velocities], axis=0)
    lowest = np.min([velocity.min(axis=0) for velocity in velocities], axis=0)
    least = _BOTH_WAYS * np.maximum(highest, -lowest)
    return np.asarray((highest > least) != (lowest < -least))


def _fastest(case: Case, joint: int) -> float:
    velocity = case.decimated.velocity[:, joint]
    return float(velocity[np.abs(velocity).argmax()])
