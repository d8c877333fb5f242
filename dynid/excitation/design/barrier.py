"""Barrier that keeps a motion within its limits while it is optimised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dynid.excitation.design.limits import MotionBounds, StateLimit
    from dynid.excitation.design.series_space import SeriesSpace
    from dynid.excitation.motion import Motion


@dataclass(frozen=True, eq=False)
class Barrier:
    """Sum of b(s) over all slacks s: 0 for s >= 1, infinite where a limit is reached.

    b(s) = -log s + (s - 1) - (s - 1)^2 / 2 below 1, so that value, slope and curvature vanish at 1
    and only motion near a limit is penalised.

    Attributes:
        space: of the series.
        basis: its basis at the samples where state limits are evaluated.
        bounds: on position, velocity and acceleration, at every instant.
        state_limits: at these samples.
    """

    space: SeriesSpace
    basis: Motion
    bounds: MotionBounds
    state_limits: Sequence[StateLimit]

    def smallest_slack(self, y: Array) -> float:
        """Return the smallest slack of the coordinates y (n, d); positive within all limits."""
        motion = self.space.motion(self.basis, y)
        states = (limit.slack(motion).min(initial=np.inf) for limit in self.state_limits)
        return float(min(self.bounds.slack(y).min(), *states, np.inf))

    def value(self, y: Array) -> float:
        """Return the sum at y (n, d), infinite outside the limits."""
        total = _value(self.bounds.slack(y))
        if not self.state_limits or not np.isfinite(total):
            return total
        motion = self.space.motion(self.basis, y)
        return total + sum(_value(limit.slack(motion)) for limit in self.state_limits)

    def expansion(self, y: Array) -> tuple[Array, Array]:
        """Return its slope (n, d) and the positive part of its curvature (n d, n d) at y."""
        joints, dimension = y.shape
        slack = self.bounds.slack(y)
        gradient = self.bounds.pull(_slope(slack))
        blocks = np.zeros((joints, dimension, joints, dimension))
        joint = np.arange(joints)
        blocks[joint, :, joint, :] = self.bounds.curvature(_curvature(slack))
        curvature = blocks.reshape(y.size, y.size)
        motion = self.space.motion(self.basis, y)
        for limit in self.state_limits:
            for by_y, slack in self._active(limit, motion):
                gradient = gradient + (_slope(slack) @ by_y).reshape(y.shape)
                curvature += (by_y.T * _curvature(slack)) @ by_y
        return gradient, curvature

    def _active(self, limit: StateLimit, motion: Motion) -> Iterator[tuple[Array, Array]]:
        """Yield slopes by the coordinates (m, n d) and slacks (m,) of near limits, in pieces."""
        slack = limit.slack(motion)
        near = slack < 1
        basis, samples = np.stack(self.basis, axis=1), np.nonzero(near)[0]
        slack, slopes = slack[near], limit.slopes(motion, near)
        width = slopes.shape[2] * basis.shape[2]
        for piece in pieces(len(slack), width):
            by_y = np.einsum("moj,mod->mjd", slopes[piece], basis[samples[piece]])
            yield by_y.reshape(len(by_y), width), slack[piece]


def _value(slack: Array) -> float:
    near = slack[slack < 1]
    if near.size and not near.min() > 0:
        return np.inf
    return float(np.sum(-np.log(near) + (near - 1) - (near - 1) ** 2 / 2))


def _slope(slack: Array) -> Array:
    near = np.minimum(slack, 1)
    return np.asarray(2 - near - 1 / near)


def _curvature(slack: Array) -> Array:
    return np.asarray(1 / np.minimum(slack, 1) ** 2 - 1)
