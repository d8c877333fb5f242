"""Results of the identification of elastic joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid_plugins.elastic.deflection import (
    CANDIDATES,
    COMPLIANCE,
    DELAY,
    ECCENTRICITY,
    FRICTION_SHARE,
    HARDENING,
    MOTOR_WAVES,
    OFFSET,
    OVAL,
    PLAY,
    POSITION_ERRORS,
    RELAXATION,
    SCALE,
    Columns,
    width_of,
)
from dynid_plugins.elastic.two_encoders import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynid.identification.result import Identification
    from dynid.recording.model import Recording
    from dynid.robot.model import Model

_CERTAIN = 3.0  # standard deviations: with fewer nothing can be said
_SIGNS = 2.0  # standard deviations: a negative stiffness beyond has a wrong sign

Verdict = Literal["rigid", "elastic", "unknown"]


class Estimated(NamedTuple):
    """A value with its standard deviation."""

    value: float
    deviation: float


def with_deviations(quantities: Mapping[str, Estimated | None]) -> dict[str, Any]:
    """Return values by name, each followed by its standard deviation; None where it is unknown."""
    row: dict[str, Any] = {}
    for name, quantity in quantities.items():
        row[name], row[f"{name}_deviation"] = quantity or (None, None)
    return row


class Harmonic(NamedTuple):
    """A wave of a joint's deflection.

    Attributes:
        order: periods for each turn of the joint, or for each 2π metres.
        amplitude: [rad or m].
        phase: of cos(order q - phase) [rad].
        deviation: standard deviation of the amplitude [rad or m].
    """

    order: float
    amplitude: float
    phase: float
    deviation: float

    @property
    def size(self) -> Estimated:
        """Amplitude with its standard deviation."""
        return Estimated(self.amplitude, self.deviation)


@dataclass(frozen=True, eq=False)
class DeflectionFit:
    """A joint's deflection as it was fitted.

    Attributes:
        columns: besides the five of every joint.
        coefficients: (c,) of all columns.
        covariance: (c, c) of these, with what the uncertain link torque adds.
        determined: (c,) which columns the motion determines.
        shifted: delay of the link's encoder that was removed before [s].
        time_constant: damping over stiffness that was assumed [s].
        cubic: 1/K and H/K⁴ that were assumed beyond the columns of hardening (2,).
        held_out: (blocks,) mean squared errors on blocks left out [rad^2 or m^2].
        residual: rms error of the fit [rad or m].
        load: (K,) of each recording: link torque [N*m or N].
        corrected: (K,) of each recording: deflection under load, without all other columns.
    """

    columns: Columns
    coefficients: Array
    covariance: Array
    determined: Array
    shifted: float
    time_constant: float
    cubic: Array
    held_out: Array
    residual: float
    load: tuple[Array, ...]
    corrected: tuple[Array, ...]

    def at(self, column: int) -> Estimated | None:
        """Return a coefficient; None where the motion does not determine it."""
        if not self.determined[column]:
            return None
        deviation = float(np.sqrt(max(self.covariance[column, column], 0.0)))
        return Estimated(float(self.coefficients[column]), deviation)

    @property
    def whole_time_constant(self) -> float:
        """Damping over stiffness [s]; 0 where it is not known."""
        compliance, rest = self.coefficients[[COMPLIANCE, RELAXATION]]
        return float(self.time_constant + rest / compliance) if compliance > 0 else 0.0

    def product(self, column: int, power: int) -> Estimated | None:
        """Return a coefficient times a power of the stiffness; of the relaxation, all of it."""
        if not self.determined[[COMPLIANCE, column]].all():
            return None
        compliance, factor = (float(self.coefficients[n]) for n in (COMPLIANCE, column))
        known = self.time_constant if column == RELAXATION else 0.0
        factor += compliance * known
        slope = np.array([known - power * factor / compliance, 1.0]) / compliance**power
        chosen = np.ix_([COMPLIANCE, column], [COMPLIANCE, column])
        variance = float(slope @ self.covariance[chosen] @ slope)
        return Estimated(factor / compliance**power, float(np.sqrt(max(variance, 0.0))))

    def place(self, name: str) -> int | None:
        """Return the first column of an extra; None where it was not chosen."""
        return self.columns.first(name) if name in self.columns.extras else None

    def wave(self, order: float, column: int) -> Harmonic:
        """Return the wave of an order whose cosine has this column, and its sine the next."""
        both = slice(column, column + 2)
        wave = self.coefficients[both]
        amplitude = float(np.hypot(*wave))
        slope = wave / max(amplitude, 1e-300)
        variance = float(slope @ self.covariance[both, both] @ slope)
        deviation = float(np.sqrt(max(variance, 0.0)))
        return Harmonic(order, amplitude, float(np.arctan2(wave[1], wave[0])), deviation)

    @property
    def least_certain(self) -> str | None:
        """Name of the extra that is least above its standard deviation; None if all are."""
        sizes = {name: self._size_of(name) for name in self.columns.extras}
        known = {name: size for name, size in sizes.items() if size is not None}
        name = min(known, key=known.__getitem__, default=None)
        return None if name is None or known[name] > _CERTAIN else name

    def _size_of(self, name: str) -> float | None:
        """Return an extra's size in standard deviations; None of an error of any shape."""
        if name in POSITION_ERRORS:
            return None
        column = self.columns.first(name)
        found = self.at(column) if width_of(name) == 1 else self.wave(0.0, column).size
        return 0.0 if found is None else abs(found.value) / max(found.deviation, 1e-300)


