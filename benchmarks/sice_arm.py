"""The two-link SICE arm of the paper, integrated with true Coulomb friction.

P. Ratiroch-Anant, J. Ngamwiwit, M. Anabuki, H. Hirata, "Recursive simultaneous estimation of a
two-link direct drive manipulator with great variation of payload": equations (3) to (9), tables 1,
2 and 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from dynid.arrays import Array

NAMES = ("J1", "J2", "r", "b1", "b2", "d1", "d2")
TRUE = np.array([0.429, 0.071, 0.162, 5.236, 1.116, 3.208, 0.743])
PERIOD, SAMPLES = 0.001, 10_000
POSITION_NOISE = np.sqrt([1e-8, 1e-7])  # [rad]
VELOCITY_NOISE = np.sqrt([5e-5, 1e-4])  # [rad/s]
_AMPLITUDE = np.array([12.5, 3.75])  # [N m] at 1 Hz
_ROUNDING = 1e-9  # at the breakaway of a joint
_VISCOUS, _COULOMB = TRUE[3:5], TRUE[5:7]


class Motion(NamedTuple):
    """Motion of the arm, (N, 2) each."""

    time: Array
    position: Array
    velocity: Array
    torque: Array


def torque_at(time: Array | float, scale: float = 1.0) -> Array:
    """Table 2, and table 6 with a scale of 1.5: (2,) or (N, 2) [N m]."""
    return scale * _AMPLITUDE * np.sin(2 * np.pi * np.asarray(time))[..., None]


def regressor(position: Array, velocity: Array, acceleration: Array, sign: Array) -> Array:
    """Equation (8), (N, 2, 7)."""
    (a1, a2), (v1, v2), (s1, s2) = acceleration.T, velocity.T, sign.T
    cos, sin, zero = np.cos(position[:, 1]), np.sin(position[:, 1]), np.zeros(len(position))
    first = [a1, a1 + a2, cos * (2 * a1 + a2) - sin * (2 * v1 * v2 + v2**2), v1, zero, s1, zero]
    second = [zero, a1 + a2, cos * a1 + sin * v1**2, zero, v2, zero, s2]
    return np.stack([np.stack(first, axis=1), np.stack(second, axis=1)], axis=1)


def true_motion(scale: float = 1.0) -> Motion:
    """Integrate from one reversal or standstill of a joint to the next, (7) with (5) and (6)."""
    end = PERIOD * (SAMPLES - 1)
    time, state, now = np.arange(SAMPLES, dtype=float) * PERIOD, np.zeros(4), 0.0
    states = np.zeros((SAMPLES, 4))
    while now < end:
        sign = _signs(now, state, scale)
        solution = solve_ivp(
            lambda t, x, sign=sign: np.concatenate([x[2:], _acceleration(t, x, sign, scale)]),
            (now, end),
            state,
            events=_ends_of_phase(sign, scale),
            method="DOP853",
            dense_output=True,
            rtol=1e-10,
            atol=1e-12,
        )
        here = (time >= now) & (time <= solution.t[-1])
        if here.any():
            states[here] = solution.sol(time[here]).T
        now, state = float(solution.t[-1]), solution.y[:, -1].copy()
        state[2:][(sign == 0) | (np.abs(state[2:]) < 1e-10)] = 0.0
    return Motion(time, states[:, :2], states[:, 2:], torque_at(time, scale))


def _dynamics(time: float, state: Array, scale: float) -> tuple[Array, Array]:
    """Mass matrix (2, 2), and torque less Coriolis and viscous torque (2,)."""
    (j1, j2, r), velocity = TRUE[:3], state[2:]
    cos, sin = r * np.cos(state[1]), r * np.sin(state[1])
    mass = np.array([[j1 + j2 + 2 * cos, j2 + cos], [j2 + cos, j2]])
    v1, v2 = velocity
    coriolis = np.array([-sin * v2 * (2 * v1 + v2), sin * v1**2])
    return mass, torque_at(time, scale) - coriolis - _VISCOUS * velocity


def _acceleration(time: float, state: Array, sign: Array, scale: float) -> Array:
    """With the signs (2,) of friction; a joint whose sign is 0 sticks."""
    mass, left = _dynamics(time, state, scale)
    free = sign != 0
    acceleration = np.zeros(2)
    if free.any():
        known = (left - _COULOMB * sign)[free]
        acceleration[free] = np.linalg.solve(mass[np.ix_(free, free)], known)
    return acceleration


def _signs(time: float, state: Array, scale: float) -> Array:
    """Direction of friction: against motion, for joints at rest against their incipient motion.

    The choice is unique (a linear complementarity problem): joints that start to move do so in that
    direction, and friction holds the others. A joint at its breakaway torque starts to move.
    """
    given = np.sign(state[2:])
    choices = [(1.0, -1.0, 0.0) if side == 0 else (side,) for side in given]
    for choice in product(*choices):
        sign = np.array(choice)
        acceleration = _acceleration(time, state, sign, scale)
        holding = np.abs(_holding(time, state, sign, scale))
        sets_off = acceleration * sign >= -_ROUNDING
        stays = (sign == 0) & (holding <= (1 + _ROUNDING) * _COULOMB)
        if np.all((given != 0) | stays | (sign != 0) & sets_off):
            return sign
    message = f"no friction fits the arm at {time:g} s"
    raise ArithmeticError(message)


def _holding(time: float, state: Array, sign: Array, scale: float) -> Array:
    """Torque (2,) of friction that would keep joints at rest."""
    mass, left = _dynamics(time, state, scale)
    return left - mass @ _acceleration(time, state, sign, scale)


@dataclass(frozen=True)
class _End:
    """An event of ``solve_ivp``: where a value passes zero in a direction, the phase ends."""

    value: Callable[[float, Array], float]
    direction: float
    terminal: bool = True

    def __call__(self, time: float, state: Array) -> float:
        return self.value(time, state)


def _ends_of_phase(sign: Array, scale: float) -> list[_End]:
    def speed(joint: int, _: float, x: Array) -> float:
        return float(x[2 + joint])

    def beyond(joint: int, t: float, x: Array) -> float:
        return float(abs(_holding(t, x, sign, scale)[joint]) - _COULOMB[joint])

    return [
        _End(partial(speed, joint), -sign[joint])  # it stops, from its side
        if sign[joint]
        else _End(partial(beyond, joint), 1.0)  # breakaway
        for joint in range(2)
    ]
