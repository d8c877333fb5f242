"""Where a robot is at rest: its positions, torques, and from which side it came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.signals.signals import Signals

_SHORTEST = 0.5  # [s] at rest that make a dwell
_SETTLING = 0.2  # [s] of it beside motion that are left out
_TRAVEL = 1e-3  # [rad or m] of motion that says from which side a joint came


@dataclass(frozen=True, eq=False)
class Dwell:
    """One stay at rest.

    Attributes:
        position: mean over it (n,) [rad or m].
        torque: mean over it (n,) [N m or N].
        approach: sign of the last motion before (n,); 0 where none was recorded.
        speed: below which a joint counts as at rest (n,) [rad/s or m/s].
        duration: that the means are over [s].
    """

    position: Array
    torque: Array
    approach: Array
    speed: Array
    duration: float


def find_dwells(signals: Signals) -> list[Dwell]:
    """The stays at rest of all joints at once."""
    return [_dwell(signals, span) for span in _rests(signals)]


def _rests(signals: Signals) -> Iterator[slice]:
    rate = signals.sampling_rate
    still = np.concatenate([[False], ~signals.moving.any(axis=1), [False]])
    begins, ends = np.flatnonzero(np.diff(still.astype(int))).reshape(-1, 2).T
    for begin, end in zip(begins, ends, strict=True):
        if end - begin < _SHORTEST * rate:
            continue
        margin = round(_SETTLING * rate)
        yield slice(
            int(begin + margin) if begin > 0 else 0,
            int(end - margin) if end < len(signals.moving) else int(end),
        )


def _dwell(signals: Signals, span: slice) -> Dwell:
    position = signals.position[span].mean(axis=0)
    return Dwell(
        position=position,
        torque=signals.raw_torque[span].mean(axis=0),
        approach=_approach(position - signals.position[: span.start]),
        speed=signals.velocity_threshold,
        duration=(span.stop - span.start) / signals.sampling_rate,
    )


def _approach(distance: Array) -> Array:
    """Sign (n,) of what was left to go (N, n) when a joint was last away from where it rests."""
    signs = np.sign(distance) * (np.abs(distance) > _TRAVEL)
    return np.array([joint[joint != 0][-1] if joint.any() else 0.0 for joint in signs.T])