@dataclass(frozen=True, eq=False)
class ElasticJoint:
    """A joint with encoders on both sides of its gear; units of a prismatic one in metres.

    Attributes:
        number: of the joint, from 0.
        name: of the joint.
        prismatic: whether it slides.
        tolerance: deflection up to which it counts as rigid [rad or m].
        fit: of its deflection.
        ratio: of its gear, radians of the motor for each rad or m; 1 where it is not known.
    """

    number: int
    name: str
    prismatic: bool
    tolerance: float
    fit: DeflectionFit
    ratio: float = 1.0

    @property
    def stiffness(self) -> Estimated | None:
        """Torque for each rad or m of deflection; None where it cannot be said."""
        compliance = self.fit.at(COMPLIANCE)
        if compliance is None or compliance.value < _CERTAIN * compliance.deviation:
            return None
        value = 1 / compliance.value
        return Estimated(value, compliance.deviation * value**2)

    @property
    def least_stiffness(self) -> float:
        """Lower limit of the stiffness, two standard deviations away."""
        compliance = self.fit.at(COMPLIANCE) or Estimated(0.0, 0.0)
        most = max(compliance.value, 0.0) + _SIGNS * compliance.deviation
        return 1 / most if most > 0 else 0.0

    @property
    def damping(self) -> Estimated | None:
        """Torque for each rad/s or m/s of the deflection's rate."""
        return None if self.stiffness is None else self.fit.product(RELAXATION, 2)

    @property
    def hardening(self) -> Estimated | None:
        """Torque for each cubic rad or m; None where data left out do not ask for it."""
        column = self.fit.place(HARDENING)
        return None if column is None or self.stiffness is None else self.fit.product(column, 4)

    @property
    def backlash(self) -> Estimated | None:
        """Distance between the sides of the teeth [rad or m]."""
        return None if self.stiffness is None else self.fit.at(PLAY)

    @property
    def friction_share(self) -> Estimated | None:
        """Share of friction behind the elasticity; None where data do not ask for it."""
        column = self.fit.place(FRICTION_SHARE)
        return None if column is None or self.stiffness is None else self.fit.product(column, 1)

    @property
    def scale(self) -> Estimated | None:
        """Share by which the motor turns further than the link; None where data do not ask."""
        column = self.fit.place(SCALE)
        return None if column is None else self.fit.at(column)

    @property
    def eccentricity(self) -> float | None:
        """Amplitude of the wave of one turn [rad or m]; None where data do not ask for it."""
        column = self.fit.place(ECCENTRICITY)
        return None if column is None else float(np.hypot(*self.fit.coefficients[column:][:2]))

    @property
    def encoder_error(self) -> float | None:
        """Range of the encoders' error over the recorded positions [rad or m]; None without one."""
        columns = self.fit.columns
        name = next((name for name in columns.extras if name in POSITION_ERRORS), None)
        if name is None:
            return None
        first = columns.first(name)
        steps = self.fit.coefficients[first : first + width_of(name)]
        return float(np.ptp(np.cumsum([0.0, *steps])))

    @property
    def delay(self) -> Estimated | None:
        """Time by which the link's encoder is later than the motor's [s]."""
        rest = self.fit.at(DELAY)
        return None if rest is None else rest._replace(value=rest.value + self.fit.shifted)

    @property
    def offset(self) -> Estimated | None:
        """Zero of the motor's encoder minus that of the link's [rad or m]."""
        return self.fit.at(OFFSET)

    @property
    def harmonics(self) -> tuple[Harmonic, ...]:
        """Waves of the angle, the strongest one first tried."""
        first = len(self.fit.coefficients) - 2 * len(self.fit.columns.orders)
        return tuple(
            self.fit.wave(order, first + 2 * place)
            for place, order in enumerate(self.fit.columns.orders)
        )

    @property
    def ripple(self) -> tuple[Harmonic, ...]:
        """Waves of the gear: of the motor's angle, and of half turns of the joint."""
        orders = {OVAL: 2.0} | {name: n * self.ratio for name, n in MOTOR_WAVES.items()}
        places = {name: self.fit.place(name) for name in orders}
        return tuple(
            self.fit.wave(orders[name], place)
            for name, place in places.items()
            if place is not None
        )

    @property
    def held_out(self) -> float:
        """Rms error of the deflection on blocks left out [rad or m]."""
        return float(np.sqrt(self.fit.held_out.mean()))

    @property
    def deflection_range(self) -> float:
        """Range of the deflection by load [rad or m]."""
        load = np.concatenate(self.fit.load) * self.fit.coefficients[COMPLIANCE]
        return float(np.ptp(load))

    @property
    def verdict(self) -> Verdict:
        """Whether the joint bends by more than its tolerance in these motions."""
        if self.stiffness is None:
            return "unknown"
        return "elastic" if self.deflection_range > self.tolerance else "rigid"

    @property
    def has_wrong_sign(self) -> bool:
        """Whether the link is ahead where it should be behind."""
        compliance = self.fit.at(COMPLIANCE)
        return compliance is not None and compliance.value < -_SIGNS * compliance.deviation


