"""Deflection of a joint as a linear function of unknown coefficients.

With the link torque τ, stiffness K, damping D and total backlash b, K and D in series with the gap:
τ = K e + H e³ + D dδ/dt with e = δ - b/2 sign(τ). So δ = τ'/K - H/K⁴ τ'³ + b/2 sign(τ) as long as
the cubic term is small, and else what is linear near the last estimate. τ' follows τ with the
time constant D/K; from a constant T near D/K it differs by -(D/K - T) dτ'/dt. The encoder at the
link is late by d and has another zero: it adds d dq/dt and an offset.

Friction acts along the gear train, not at the motor alone: the share of it that acts behind the
elasticity bends the gear as load does, and where the joint rests it holds what the motor has wound
up. Encoders have an error over the position of a shape that nobody knows: it is taken as a random
walk between the ends of the positions that were recorded, and constant beyond (a spline of first
degree, smoothed; G. Wahba, Spline Models for Observational Data, 1990).

Gears have waves of their own besides: of the motor's angle, as wave generators, eccentric discs and
pinions turn with it, and of half turns of the joint, as flexsplines are oval (T. D. Tuttle,
Understanding and modeling the behavior of a harmonic drive gear transmission, MIT AITR-1365, 1992).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid_plugins.elastic.link_torque import Band

_UNLOADED = 0.05  # of the rms torque: below, the teeth are between their sides
_MOST_CROSSINGS = 150  # of the teeth in a recording, whose positions are fitted

COMPLIANCE, RELAXATION, DELAY, OFFSET, PLAY = range(5)
"""Columns that every joint has, in this order."""
COMMON = 5
"""Their number."""
SCALE, ECCENTRICITY = "scale of the encoders", "eccentricity"
HARDENING, FRICTION_SHARE = "hardening", "friction behind the elasticity"
OVAL = "half turns of the joint"
MOTOR_WAVES = {f"{count} in a turn of the motor": count for count in (1, 2, 4)}
POSITION_ERRORS = {f"encoder error over the position, {size:g}": size for size in (1, 2, 4, 8, 16)}
"""Standard deviation of an error's change over all positions, over the rms of what is left."""
CANDIDATES = (
    ECCENTRICITY,
    SCALE,
    FRICTION_SHARE,
    HARDENING,
    OVAL,
    *MOTOR_WAVES,
    *POSITION_ERRORS,
)
"""Columns that must reduce the error on data left out."""
_STEPS = 60  # between the ends of the positions, of an error over these


class Columns(NamedTuple):
    """Which columns a deflection has, besides the five of every joint.

    Attributes:
        knots: (60,) positions between which the error of encoders changes [rad or m].
        extras: some of ``CANDIDATES``.
        orders: periods of harmonics for each turn of the joint, or for each 2π metres.
    """

    knots: Array
    extras: tuple[str, ...] = ()
    orders: tuple[float, ...] = ()

    @classmethod
    def between(cls, positions: Sequence[Array]) -> Columns:
        """Return no columns, with knots between the ends of positions (N,)."""
        ends = [(float(one.min()), float(one.max())) for one in positions]
        return cls(np.linspace(min(low for low, _ in ends), max(high for _, high in ends), _STEPS))

    @property
    def widths(self) -> tuple[int, ...]:
        """Number of columns of each extra."""
        return tuple(width_of(name) for name in self.extras)

    def first(self, name: str) -> int:
        """Return the first column of an extra."""
        return COMMON + sum(self.widths[: self.extras.index(name)])

    def expected(self) -> Array:
        """Return rows (r, c) whose products with the coefficients are 0 but for an error.

        That error is as large as that of a sample of the deflection.
        """
        rows = []
        first = COMMON
        width = COMMON + sum(self.widths) + 2 * len(self.orders)
        for name, count in zip(self.extras, self.widths, strict=True):
            if name in POSITION_ERRORS:
                wanted = np.eye(count, width, first) * np.sqrt(count) / POSITION_ERRORS[name]
                rows.append(wanted)
            first += count
        return np.concatenate(rows) if rows else np.zeros((0, width))


