"""Gains of the position and velocity loops of drives from the inertias of an identified model.

Each joint, while its loops hold the others, is an inertia J that depends on the pose. With a
velocity loop (PI), a position loop (P) around it, and a delay T from measurement to torque,

    L_v(s) = Kp (1 + 1 / (Ti s)) exp(-T s) / (J s),   L_p(s) = Kv / s L_v(s) / (1 + L_v(s)).

Kp, and then Kv, are the largest ones with which L_v and L_p keep the phase margin at the smallest
and at the largest inertia. Friction, which only adds damping, and elasticity are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.robot.model import Model

Response = NDArray[np.complex128]
"""Frequency response of an open loop at ``_FREQUENCIES``."""

_POSES = 2000
_INTEGRAL = 4.0
"""Ti times Kp over the largest inertia: the integral costs about atan(1 / 4) = 14 deg there."""
_FREQUENCIES = np.geomspace(1e-6, 3.0, 3000)  # times 1 / T [rad/s]
_MARGINS = (30.0, 70.0)  # [deg]


@dataclass(frozen=True)
class CascadeGains:
    """Gains of a joint, at the joint; for a prismatic one in N and m.

    Attributes:
        joint: its name.
        inertia: smallest and largest [kg m^2 or kg].
        velocity_gain: Kp [N m s/rad or N s/m].
        integral_time: Ti [s].
        position_gain: Kv [1/s].
        velocity_bandwidth: lowest crossover frequency of the velocity loop [Hz].
        velocity_margin: smallest phase margin of the velocity loop [deg].
        position_bandwidth: lowest crossover frequency of the position loop [Hz].
        position_margin: smallest phase margin of the position loop [deg].
    """

    joint: str
    inertia: tuple[float, float]
    velocity_gain: float
    integral_time: float
    position_gain: float
    velocity_bandwidth: float
    velocity_margin: float
    position_bandwidth: float
    position_margin: float


def loop_gains(model: Model, delay: float, margin: float = 60.0) -> tuple[CascadeGains, ...]:
    """Return the gains of every joint.

    Args:
        model: with inertias and limits of positions.
        delay: from the measurement of a position until the torque that follows acts [s].
        margin: phase margin of both loops [deg].

    Raises:
        ConfigurationError: the model has no inertias, or motors that move several joints; or delay
            or margin is out of range.
    """
    if not delay > 0.0:
        raise ConfigurationError(f"A delay of {delay:g} s: must be above 0 s.")
    if not _MARGINS[0] <= margin <= _MARGINS[1]:
        low, high = _MARGINS
        raise ConfigurationError(
            f"A phase margin of {margin:g} deg: must be {low:g} to {high:g} deg."
        )
    joints = model.mechanism.joints
    return tuple(
        _of_joint(joint, (float(low), float(high)), delay, np.radians(margin))
        for joint, low, high in zip(joints, *_inertias(model), strict=True)
    )


def _inertias(model: Model) -> tuple[Array, Array]:
    """Return the smallest and the largest inertia of each joint (n,) over its workspace."""
    mechanism, robot = model.mechanism, model.robot
    if robot.coupling is not None:
        raise ConfigurationError(
            f"{robot.name}: its motors move several joints each (coupling), so that the gains of a "
            "drive do not follow from the inertia of one joint."
        )
    if mechanism.semi_static:
        raise ConfigurationError(
            f"{robot.name}: is a model of gravity and friction only (semi_static), without the "
            "inertias that gains follow from."
        )
    n = len(mechanism.joints)
    limits = robot.limits.of_joints(n).finite()
    poses = np.random.default_rng(0).uniform(limits.low, limits.high, (_POSES, n))
    diagonal = np.diagonal(mechanism.mass_matrix(poses), axis1=1, axis2=2)
    return diagonal.min(axis=0), diagonal.max(axis=0)


def _of_joint(
    joint: str, inertia: tuple[float, float], delay: float, margin: float
) -> CascadeGains:
    ratio = inertia[1] / inertia[0]

    def velocity_loops(gain: float) -> list[Response]:
        """Return L_v at both inertias, for a gain T Kp / J at the smallest one."""
        corner = gain / ratio / _INTEGRAL
        return [_velocity_loop(gain, corner), _velocity_loop(gain / ratio, corner)]

    gain = _largest(lambda value: _margin(velocity_loops(value)) - margin)
    loops = velocity_loops(gain)
    closed = [loop / (1.0 + loop) for loop in loops]

    def position_loops(outer: float) -> list[Response]:
        return [outer / (1j * _FREQUENCIES) * one for one in closed]

    outer = (
        gain
        / ratio
        * _largest(lambda value: _margin(position_loops(gain / ratio * value)) - margin)
    )
    outer_loops = position_loops(outer)
    hertz = 1.0 / (2 * np.pi * delay)
    return CascadeGains(
        joint=joint,
        inertia=inertia,
        velocity_gain=gain * inertia[0] / delay,
        integral_time=_INTEGRAL * delay * ratio / gain,
        position_gain=outer / delay,
        velocity_bandwidth=hertz * float(_crossovers(loops[1])[0]),
        velocity_margin=float(np.degrees(_margin(loops))),
        position_bandwidth=hertz * min(float(_crossovers(one)[0]) for one in outer_loops),
        position_margin=float(np.degrees(_margin(outer_loops))),
    )


def _velocity_loop(gain: float, corner: float) -> Response:
    """Return L_v at ``_FREQUENCIES``, with a gain T Kp / J and the frequency T / Ti."""
    s = 1j * _FREQUENCIES
    response: Response = gain / s * (1.0 + corner / s) * np.exp(-s)
    return response


def _crossovers(loop: Response) -> Array:
    """Return the frequencies (times the delay) at which the magnitude of a loop falls through 1."""
    magnitude: Array = np.log(np.abs(loop))
    before = np.flatnonzero((magnitude[:-1] > 0) & (magnitude[1:] <= 0))
    share = magnitude[before] / (magnitude[before] - magnitude[before + 1])
    logarithm = np.log(_FREQUENCIES)
    at = logarithm[before] + share * (logarithm[before + 1] - logarithm[before])
    return np.asarray(np.exp(at))


def _margin(loops: list[Response]) -> float:
    """Return the smallest phase margin of loops [rad]."""
    margins = []
    for loop in loops:
        phase = np.unwrap(np.angle(loop))
        phase -= 2 * np.pi * np.round((phase[0] + np.pi / 2) / (2 * np.pi))
        at = np.interp(np.log(_crossovers(loop)), np.log(_FREQUENCIES), phase)
        margins.append(np.pi + float(at.min()))
    return min(margins)


def _largest(excess: Callable[[float], float]) -> float:
    """Return the gain at which a falling function of it is 0."""
    return float(scipy.optimize.brentq(excess, 1e-3, 1.5, xtol=1e-9))
