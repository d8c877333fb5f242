"""Torque errors of a joint in blocks of time: the change of its friction, and the mean error.

In a block the error e is fitted by e = b f + c: f is the model's friction, so b is the relative
change of friction, and c the mean error. What a wrong shape of friction explains is removed before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.torque_parts import torque_of_kinds
from dynid.signals.filters import ParallelFilter
from dynid.signals.settings import SignalSettings
from dynid.signals.signals import Signals

SHORTEST = 2.0
"""[s] of a block: several reversals of most motions."""
FEWEST = 10
"""Blocks of a recording."""

_BLOCKS = 40  # of a recording, at most
_ROWS = 20_000  # of a recording that are used
_VARIED = 1e-3  # variance of friction in a block over that of all: below, it shows no change


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of one joint, (K,) each.

    Attributes:
        recording: whose block it is.
        number: of the block in its recording.
        time: mean [s].
        temperature: mean [°C].
        moving_time: mean with the weights by which the change of friction depends on it [s].
        moving_temperature: the same of the temperature [°C].
        friction: its change relative to that of the model.
        friction_weight: inverse to the variance of ``friction``; 0: it shows no change.
        offset: mean torque error [N m or N].
        offset_weight: inverse to the variance of ``offset``.
    """

    recording: NDArray[np.intp]
    number: NDArray[np.intp]
    time: Array
    temperature: Array
    moving_time: Array
    moving_temperature: Array
    friction: Array
    friction_weight: Array
    offset: Array
    offset_weight: Array


@dataclass(frozen=True, eq=False)
class Part:
    """The rows of one recording that are used: time (m,), the others (m, n)."""

    time: Array
    celsius: Array
    error: Array
    friction: Array
    velocity: Array
    acceleration: Array

    @classmethod
    def of(
        cls,
        signals: Signals,
        error: Array,
        mechanism: Mechanism,
        kinds: set[str],
        settings: SignalSettings,
    ) -> Part:
        """Take them of a recording, filtered as its torques; its temperature is known."""
        motion = signals.motion
        smoother = ParallelFilter.of(settings, signals.sampling_rate)
        friction = smoother.smooth(torque_of_kinds(mechanism, *motion, kinds))
        rows = slice(None, None, max(1, -(-len(signals.time) // _ROWS)))
        heat = signals.temperature
        assert heat is not None  # noqa: S101  known, as documented
        time = signals.time[rows]
        return cls(
            time,
            heat.at(time),
            error[rows],
            friction[rows],
            smoother.smooth(signals.velocity)[rows],
            smoother.smooth(signals.acceleration)[rows],
        )


def divide(parts: Sequence[Part], joint: int) -> Blocks | None:
    """Return the blocks of a joint; None if no recording is long enough."""
    long = [
        part
        for part in parts
        if part.time[-1] - part.time[0] >= SHORTEST * FEWEST
        and np.isfinite(part.celsius[:, joint]).all()
    ]
    if not long:
        return None
    rest = _without_own(long, joint)
    variance = float(np.concatenate([part.friction[:, joint] for part in long]).var())
    rows: list[tuple[float, ...]] = []
    first = 0
    for number, part in enumerate(long):
        error = rest[first : first + len(part.time)]
        first += len(part.time)
        duration = part.time[-1] - part.time[0]
        count = int(min(_BLOCKS, duration // SHORTEST))
        edges = np.searchsorted(part.time, part.time[0] + np.linspace(0, duration, count + 1)[1:-1])
        for block, span in enumerate(np.split(np.arange(len(part.time)), edges)):
            along = np.column_stack([part.time[span], part.celsius[span, joint]])
            sums = _in_block(along, error[span], part.friction[span, joint], variance)
            rows.append((number, block, *sums))
    columns = np.array(rows).T
    return Blocks(columns[0].astype(np.intp), columns[1].astype(np.intp), *columns[2:])


def _without_own(parts: Sequence[Part], joint: int) -> Array:
    """Return errors (m,) without what a wrong shape of the joint's friction explains.

    Effects of temperature are fitted with it, so that it takes no part of them.
    """
    heat = np.concatenate([p.celsius[:, joint] - p.celsius[:, joint].mean() for p in parts])
    error, friction, velocity, acceleration = (
        np.concatenate([getattr(part, name)[:, joint] for part in parts])
        for name in ("error", "friction", "velocity", "acceleration")
    )
    columns = np.column_stack(
        [
            np.ones_like(error),
            friction,
            velocity,
            np.sign(velocity),
            velocity * np.abs(velocity),
            acceleration,
        ]
    )
    count = columns.shape[1]
    columns = np.column_stack([columns, heat * friction, heat])
    sizes = np.linalg.norm(columns, axis=0)
    columns = columns / np.where(sizes > 0, sizes, 1.0)
    factors = np.linalg.lstsq(columns, error, rcond=1e-9)[0]
    return np.asarray(error - columns[:, :count] @ factors[:count])


def _in_block(along: Array, error: Array, friction: Array, variance: float) -> Array:
    """Return time and temperature, both for the change of friction, it and the offset.

    The last two are each followed by the weight.

    Args:
        along: time and temperature (m, 2).
        error: (m,).
        friction: (m,).
        variance: of the friction in all blocks.
    """
    mean, size = friction.mean(), len(friction)
    deviation = friction - mean
    spread = deviation @ deviation
    middle = moving = along.mean(axis=0)
    change, weight, offset_weight = 0.0, 0.0, float(size)
    if spread > _VARIED * size * variance:  # else at rest, or in one direction only
        # temperature varies in the block: so friction in proportion to it has its slope
        moving = (friction * deviation) @ along / spread
        if along[0, 0] <= moving[0] <= along[-1, 0]:  # else extrapolated out of the block
            change, weight = error @ deviation / spread, spread
            offset_weight = 1 / (1 / size + mean**2 / spread)
    offset = error.mean() - change * mean
    return np.array([*middle, *moving, change, weight, offset, offset_weight])