class Bend(NamedTuple):
    """Deflection e of K e + H e³ = τ, linear near c = 1/K and h = H/K⁴.

    Each (N,), and e = by_compliance c + by_cubic h + rest; without hardening τ, -τ³ and 0.
    """

    by_compliance: Array
    by_cubic: Array
    rest: Array

    @classmethod
    def near(cls, torque: Array, compliance: float, cubic: float) -> Bend:
        """Return the deflection under a torque (N,) near 1/K and H/K⁴."""
        if not (cubic > 0 and compliance > 0):
            return cls(torque, -(torque**3), np.zeros_like(torque))
        bent = deflection_by(torque, compliance, cubic)
        stiffness, hardening = 1 / compliance, cubic / compliance**4
        tangent = stiffness + 3 * hardening * bent**2
        by_compliance = (stiffness * bent + 4 * hardening * bent**3) / compliance / tangent
        by_cubic = -(bent**3) / compliance**4 / tangent
        return cls(by_compliance, by_cubic, bent - by_compliance * compliance - by_cubic * cubic)


def deflection_by(torque: Array, compliance: float, cubic: float) -> Array:
    """Return the deflection e (N,) of K e + H e³ = τ.

    By the hyperbolic sine of a third of an argument (Vieta), as cpp/core/src/gear_spring.hpp.

    Args:
        torque: τ (N,).
        compliance: 1/K.
        cubic: H/K⁴, not negative.
    """
    if cubic == 0:
        return compliance * torque
    scale = 2 * np.sqrt(compliance**3 / (3 * cubic))
    return np.asarray(scale * np.sinh(np.arcsinh(3 * compliance * torque / scale) / 3))


class JointLoad(NamedTuple):
    """What the deflection of a joint depends on, along a recording; each (N,).

    Attributes:
        torque: transmitted to the link [N*m or N].
        friction: of the motor [N*m or N].
        side: of the teeth that touch, 1 or -1; 0 throughout where only one side ever does.
        bend: deflection of the gear under torque that follows it with the time constant assumed for
            D/K; its rest is removed from the deflection.
        relaxed_rate: derivative of that torque [N*m/s or N/s].
        position: of the link [rad or m].
        motor: position of the motor behind the gear.
        velocity: of the link.
        deflection: of the motor's encoder against that of the link, without its known delay.
        ratio: of the gear, radians of the motor for each rad or m; 1 where it is not known.
        touching: samples at which the teeth touch.
        loaded: those far enough from samples at which they may not.
    """

    torque: Array
    friction: Array
    side: Array
    bend: Bend
    relaxed_rate: Array
    position: Array
    motor: Array
    velocity: Array
    deflection: Array
    ratio: float
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


def columns_of(motion: JointLoad, chosen: Columns, band: Band) -> Array:
    """Return the columns (N, c): the five of every joint, those of extras, two of each order.

    Args:
        motion: of the joint.
        chosen: extras and orders.
        band: through whose low-pass waves have to pass as the deflection has.
    """
    always = [
        motion.bend.by_compliance,
        -motion.relaxed_rate,
        motion.velocity,
        np.ones_like(motion.torque),
        0.5 * motion.side,
    ]
    more = [column for name in chosen.extras for column in _extra(name, motion, chosen.knots, band)]
    waves = [wave for order in chosen.orders for wave in _waves(order * motion.position, band)]
    return np.stack([*always, *more, *waves], axis=1)


def _waves(angle: Array, band: Band) -> list[Array]:
    return [band.smooth(np.cos(angle)), band.smooth(np.sin(angle))]


def width_of(name: str) -> int:
    """Return the number of columns of an extra."""
    if name in POSITION_ERRORS:
        return _STEPS - 1
    return 2 if name in (ECCENTRICITY, OVAL) or name in MOTOR_WAVES else 1


def _extra(name: str, motion: JointLoad, knots: Array, band: Band) -> list[Array]:
    if name == HARDENING:
        return [motion.bend.by_cubic]
    if name == FRICTION_SHARE:
        return [motion.friction]
    if name == SCALE:  # gears and factors are rounded
        return [motion.position]
    if name in POSITION_ERRORS:
        passed = (motion.position[:, None] - knots[:-1]) / (knots[1] - knots[0])
        return list(band.smooth(np.clip(passed, 0, 1)).T)
    angle = motion.position if name == ECCENTRICITY else 2 * motion.position
    if name in MOTOR_WAVES:
        angle = MOTOR_WAVES[name] * motion.ratio * motion.motor
    return _waves(angle, band)
