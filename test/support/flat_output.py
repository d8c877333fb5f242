"""Feedforward of elastic joints: motion and torque of the motors that move the links as wanted.

The links' positions are a flat output (De Luca and Book, Springer Handbook of Robotics, 2016): with
the link torque τ(t) of the reference, the motors are at q + τ/K and need the torque τ + J d²(q +
τ/K)/dt² and their friction. This takes the third and fourth derivatives of the reference, which a
filter of fifth order provides without differentiation; it delays the reference by 5/ω. This is
written without the core, whose control law is compared with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism

_ORDER = 5  # of the filter: derivatives up to the fourth are its states
_STEP = 1e-3  # [s] of the central differences of the link torque along the reference


class SmoothReference(NamedTuple):
    """A filtered motion with its derivatives; each (N, n), in rad or m and s.

    Attributes:
        position, velocity, acceleration, jerk, snap: of the links.
        delay: by which the filter delays slow motion [s].
    """

    position: Array
    velocity: Array
    acceleration: Array
    jerk: Array
    snap: Array
    delay: float


class MotorMotion(NamedTuple):
    """What the drives are commanded; each (N, n).

    Attributes:
        position: of the motors [rad or m].
        velocity: of the motors.
        torque: without friction [N*m or N].
    """

    position: Array
    velocity: Array
    torque: Array


def filtered_reference(position: Array, cutoff_hz: float, rate: float) -> SmoothReference:
    """Return positions after five lags of one cut-off, with four derivatives.

    Args:
        position: (N, n) [rad or m], at rest before the first sample.
        cutoff_hz: of each lag [Hz].
        rate: sampling rate [Hz].
    """
    frequency = 2 * np.pi * cutoff_hz
    denominator = np.poly(np.full(_ORDER, -frequency))
    matrix = np.eye(_ORDER, k=1)
    matrix[-1] = -denominator[:0:-1]
    drive = np.zeros((_ORDER, 1))
    drive[-1] = denominator[-1]
    discrete, gain, *_ = scipy.signal.cont2discrete(
        (matrix, drive, np.eye(_ORDER), np.zeros((_ORDER, 1))), 1 / rate, method="zoh"
    )
    states = np.empty((len(position), _ORDER, position.shape[1]))
    state = np.zeros((_ORDER, position.shape[1]))
    state[0] = position[0]
    for number, wanted in enumerate(position):
        states[number] = state
        state = discrete @ state + gain * wanted
    position, velocity, acceleration, jerk, snap = np.moveaxis(states, 1, 0)
    return SmoothReference(position, velocity, acceleration, jerk, snap, _ORDER / frequency)


def elastic_feedforward(
    links: Mechanism, rotors: Array, stiffness: Array, reference: SmoothReference
) -> MotorMotion:
    """Return motion and torque of the motors that move elastic links along a reference.

    Args:
        links: bodies and springs, without friction and rotors.
        rotors: inertias (n,) [kg*m^2 or kg].
        stiffness: (n,) [N*m/rad or N/m]; infinite for a rigid joint.
        reference: of the links.
    """
    before, now, after = (_link_torque(links, reference, t) for t in (-_STEP, 0.0, _STEP))
    rate = (after - before) / (2 * _STEP)
    bend = (after - 2 * now + before) / _STEP**2
    return MotorMotion(
        reference.position + now / stiffness,
        reference.velocity + rate / stiffness,
        now + rotors * (reference.acceleration + bend / stiffness),
    )


def _link_torque(links: Mechanism, reference: SmoothReference, ahead: float) -> Array:
    """Return the link torque (N, n) a time ahead along the reference's derivatives [s]."""
    position, velocity, acceleration, jerk, snap, _ = reference
    return links.inverse_dynamics(
        position + ahead * (velocity + ahead / 2 * (acceleration + ahead / 3 * jerk)),
        velocity + ahead * (acceleration + ahead / 2 * (jerk + ahead / 3 * snap)),
        acceleration + ahead * (jerk + ahead / 2 * snap),
    )
