"""Multisines that excite one joint after another, on a slow swing.

Dry friction distorts the response to a multisine alone, because each wave changes the velocity's
sign. A slow swing, the carrier, keeps the sign for most of the time. The carrier is the first
harmonic and the waves are even ones, so that friction, which is odd in the velocity, answers the
carrier at odd harmonics only. Even harmonics that are left out show the distortion that remains
(Pintelon and Schoukens, System Identification, chapter 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.build import (
    centre_of,
    check_coefficients,
    described_excitation,
    room_about,
)
from dynid.excitation.files import read_excitation
from dynid.excitation.motion import Excitation
from dynid.excitation.settings import FourierSettings, find_excitation
from dynid.robot.model import Model

_DENSITY = 20  # waves for each octave, at most: low harmonics are fewer
_LEFT_OUT = 3  # one of so many harmonics, at random
_FEWEST_WAVES = 8
_TRIALS = 50  # random phases, of which those with the smallest peak are taken
_RAMP = 2.0  # [s]
_CARRIER = 0.15  # amplitude over the joint's range, or over a turn: inertia changes with position
_WAVES = 0.3  # largest velocity of the waves over that of the carrier
_SAMPLES = 16  # for each period of the fastest wave
_SHARES = np.linspace(1.0, 0.05, 20)  # of the waves' size, until ramps and torque fit, too
_INSIDE = 0.98  # of what may be used, by samples: the proof adds what is between them


@dataclass(frozen=True)
class MultisineSpec:
    """What a multisine is made of.

    Attributes:
        lowest_hz, highest_hz: band of its waves [Hz].
        period: of the motion [s].
        periods: their number; the first one is transient.
        seed: of the harmonics that are left out, and of the phases.
    """

    lowest_hz: float = 3.0
    highest_hz: float = 60.0
    period: float = 4.0
    periods: int = 6
    seed: int = 0

    def harmonics(self) -> NDArray[np.int_]:
        """Return the numbers of its waves (F,), evenly spread over the octaves.

        Raises:
            ConfigurationError: the band has too few.
        """
        octaves = max(np.log2(self.highest_hz / self.lowest_hz), 0.0)
        spread = np.geomspace(self.lowest_hz, self.highest_hz, int(_DENSITY * octaves) + 1)
        even = np.unique(2 * np.round(spread * self.period / 2).astype(int))
        even = even[even > 0]
        groups = len(even) // _LEFT_OUT
        chosen = np.random.default_rng(self.seed).integers(0, _LEFT_OUT, groups)
        waves = np.delete(even, _LEFT_OUT * np.arange(groups) + chosen)
        if len(waves) < _FEWEST_WAVES:
            raise ConfigurationError(
                f"a multisine from {self.lowest_hz:g} to {self.highest_hz:g} Hz with a period of "
                f"{self.period:g} s has {len(waves)} waves, expected at least {_FEWEST_WAVES}; "
                "make the band wider or the period longer."
            )
        return waves


def read_multisine(path: Path) -> FourierSettings:
    """Read a multisine from a file.

    Raises:
        ConfigurationError: the file cannot be read, or describes another motion.
    """
    settings = read_excitation(path)
    if not isinstance(settings, FourierSettings):
        raise ConfigurationError(_refusal(path))
    waves_of(settings, path)
    return settings


def waves_of(multisine: FourierSettings, name: object = "the excitation") -> NDArray[np.intp]:
    """Return the numbers of the waves (F,) of a named multisine, without the carrier.

    Raises:
        ConfigurationError: the excitation is no multisine.
    """
    size = np.abs([multisine.sine or ((0.0,),), multisine.cosine or ((0.0,),)]).max(axis=(0, 1))
    waves = np.flatnonzero(size) + 1
    even = waves[waves > 1]
    if len(even) == 0 or np.any(even % 2):
        raise ConfigurationError(_refusal(name))
    return even


def _refusal(name: object) -> str:
    return (
        f"{name} is no multisine of even harmonics on a slow swing; `dynid excite multisine` makes "
        "one."
    )


def propose_multisine(model: Model, joint: int, spec: MultisineSpec) -> FourierSettings:
    """Return a multisine of a joint within its limits, with the other joints at rest.

    Amplitudes of acceleration grow with the root of the frequency: between equal accelerations,
    which friction distorts at low frequencies, and equal velocities, whose torque is lost there.

    Args:
        model: predicts the torque.
        joint: its number, from 0.
        spec: band, period and seed.

    Raises:
        ConfigurationError: the band has too few waves, or a limit is missing.
        ExcitationError: the centre is outside the limits, or holding it takes too much torque.
    """
    robot, waves = model.robot, spec.harmonics()
    count, highest = len(robot.joints), int(waves[-1])
    check_coefficients(highest, count)
    given = find_excitation(robot) or FourierSettings()
    settings = FourierSettings(
        base_frequency=1 / spec.period,
        harmonics=highest,
        periods=spec.periods,
        ramp=_RAMP,
        margin=given.margin,
        centre=given.centre if isinstance(given, FourierSettings) else None,
    )
    centre = centre_of(settings, robot.limits, count)
    reach, speed, rise = room_about(centre, settings, robot.limits, robot.joints)[:, joint]
    if not np.isfinite(speed):
        raise ConfigurationError(
            f"joint '{robot.joints[joint]}': a multisine needs limits.velocity, by which it is "
            "scaled."
        )
    slow = 2 * np.pi / spec.period
    carrier = min(2 * _CARRIER * min(reach, np.pi) * slow, speed / (1 + _WAVES))
    velocity, largest = _with_small_peak(np.asarray(slow * waves, dtype=np.float64), spec)
    size = min(_WAVES * carrier / largest[0], rise / largest[1])
    sine, cosine = np.zeros((2, count, highest))
    sine[joint, 0] = carrier
    for share in _SHARES.tolist():
        sine[joint, waves - 1] = share * size * velocity.real
        cosine[joint, waves - 1] = -share * size * velocity.imag
        made = FourierSettings(
            **settings.model_dump(exclude={"centre"}, exclude_unset=True),
            centre=tuple(centre.tolist()),
            sine=tuple(map(tuple, sine.tolist())),
            cosine=tuple(map(tuple, cosine.tolist())),
        )
        motion = described_excitation(made, robot.limits, robot.joints)
        if _fits(motion, model, settings.margin):
            return made
    raise ExcitationError(
        f"joint '{robot.joints[joint]}': the slow swing alone takes more of its limits than margin "
        f"{settings.margin:g} allows; choose another excitation.centre, or a longer period."
    )


def multisine_row(
    name: str, settings: FourierSettings, joint: int, duration: float
) -> dict[str, Any]:
    """Return what a multisine does with its joint, in SI units."""
    speed = np.hypot(np.array(settings.sine)[joint], np.array(settings.cosine)[joint])
    rates = 2 * np.pi * settings.base_frequency * np.arange(1, len(speed) + 1)
    waves = speed[1:]
    return {
        "joint": name,
        "duration": duration,
        "waves": int(np.count_nonzero(waves)),
        "swing": float(speed[0] / rates[0]),
        "rms_velocity": float(np.sqrt(np.sum(waves**2) / 2)),
        "rms_acceleration": float(np.sqrt(np.sum((waves * rates[1:]) ** 2) / 2)),
    }


def _with_small_peak(rate: Array, spec: MultisineSpec) -> tuple[Array, Array]:
    """Return velocities (F,) of waves at angular frequencies, complex, and the sum's peaks.

    Of random phases those with the smallest peak of acceleration. The peaks (2,) are those of
    velocity and acceleration.
    """
    count = int(_SAMPLES * spec.highest_hz * spec.period)
    turning = np.exp(1j * np.outer(np.arange(count) * spec.period / count, rate))
    random = np.random.default_rng(spec.seed)
    phases = np.exp(1j * random.uniform(0, 2 * np.pi, (_TRIALS, len(rate))))
    peaks = np.abs((turning @ (1j * rate**0.5 * phases).T).real).max(axis=0)
    velocity = rate**-0.5 * phases[int(np.argmin(peaks))]
    return velocity, np.array([np.abs((turning @ velocity).real).max(), peaks.min()])


def _fits(excitation: Excitation, model: Model, margin: float) -> bool:
    """Return whether samples of a motion are within a share of the limits, just."""
    limits, count = model.robot.limits, len(model.robot.joints)
    samples = int(_SAMPLES * excitation.highest_frequency * excitation.duration)
    motion = excitation.evaluate(np.linspace(0, excitation.duration, samples))
    for name, values in (
        ("velocity", motion.velocity),
        ("acceleration", motion.acceleration),
        ("torque_max", model.mechanism.inverse_dynamics(*motion)),
    ):
        given = getattr(limits, name)
        if given is not None:
            most = _INSIDE * margin * per_joint(given, count, f"limits.{name}")
            if np.any(np.abs(values) > most):
                return False
    return True
