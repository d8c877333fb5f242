"""Deflection of a joint as a linear function of unknown coefficients.

With the link torque τ, stiffness K, damping D and total backlash b, K and D in series with the gap:
τ = K (δ - b/2 sign(τ)) + D dδ/dt + H δ³. For slow motion, δ = τ/K + b/2 sign(τ) - D/K² dτ/dt
- H/K⁴ τ³. The encoder at the link is late by d and has another zero: it adds d dq/dt and an offset.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynid.arrays import Array

_UNLOADED = 0.05  # of the rms torque: below, the teeth are between their sides
_REST = 0.02  # of the largest speed: friction at the link has its sign beyond

COMPLIANCE, RELAXATION, DELAY, OFFSET, PLAY = range(5)
"""Columns that every joint has, in this order."""
HARDENING, LINK_FRICTION, ECCENTRICITY = "hardening", "friction at the link", "eccentricity"
CANDIDATES = (ECCENTRICITY, LINK_FRICTION, HARDENING)
"""Columns that must reduce the error on data left out, in the order in which they are tried."""


class JointMotion(NamedTuple):
    """What the deflection of a joint depends on, along a recording; each (N,).

    Attributes:
        torque: transmitted to the link [N*m or N].
        torque_rate: its derivative [N*m/s or N/s].
        position: of the link [rad or m].
        velocity: of the link.
        deflection: of the motor's encoder against that of the link, without its known delay.
    """

    torque: Array
    torque_rate: Array
    position: Array
    velocity: Array
    deflection: Array

    @property
    def loaded(self) -> Array:
        """Samples (N,) at which the teeth touch."""
        return np.asarray(np.abs(self.torque) > _UNLOADED * np.sqrt(np.mean(self.torque**2)))


def columns_of(motion: JointMotion, extras: tuple[str, ...], orders: tuple[float, ...]) -> Array:
    """Return the columns (N, c): the five of every joint, those of extras, two of each order.

    Args:
        motion: of the joint.
        extras: some of ``CANDIDATES``.
        orders: periods of harmonics for each turn of the joint, or for each 2π metres.
    """
    always = [
        motion.torque,
        -motion.torque_rate,
        motion.velocity,
        np.ones_like(motion.torque),
        0.5 * np.sign(motion.torque),
    ]
    angles = [order * motion.position for order in orders]
    waves = [wave(angle) for angle in angles for wave in (np.cos, np.sin)]
    more = [column for name in extras for column in _extra(name, motion)]
    return np.stack([*always, *more, *waves], axis=1)


def _extra(name: str, motion: JointMotion) -> list[Array]:
    if name == HARDENING:
        return [-(motion.torque**3)]
    if name == LINK_FRICTION:
        return [np.tanh(motion.velocity / (_REST * np.abs(motion.velocity).max()))]
    return [np.cos(motion.position), np.sin(motion.position)]
