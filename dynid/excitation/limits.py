"""Proof that a motion is within its limits, also between the samples."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.errors import ExcitationError
from dynid.excitation.limit_use import LimitUse, first_broken, limit_use

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dynid.excitation.motion import Excitation, Motion
    from dynid.robot.limits import Limits

_PER_CYCLE = 200
"""Grid points per period of the highest frequency: a sine's peak is missed by 0.012 % at most."""

_PER_RAMP = 200
"""Grid points on the shortest ramp, whose higher derivatives are large."""

_ROUNDING = 1e-9


class Peaks(NamedTuple):
    """Sampled motion, and how far its extremes can exceed the samples.

    Attributes:
        time: (N,) [s].
        motion: arrays (N, n).
        slack: bound on position, velocity and acceleration beyond their samples, (3, n).
    """

    time: Array
    motion: Motion
    slack: Array


class _Range(NamedTuple):
    """Allowed range of a quantity: its name, unit, and bounds (n,)."""

    quantity: str
    unit: str
    low: Array
    high: Array


def sample_peaks(excitation: Excitation) -> Peaks:
    """Sample an excitation so densely that its extremes are bounded tightly.

    Between two points a step h apart, a function exceeds the larger of its values there by at most
    h^2 / 8 times the largest size of its second derivative.
    """
    pieces = list(pairwise(excitation.breakpoints))
    shortest = min(stop - start for start, stop in pieces)
    spacing = min(1 / (_PER_CYCLE * excitation.highest_frequency), shortest / _PER_RAMP)
    grids = [
        np.linspace(start, stop, int(np.ceil((stop - start) / spacing)) + 1)
        for start, stop in pieces
    ]
    time = np.concatenate(grids)
    bounds = np.array([excitation.derivative_bound(order) for order in (2, 3, 4)])
    return Peaks(time, excitation.evaluate(time), spacing**2 / 8 * bounds)


def check_limits(
    excitation: Excitation,
    limits: Limits,
    joints: Sequence[str],
    *,
    margin: float = 1.0,
    prismatic: Sequence[str] = (),
) -> None:
    """Raise unless position, velocity and acceleration are within limits at every instant.

    Args:
        excitation: the motion to check.
        limits: of the robot; absent limits are not checked.
        joints: names of the n joints.
        margin: fraction of the velocity and acceleration limits that may be used, and of the
            distance from the middle of the position limits.
        prismatic: names of the prismatic joints, for units in messages.

    Raises:
        ExcitationError: a sentence on the first violation: joint, time and amount.
    """
    uses = limit_uses(excitation, limits, joints, margin=margin, prismatic=prismatic)
    broken = first_broken(uses)
    if broken is not None:
        raise ExcitationError(broken.sentence())


def limit_uses(
    excitation: Excitation,
    limits: Limits,
    joints: Sequence[str],
    *,
    margin: float = 1.0,
    prismatic: Sequence[str] = (),
) -> list[LimitUse]:
    """Return how much of each joint's limits on position, velocity, acceleration a motion uses.

    The bound on what a quantity can exceed between samples is added to it. The arguments are those
    of :func:`check_limits`.
    """
    peaks = sample_peaks(excitation)
    uses = []
    for values, slack, allowed in _compared(peaks, limits, len(joints), margin):
        for j, name in enumerate(joints):
            low, high = float(allowed.low[j]), float(allowed.high[j])
            upper = values[:, j] > (low + high) / 2
            beyond = np.where(upper, values[:, j] - high, low - values[:, j]) + slack[j]
            unit = ("m" if name in prismatic else "rad") + allowed.unit
            use = limit_use(
                (allowed.quantity, f"joint '{name}'", unit),
                peaks.time,
                values[:, j],
                np.where(upper, high, low),
                beyond,
                tolerance=_ROUNDING * (high - low),
            )
            uses.append(use._replace(used=1 + 2 * use.most.beyond / (high - low)))
    return uses


def check_rest(excitation: Excitation, joints: Sequence[str]) -> None:
    """Raise an ExcitationError unless the motion starts and ends at rest."""
    ends = excitation.evaluate([0.0, excitation.duration])
    for quantity, order in (("velocity", 1), ("acceleration", 2)):
        values = np.abs(ends[order])
        allowed = 1e-6 * np.maximum(excitation.derivative_bound(order), 1e-12)
        for end, j in zip(*np.nonzero(~(values <= allowed)), strict=True):
            raise ExcitationError(
                f"joint '{joints[j]}': {quantity} is {values[end, j]:.3g} at the "
                f"{('start', 'end')[end]} of the motion instead of 0; give it a ramp."
            )


def position_range(limits: Limits, joints: int) -> tuple[Array, Array] | None:
    """Return lower and upper position limits (n,), or None if there are none."""
    if limits.position is None:
        return None
    pairs = np.broadcast_to(np.asarray(limits.position, dtype=np.float64), (joints, 2))
    return pairs[:, 0].copy(), pairs[:, 1].copy()


def _compared(
    peaks: Peaks, limits: Limits, joints: int, margin: float
) -> Iterator[tuple[Array, Array, _Range]]:
    """Return every limited quantity: samples (N, n), bound beyond them (n,), allowed range."""
    position = position_range(limits, joints)
    if position is not None:
        middle, half = (position[0] + position[1]) / 2, (position[1] - position[0]) / 2
        allowed = _Range("position", "", middle - margin * half, middle + margin * half)
        yield peaks.motion.position, peaks.slack[0], allowed
    if limits.velocity is not None:
        bound = margin * per_joint(limits.velocity, joints, "velocity")
        yield peaks.motion.velocity, peaks.slack[1], _Range("velocity", "/s", -bound, bound)
    if limits.acceleration is not None:
        bound = margin * per_joint(limits.acceleration, joints, "acceleration")
        allowed = _Range("acceleration", "/s^2", -bound, bound)
        yield peaks.motion.acceleration, peaks.slack[2], allowed
