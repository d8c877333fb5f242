"""Deflection of a joint as a linear function of unknown coefficients.

With the link torque τ, stiffness K, damping D and total backlash b, K and D in series with the gap:
τ = K (δ - b/2 sign(τ)) + D dδ/dt + H δ³. So δ = τ'/K + b/2 sign(τ) - H/K⁴ τ³, where τ' follows τ
with the time constant D/K; from a constant T near D/K it differs by -(D/K - T) dτ'/dt. The encoder
at the link is late by d and has another zero: it adds d dq/dt and an offset.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array

_UNLOADED = 0.05  # of the rms torque: below, the teeth are between their sides
_REST = 0.02  # of the largest speed: friction at the link has its sign beyond
_MOST_CROSSINGS = 150  # of the teeth in a recording, whose positions are fitted

COMPLIANCE, RELAXATION, DELAY, OFFSET, PLAY = range(5)
"""Columns that every joint has, in this order."""
SCALE, ECCENTRICITY = "scale of the encoders", "eccentricity"
HARDENING, LINK_FRICTION = "hardening", "friction at the link"
CANDIDATES = (ECCENTRICITY, SCALE, LINK_FRICTION, HARDENING)
"""Columns that must reduce the error on data left out, in the order in which they are tried."""


class JointLoad(NamedTuple):
    """What the deflection of a joint depends on, along a recording; each (N,).

    Attributes:
        torque: transmitted to the link [N*m or N].
        side: of the teeth that touch, 1 or -1; 0 throughout where only one side ever does.
        relaxed: torque that follows it with the time constant assumed for D/K.
        relaxed_rate: its derivative [N*m/s or N/s].
        position: of the link [rad or m].
        velocity: of the link.
        deflection: of the motor's encoder against that of the link, without its known delay.
        touching: samples at which the teeth touch.
        loaded: those far enough from samples at which they may not.
    """

    torque: Array
    side: Array
    relaxed: Array
    relaxed_rate: Array
    position: Array
    velocity: Array
    deflection: Array
    touching: NDArray[np.bool_]
    loaded: NDArray[np.bool_]


def relaxed(torque: Array, time_constant: float, rate: float) -> Array:
    """Return torque (N,) after a lag of first order, in its steady state at the start.

    Args:
        torque: (N,) [N*m or N].
        time_constant: of the lag [s]; 0 for none.
        rate: sampling rate [Hz].
    """
    if time_constant <= 0:
        return torque
    numerator, denominator = scipy.signal.bilinear([1.0], [time_constant, 1.0], fs=rate)
    steady = scipy.signal.lfilter_zi(numerator, denominator)
    return np.asarray(
        scipy.signal.lfilter(numerator, denominator, torque, zi=steady * torque[0])[0]
    )


def touching(torque: Array) -> NDArray[np.bool_]:
    """Return the samples (N,) at which torque of the link (N,) presses the teeth on each other."""
    found = np.abs(torque) > _UNLOADED * np.sqrt(np.mean(torque**2))
    turned = np.flatnonzero(np.sign(torque[1:]) != np.sign(torque[:-1]))
    found[turned] = found[turned + 1] = False
    return np.asarray(found)


def loaded(touches: NDArray[np.bool_], margin: int) -> NDArray[np.bool_]:
    """Return the samples (N,) at which the teeth touch, and a margin beside them.

    Args:
        touches: (N,) samples at which the teeth touch.
        margin: samples over which filters smear what happens between; twice as many where the
            teeth part too often for ``crossings``.
    """
    if _parts(touches)[1] > _MOST_CROSSINGS:
        margin *= 2
    return np.asarray(
        scipy.ndimage.binary_erosion(touches, np.ones(2 * margin + 1), border_value=1)
    )


def crossings(motion: JointLoad) -> Array:
    """Return two columns (N, 2 p) for each of p times at which the teeth may not touch.

    Where the teeth are between their sides is not known then: mean and slope of the deflection are
    free. The filter of the deflection carries both beyond that time.

    Args:
        motion: of the joint.
    """
    parts, count = _parts(motion.touching)
    if count > _MOST_CROSSINGS:
        count = 0
    columns = np.zeros((len(parts), 2 * count))
    for number, (one,) in enumerate(scipy.ndimage.find_objects(parts)[:count]):
        inside = np.arange(one.start, one.stop)
        columns[inside, 2 * number] = 1.0
        columns[inside, 2 * number + 1] = inside - inside.mean()
    return columns


def _parts(touches: NDArray[np.bool_]) -> tuple[NDArray[np.int64], int]:
    """Return at which of the times (N,), from 1, the teeth may not touch, and their number."""
    numbers, count = scipy.ndimage.label(~touches)
    return numbers, int(count)


def columns_of(motion: JointLoad, extras: tuple[str, ...], orders: tuple[float, ...]) -> Array:
    """Return the columns (N, c): the five of every joint, those of extras, two of each order.

    Args:
        motion: of the joint.
        extras: some of ``CANDIDATES``.
        orders: periods of harmonics for each turn of the joint, or for each 2π metres.
    """
    always = [
        motion.relaxed,
        -motion.relaxed_rate,
        motion.velocity,
        np.ones_like(motion.torque),
        0.5 * motion.side,
    ]
    angles = [order * motion.position for order in orders]
    waves = [wave(angle) for angle in angles for wave in (np.cos, np.sin)]
    more = [column for name in extras for column in _extra(name, motion)]
    return np.stack([*always, *more, *waves], axis=1)


def _extra(name: str, motion: JointLoad) -> list[Array]:
    if name == HARDENING:
        return [-(motion.torque**3)]
    if name == LINK_FRICTION:
        return [np.tanh(motion.velocity / (_REST * np.abs(motion.velocity).max()))]
    if name == SCALE:  # gears and factors are rounded
        return [motion.position]
    return [np.cos(motion.position), np.sin(motion.position)]
