"""Interior-point descent: a barrier keeps every iterate within the limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array, pieces
from dynid.errors import MechanismError
from dynid.excitation.design.information import Information
from dynid.excitation.design.series_space import MotionBounds, SeriesSpace, StateLimit
from dynid.excitation.motion import Motion


class BarrierPhase(NamedTuple):
    """One phase of the descent: weight of the barrier, sharpness of the objective, most steps."""

    weight: float
    sharpness: float
    steps: int


PHASES = (BarrierPhase(1e-2, 2.0, 60), BarrierPhase(1e-3, 4.0, 90), BarrierPhase(1e-4, 16.0, 150))
"""Early phases use the whole spectrum, far from the limits; the last one goes close to them."""

STEPS = sum(phase.steps for phase in PHASES)
"""Most steps of a descent."""

_DONE = 1e-4
"""A phase ends if the predicted decrease of the next step is smaller."""

_BOUNDARY = 0.95  # longest step, as a share of the way to the first limit
_ARMIJO_SHARE = 1e-4  # share of the predicted decrease that a step must reach (Armijo)
_SHORTEST_STEP = 1e-4  # share of a step below which the phase ends
_DAMPING = 0.2  # of the BFGS update (Powell 1978), so that it stays positive definite


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
        total = _barrier_value(self.bounds.slack(y))
        if not self.state_limits or not np.isfinite(total):
            return total
        motion = self.space.motion(self.basis, y)
        return total + sum(_barrier_value(limit.slack(motion)) for limit in self.state_limits)

    def expansion(self, y: Array) -> tuple[Array, Array]:
        """Return its slope (n, d) and the positive part of its curvature (n d, n d) at y."""
        joints, dimension = y.shape
        slack = self.bounds.slack(y)
        gradient = self.bounds.pull(_barrier_slope(slack))
        blocks = np.zeros((joints, dimension, joints, dimension))
        joint = np.arange(joints)
        blocks[joint, :, joint, :] = self.bounds.curvature(_barrier_curvature(slack))
        curvature = blocks.reshape(y.size, y.size)
        motion = self.space.motion(self.basis, y)
        for limit in self.state_limits:
            for by_y, slack in self._active(limit, motion):
                gradient = gradient + (_barrier_slope(slack) @ by_y).reshape(y.shape)
                curvature += (by_y.T * _barrier_curvature(slack)) @ by_y
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


@dataclass(frozen=True, eq=False)
class Descent:
    """Minimisation of the objective plus a barrier (Nocedal and Wright, chapters 18 and 19).

    The curvature of the barrier is computed and added to that of the objective, which damped BFGS
    approximates.

    Attributes:
        information: the objective.
        barrier: it must be finite where the descent starts.
        basis: at the samples where the objective is evaluated.
    """

    information: Information
    barrier: Barrier
    basis: Motion

    def steps(self, y: Array) -> Iterator[tuple[int, Array]]:
        """Yield successive improvements on the coordinates y (n, d), all of them within all limits.

        Each comes with the number of completed steps, of STEPS; phases that end early skip some.
        """
        begun = 0
        for phase in PHASES:
            for number, better in enumerate(self._phase(y, phase)):
                y = better
                yield begun + number + 1, y
            begun += phase.steps

    def objective(self, y: Array) -> float:
        """Return the objective alone at y (n, d); smaller is better."""
        return self.information.value(self._motion(y), PHASES[-1].sharpness)

    def _phase(self, y: Array, phase: BarrierPhase) -> Iterator[Array]:
        value, gradient = self._value(y, phase), self._gradient(y, phase)
        curvature = None
        for _ in range(phase.steps):
            step, promised = self._step(y, gradient, curvature, phase)
            line_search = self._search(y, step, value, promised, phase)
            if line_search is None:
                return
            length, value = line_search
            move = length * step
            y = y + move
            changed = self._gradient(y, phase)
            curvature = _update(curvature, move.ravel(), (changed - gradient).ravel())
            gradient = changed
            yield y
            if promised < _DONE:
                return

    def _step(
        self, y: Array, gradient: Array, curvature: Array | None, phase: BarrierPhase
    ) -> tuple[Array, float]:
        """Return the Newton step (n, d) and the decrease that its slope promises."""
        push, matrix = self.barrier.expansion(y)
        slope = (gradient + phase.weight * push).ravel()
        matrix *= phase.weight  # in place: it is the largest array of the search
        if curvature is not None:
            matrix += curvature
        step = _newton(matrix, slope)
        return step.reshape(y.shape), -float(slope @ step)

    def _search(
        self, y: Array, step: Array, value: float, promised: float, phase: BarrierPhase
    ) -> tuple[float, float] | None:
        """Return the step length and the value there; None if no length decreases the value."""
        slack = self.barrier.bounds.slack(y)
        length = min(1.0, _BOUNDARY * self.barrier.bounds.reach(slack, step))
        shortest = _SHORTEST_STEP * length
        while length > shortest:
            reached = self._value(y + length * step, phase)
            if reached <= value - _ARMIJO_SHARE * length * promised:
                return length, reached
            length /= 2
        return None

    def _value(self, y: Array, phase: BarrierPhase) -> float:
        barrier = self.barrier.value(y)
        if not np.isfinite(barrier):
            return np.inf
        try:
            value = self.information.value(self._motion(y), phase.sharpness)
        except MechanismError:  # a closed chain cannot be closed there
            return np.inf
        return value + phase.weight * barrier

    def _gradient(self, y: Array, phase: BarrierPhase) -> Array:
        slopes = self.information.slopes(self._motion(y), phase.sharpness)
        parts = [by.T @ basis for by, basis in zip(slopes, self.basis, strict=True)]
        return np.asarray(sum(parts[1:], parts[0]))

    def _motion(self, y: Array) -> Motion:
        return self.barrier.space.motion(self.basis, y)


def _newton(matrix: Array, slope: Array) -> Array:
    """Return the step to the minimum of a quadratic with that curvature and slope."""
    size = float(np.trace(matrix)) / len(matrix)
    ridge = 1e-10 * size if size > 0 else 1.0  # for directions without any effect
    values, vectors = np.linalg.eigh(matrix)  # rounding may make some of them negative
    return np.asarray(-vectors @ ((vectors.T @ slope) / (np.maximum(values, 0) + ridge)))


def _update(curvature: Array | None, move: Array, change: Array) -> Array:
    """Update the curvature by damped BFGS, for a change of the gradient along a move."""
    if curvature is None:
        size = abs(float(change @ move)) / float(move @ move)
        curvature = max(size, 1e-8) * np.eye(len(move))
    bent = curvature @ move
    expected = float(move @ bent)
    along = float(move @ change)
    if along < _DAMPING * expected:
        share = (1 - _DAMPING) * expected / (expected - along)
        change = share * change + (1 - share) * bent
    part = np.outer(change, change)
    part /= float(move @ change)
    updated = curvature + part
    np.outer(bent, bent, out=part)
    part /= expected
    updated -= part
    return updated


def _barrier_value(slack: Array) -> float:
    near = slack[slack < 1]
    if near.size and not near.min() > 0:
        return np.inf
    return float(np.sum(-np.log(near) + (near - 1) - (near - 1) ** 2 / 2))


def _barrier_slope(slack: Array) -> Array:
    near = np.minimum(slack, 1)
    return np.asarray(2 - near - 1 / near)


def _barrier_curvature(slack: Array) -> Array:
    return np.asarray(1 / np.minimum(slack, 1) ** 2 - 1)