@dataclass(frozen=True, eq=False)
class ElasticIdentification:
    """Elastic joints of a robot.

    Attributes:
        robot: its name.
        model: of the links.
        joints: with two encoders.
        recordings: that were fitted.
        links: identification of the model; None if it was given.
    """

    robot: str
    model: Model
    joints: tuple[ElasticJoint, ...]
    recordings: tuple[Recording, ...]
    links: Identification | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each joint: names, values and standard deviations in SI units."""
        return [_row(joint) for joint in self.joints]

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``--json``."""
        return {
            "robot": self.robot,
            "recordings": [name_of(one) for one in self.recordings],
            "joints": {joint.name: _row(joint) for joint in self.joints},
        }


_QUANTITIES = (
    "stiffness",
    "hardening",
    "damping",
    "backlash",
    "friction_share",
    "delay",
    "offset",
    "scale",
)


def _row(joint: ElasticJoint) -> dict[str, Any]:
    return {
        "joint": joint.name,
        "verdict": joint.verdict,
        **with_deviations({name: getattr(joint, name) for name in _QUANTITIES}),
        "least_stiffness": joint.least_stiffness,
        "eccentricity": joint.eccentricity,
        "encoder_error": joint.encoder_error,
        "ripple": [one._asdict() for one in joint.ripple],
        "harmonics": [one._asdict() for one in joint.harmonics],
        "deflection_range": joint.deflection_range,
        "residual": joint.fit.residual,
        "held_out": joint.held_out,
        "candidates": [name for name in CANDIDATES if name in joint.fit.columns.extras],
    }
