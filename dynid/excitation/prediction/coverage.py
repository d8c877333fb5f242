"""How much of the joint space a motion covers, and of each joint's limits it uses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.robot.limits import Limits
from dynid.signals.signals import Signals

_BINS = 10


@dataclass(frozen=True)
class JointCoverage:
    """How a joint moves; a share is a fraction of a limit, None without that limit.

    Attributes:
        lowest, highest: position [rad or m].
        range_share: of the range between the position limits that the motion spans.
        bin_share: of ten equal bins of that range that the motion visits.
        pair_share: of ten times ten bins, with those of the next joint, that the motion visits.
        peak_velocity: [rad/s or m/s].
        velocity_share: of the limit.
        peak_acceleration: [rad/s^2 or m/s^2].
        acceleration_share: of the limit.
        cycles: half the number of strokes, which are separated by a change of the velocity's sign.
        moving_share: of samples faster than the threshold.
    """

    lowest: float
    highest: float
    range_share: float | None
    bin_share: float | None
    pair_share: float | None
    peak_velocity: float
    velocity_share: float | None
    peak_acceleration: float
    acceleration_share: float | None
    cycles: float
    moving_share: float


def joint_coverage(signals: Signals, limits: Limits) -> tuple[JointCoverage, ...]:
    """Return the coverage of each joint by a motion."""
    names = signals.joint_names
    bins = [
        _bins(signals.position[:, j], limits.range_of("position", j)) for j in range(len(names))
    ]
    pairs = zip(bins, [*bins[1:], None], strict=True)
    return tuple(_covered(signals, limits, joint, *pair) for joint, pair in enumerate(pairs))


def _covered(
    signals: Signals,
    limits: Limits,
    joint: int,
    bins: NDArray[np.intp] | None,
    next_bins: NDArray[np.intp] | None,
) -> JointCoverage:
    position, velocity = signals.position[:, joint], signals.velocity[:, joint]
    lowest, highest = float(position.min()), float(position.max())
    allowed = limits.range_of("position", joint)
    speed = float(np.abs(velocity).max())
    acceleration = float(np.abs(signals.acceleration[:, joint]).max())
    pairs = None if bins is None or next_bins is None else _BINS * bins + next_bins
    return JointCoverage(
        lowest=lowest,
        highest=highest,
        range_share=None if allowed is None else (highest - lowest) / (allowed[1] - allowed[0]),
        bin_share=None if bins is None else len(np.unique(bins)) / _BINS,
        pair_share=None if pairs is None else len(np.unique(pairs)) / _BINS**2,
        peak_velocity=speed,
        velocity_share=_share(speed, limits.range_of("velocity", joint)),
        peak_acceleration=acceleration,
        acceleration_share=_share(acceleration, limits.range_of("acceleration", joint)),
        cycles=_strokes(velocity[signals.moving[:, joint]]) / 2,
        moving_share=float(signals.moving[:, joint].mean()),
    )


def _bins(position: Array, allowed: tuple[float, float] | None) -> NDArray[np.intp] | None:
    """Return the index of the bin of each position (N,); (N,)."""
    if allowed is None:
        return None
    share = (position - allowed[0]) / (allowed[1] - allowed[0])
    return np.clip((_BINS * share).astype(np.intp), 0, _BINS - 1)


def _share(peak: float, allowed: tuple[float, float] | None) -> float | None:
    return None if allowed is None else peak / allowed[1]


def _strokes(velocity: Array) -> int:
    """Return the number of strokes (intervals of one direction) in nonzero velocities (N,)."""
    return int(np.count_nonzero(np.diff(np.sign(velocity)))) + 1 if len(velocity) else 0
