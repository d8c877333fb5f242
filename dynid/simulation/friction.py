"""Dry friction in simulation: it sticks where it can, slides where it must, and never chatters."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, inf, tanh
from typing import TYPE_CHECKING

import numpy as np

from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.excitation import Array
    from dynid.mechanism import JointTerm, Mechanism

DRY_KINDS = ("coulomb", "coulomb_positive", "coulomb_negative", "stribeck")
"""Joint terms whose torque jumps where the velocity changes its sign."""

REFUSED_KINDS = ("coulomb_load", "presliding")
"""Joint terms that depend on more than a joint's state, which the simulation has no step for."""

_SWEEPS = 1000  # a dozen do but for joints that hardly differ
_TOLERANCE = 1e-9  # of the largest torque, at which the sweeps end
_SATURATED = 20.0  # tanh of this is 1 in double precision


@dataclass
class _Surface:
    """One rubbing surface, at a joint or a motor.

    ``torques`` holds for each term on it (torque [N*m], Stribeck velocity or infinity [rad/s],
    counts forwards, counts backwards).
    """

    direction: Array  # (n,) joint torque per unit of friction torque
    smoothing: float  # velocity over which the sign is smoothed [rad/s or m/s]
    torques: list[tuple[float, float, bool, bool]] = field(default_factory=list)

    def bounds(self, velocity: float) -> tuple[float, float]:
        """Least and largest friction torque at a speed: those of sliding backwards and forwards."""
        low = high = 0.0
        for torque, scale, forwards, backwards in self.torques:
            size = torque if scale == inf else torque * exp(-((velocity / scale) ** 2))
            high += size * forwards
            low -= size * backwards
        return low, high


class DryFriction:
    """Every dry friction of a mechanism, with the torques of its current parameters.

    Instead of a sign, which no integration step resolves, each step solves for the friction
    torques f that fit the velocity they lead to (Moreau's time stepping): with u the velocity of
    the surfaces without them and A = Jᵀ M⁻¹ J,

        u' = u - dt A f,   f = F(u') sign(u'), and anything between -F and F where u' is 0.

    This has exactly one solution, and the joints come to a true standstill. Terms with a smoothing
    velocity take tanh in place of the sign.
    """

    def __init__(
        self, mechanism: Mechanism, stribeck_torque: Array, stribeck_velocity: Array
    ) -> None:
        """Take the dry terms of a mechanism, and Stribeck friction (n,) besides at the joints."""
        surfaces: dict[tuple[str, int, float], _Surface] = {}
        values = mechanism.parameters[len(mechanism.parameters) - len(mechanism.terms) :]
        motors = np.linalg.inv(mechanism.coupling).T
        identity = np.eye(len(mechanism.joints))
        for term, value in zip(mechanism.terms, values.tolist(), strict=True):
            if term.kind not in DRY_KINDS or value == 0:
                continue
            direction = (motors if term.side == "motor" else identity)[:, term.joint]
            key = (term.side, term.joint, term.smoothing)
            surface = surfaces.setdefault(key, _Surface(direction, term.smoothing))
            surface.torques.append(_torque(term, value))
        extras = zip(stribeck_torque.tolist(), stribeck_velocity.tolist(), strict=True)
        for joint, (torque, scale) in enumerate(extras):
            if torque > 0:
                surface = surfaces.setdefault(
                    ("joint", joint, 0.0), _Surface(identity[:, joint], 0.0)
                )
                surface.torques.append((torque, scale, True, True))
        self._surfaces = list(surfaces.values())
        count = len(self._surfaces)
        self.directions = (
            np.array([s.direction for s in self._surfaces]).reshape(count, len(identity)).T
        )
        """J (n, k): joint torque per unit of each surface's friction torque."""
        self._smooth = [surface.smoothing for surface in self._surfaces]
        self._velocity = [0.0] * count
        self._torque = [0.0] * count

    def __len__(self) -> int:
        """Return the number of surfaces k."""
        return len(self._surfaces)

    def solve(self, free: Array, mobility: Array) -> Array:
        """Return the friction torques of one step, (k,) [N*m or N].

        Args:
            free: Velocity of the surfaces at the step's end without friction (k,).
            mobility: dt A (k, k): how much one unit of friction torque slows each surface in the
                step.
        """
        pairs = zip(self._surfaces, self._velocity, strict=True)
        bounds = [surface.bounds(velocity) for surface, velocity in pairs]
        sliding = [
            high if velocity > 0 else low if velocity < 0 else 0.0
            for velocity, (low, high) in zip(self._velocity, bounds, strict=True)
        ]
        velocity = free - mobility @ sliding
        if self._keeps_sliding(velocity.tolist()):
            self._torque = sliding
        else:
            self._sweep(free.tolist(), mobility.tolist(), bounds)
            velocity = free - mobility @ self._torque
        rest = 1e-12 + 1e-9 * np.abs(free)
        self._velocity = np.where(np.abs(velocity) < rest, 0.0, velocity).tolist()
        return np.array(self._torque)

    def _keeps_sliding(self, velocity: list[float]) -> bool:
        """Whether every surface slides on as before, too fast for smoothing to matter."""
        return all(
            new * old > 0 and abs(new) > _SATURATED * smoothing
            for new, old, smoothing in zip(velocity, self._velocity, self._smooth, strict=True)
        )

    def _sweep(
        self, free: list[float], mobility: list[list[float]], bounds: Sequence[tuple[float, float]]
    ) -> None:
        """Solve for the torques one surface after the other until none changes (Gauss-Seidel)."""
        torque = self._torque
        scale = max(max(-low, high) for low, high in bounds)
        for _ in range(_SWEEPS):
            change = 0.0
            for i, row in enumerate(mobility):
                others = sum(a * f for a, f in zip(row, torque, strict=True)) - row[i] * torque[i]
                new = _scalar(free[i] - others, row[i], bounds[i], self._smooth[i])
                change = max(change, abs(new - torque[i]))
                torque[i] = new
            if change <= _TOLERANCE * scale:
                return


def _torque(term: JointTerm, value: float) -> tuple[float, float, bool, bool]:
    """Check one term's parameter and describe it for its surface."""
    if value < 0:
        message = (
            f"simulation: the {term.kind} friction of {term.side} {term.joint + 1} is {value:g}, "
            "but must not be negative: it would drive the robot."
        )
        raise ConfigurationError(message)
    scale = term.scale if term.kind == "stribeck" else inf
    return value, scale, term.kind != "coulomb_negative", term.kind != "coulomb_positive"


def _scalar(free: float, mobility: float, bounds: tuple[float, float], smoothing: float) -> float:
    """Return the torque f of one surface alone: u' = free - mobility f, f = F sign(u')."""
    low, high = bounds
    stick = free / mobility
    if smoothing == 0:
        return min(max(stick, low), high)
    limit = high if free > 0 else -low
    # u' + mobility limit tanh(u' / smoothing) = free: growing, and flatter away from 0, so that
    # Newton's method from the side of 0 stays there
    velocity = free / (1 + mobility * limit / smoothing)
    for _ in range(20):
        level = tanh(velocity / smoothing)
        slope = 1 + mobility * limit / smoothing * (1 - level * level)
        step = (free - velocity - mobility * limit * level) / slope
        velocity += step
        if abs(step) <= 1e-12 * abs(free):
            break
    return limit * tanh(velocity / smoothing)
