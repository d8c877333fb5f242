"""Proof that a motion is within its workspace at every instant, or the first violation."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.errors import ExcitationError
from dynid.excitation.limit_use import LimitUse, limit_use
from dynid.excitation.motion import Excitation
from dynid.excitation.workspace.workspace import Constraint, Workspace

RESERVE = 1e-3
"""Share of a margin's scale that a motion must leave for its proof to end."""

_PER_CYCLE = 20  # first samples per period of the highest frequency
_PER_PIECE = 4  # least number of samples between two breakpoints
_FIRST_RESOLUTION = 1e-3  # [s] resolution of the start of a violation
_MOST_SAMPLES = 1_000_000
_CAUTION = 2.0  # assumed largest slope of passive joints, over the slope between samples


def workspace_uses(excitation: Excitation, workspace: Workspace) -> list[LimitUse]:
    """Return how close a motion comes to each constraint of a workspace, at every instant.

    A margin that is m_1 and m_2 at two instants h apart and changes by L h at most between them is
    nowhere below (m_1 + m_2 - L h) / 2 there. Samples are added until this proves the constraint or
    a sample violates it; a margin below RESERVE counts as a violation. The motion after the first
    violation is only sampled.

    In a tree, L is a bound from the joints' speeds and levers. The passive joints of closed chains
    have no such bound: their L is twice the slope between the samples.

    Raises:
        MechanismError: loops cannot be closed somewhere in the motion.
        ExcitationError: the motion is too fast to be proven by any number of samples.
    """
    constraints, reserve = workspace.constraints, RESERVE * workspace.scale
    if not constraints:
        return []
    time = _first_samples(excitation)
    left = workspace.margins(excitation.evaluate(time)) - reserve
    while True:
        doubtful = _doubtful(excitation, workspace, time, left)
        if not len(doubtful):
            break
        if len(time) + len(doubtful) > _MOST_SAMPLES:
            raise ExcitationError(
                f"the workspace constraints near {time[doubtful[0]]:.3f} s cannot be proven with "
                f"{_MOST_SAMPLES} samples; make the motion slower."
            )
        between = (time[doubtful] + time[doubtful + 1]) / 2
        margins = workspace.margins(excitation.evaluate(between)) - reserve
        time = np.insert(time, doubtful + 1, between)
        left = np.insert(left, doubtful + 1, margins, axis=0)
    return [
        _use(constraint, time, left[:, k] + reserve[k], -left[:, k])
        for k, constraint in enumerate(constraints)
    ]


def _use(constraint: Constraint, time: Array, margin: Array, beyond: Array) -> LimitUse:
    name, unit, limit = constraint
    if unit == "m":
        return limit_use(("distance", name, unit), time, limit + margin, limit, beyond)
    use = limit_use(("speed", "tool", unit), time, limit - margin, limit, beyond)
    return use._replace(used=use.most.value / limit)


def _first_samples(excitation: Excitation) -> Array:
    ends = excitation.breakpoints
    pieces = []
    for start, stop in pairwise(ends):
        count = max(_PER_PIECE, int((stop - start) * _PER_CYCLE * excitation.highest_frequency))
        pieces.append(np.linspace(start, stop, count + 1)[:-1])
    return np.concatenate([*pieces, ends[-1:]])


def _doubtful(
    excitation: Excitation, workspace: Workspace, time: Array, left: Array
) -> NDArray[np.intp]:
    """Return the intervals between samples that need more samples."""
    broken = np.flatnonzero(~np.all(left >= 0, axis=1))  # NaN is no proof either
    last = int(broken[0]) if len(broken) else len(time) - 1
    if last == 0:
        return np.empty(0, dtype=np.intp)
    time, left = time[: last + 1], left[: last + 1]
    step = np.diff(time)
    lowest = (left[:-1] + left[1:] - _loss(excitation, workspace, time, left)) / 2
    doubtful = ~np.all(lowest >= 0, axis=1)
    if len(broken):  # certain violation: only its start is refined
        doubtful[-1] = step[-1] > _FIRST_RESOLUTION
    return np.flatnonzero(doubtful)


def _loss(excitation: Excitation, workspace: Workspace, time: Array, left: Array) -> Array:
    """Return a bound on the change of each margin between samples; (N - 1, C)."""
    step = np.diff(time)[:, np.newaxis]
    if workspace.passive:
        slope = np.abs(np.diff(left, axis=0)) / step
        padded = np.pad(slope, ((1, 1), (0, 0)))
        around = np.maximum(slope, np.maximum(padded[:-2], padded[2:]))
        return np.asarray(_CAUTION * around * step)
    motion = excitation.evaluate(time)
    bounds = []
    for values, order in ((motion.velocity, 1), (motion.acceleration, 2)):
        size = np.abs(values)
        # between two samples, a function exceeds them by at most h^2 / 8 of its second derivative
        curved = step**2 / 8 * excitation.derivative_bound(order + 2)
        ends = np.maximum(size[:-1], size[1:])
        bounds.append(np.minimum(ends + curved, excitation.derivative_bound(order)))
    slide = np.max(np.abs(motion.position), axis=0) + np.max(step) * bounds[0].max(axis=0)
    return workspace.loss_rates(slide, *bounds) * step
