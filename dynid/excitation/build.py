"""Build an excitation from settings and limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation.files import trajectory_excitation
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.limits import (
    check_finite,
    check_limits,
    check_rest,
    sample_peaks,
)
from dynid.excitation.motion import Excitation
from dynid.excitation.ramp import Ramp
from dynid.excitation.settings import (
    ExcitationSettings,
    FourierSettings,
    SineSettings,
    SplineSettings,
)
from dynid.excitation.sine import SineExcitation
from dynid.excitation.spline import SplineExcitation, spline_through
from dynid.limits import MOTION_COEFFICIENTS
from dynid.robot.limits import Limits


def build_excitation(
    settings: ExcitationSettings,
    limits: Limits,
    joints: Sequence[str],
    *,
    prismatic: Sequence[str] = (),
) -> Excitation:
    """Build the excitation that settings describe, and prove that it is within the limits.

    Random Fourier coefficients are scaled, joint by joint, to the largest values that margin, span
    and limits allow; everything else is used as given.

    Args:
        settings: what to build.
        limits: of the robot; absent limits are not applied.
        joints: names of the n joints, in drive order.
        prismatic: names of the prismatic joints, for units in messages.

    Raises:
        ConfigurationError: settings and joints do not match, a file is invalid, or nothing bounds
            random coefficients.
        ExcitationError: the motion exceeds a limit, or does not start and end at rest.
    """
    excitation = described_excitation(settings, limits, joints)
    check_rest(excitation, joints)
    check_limits(excitation, limits, joints, margin=settings.margin, prismatic=prismatic)
    return excitation


def described_excitation(
    settings: ExcitationSettings, limits: Limits, joints: Sequence[str]
) -> Excitation:
    """Build the excitation that settings describe, without checking the limits.

    Arguments and errors are those of :func:`build_excitation`, which also checks the limits. A
    motion with values that are not finite is rejected here.
    """
    with np.errstate(all="ignore"):
        excitation = _described(settings, limits, joints)
    check_finite(excitation, joints)
    return excitation


def _described(settings: ExcitationSettings, limits: Limits, joints: Sequence[str]) -> Excitation:
    if isinstance(settings, SineSettings):
        return _sine(settings, len(joints))
    if isinstance(settings, SplineSettings):
        return _spline(settings, len(joints))
    if not isinstance(settings, FourierSettings):
        return trajectory_excitation(settings, joints)
    check_coefficients(settings.harmonics, len(joints))
    if settings.sine is not None and settings.cosine is not None:
        return _given_fourier(settings, limits, len(joints))
    return _random_fourier(settings, limits, joints)


def check_coefficients(harmonics: int, joints: int) -> None:
    """Raise a ConfigurationError if a series has too many coefficients to compute."""
    count = harmonics * joints
    what = f"excitation: a series of {harmonics} harmonics for {joints} joints has {count} numbers"
    MOTION_COEFFICIENTS.check(count, what)


def _sine(settings: SineSettings, joints: int) -> SineExcitation:
    return SineExcitation(
        start=per_joint(settings.start, joints, "start"),
        target=per_joint(settings.target, joints, "target"),
        frequency=per_joint(settings.frequency, joints, "frequency"),
        ramp=Ramp(settings.ramp, settings.duration + 2 * settings.ramp),
    )


def _spline(settings: SplineSettings, joints: int) -> SplineExcitation:
    for number, waypoint in enumerate(settings.waypoints, start=1):
        if len(waypoint) != joints:
            raise ConfigurationError(
                f"excitation: waypoint {number} has {len(waypoint)} positions, expected {joints} "
                "(one per joint)."
            )
    return spline_through(np.array(settings.times), np.array(settings.waypoints))


def _given_fourier(settings: FourierSettings, limits: Limits, joints: int) -> FourierExcitation:
    coefficients = []
    for name, rows in (("sine", settings.sine), ("cosine", settings.cosine)):
        array = np.array(rows, dtype=np.float64)
        if len(array) != joints:
            raise ConfigurationError(
                f"excitation: '{name}' has {len(array)} rows, expected {joints} (one per joint)."
            )
        coefficients.append(array)
    centre = centre_of(settings, limits, joints)
    return _fourier(settings, centre, coefficients[0], coefficients[1])


def _random_fourier(
    settings: FourierSettings, limits: Limits, joints: Sequence[str]
) -> FourierExcitation:
    random = np.random.default_rng(settings.seed)
    sine, cosine = random.standard_normal((2, len(joints), settings.harmonics))
    raw = _fourier(settings, centre_of(settings, limits, len(joints)), sine, cosine)
    check_finite(raw, joints)
    reach = _reach(raw)
    allowed = room_about(raw.centre, settings, limits, joints)
    if np.any(np.all(np.isinf(allowed), axis=0)):
        message = "excitation: random coefficients need 'span' or a limit that sets their size."
        raise ConfigurationError(message)
    return raw.scaled(np.min(allowed / reach, axis=0) * (1 - 1e-9))


def _fourier(
    settings: FourierSettings, centre: Array, sine: Array, cosine: Array
) -> FourierExcitation:
    duration = settings.periods / settings.base_frequency + 2 * settings.ramp
    ramp = Ramp(settings.ramp, duration)
    return FourierExcitation(centre, sine, cosine, settings.base_frequency, ramp)


def centre_of(settings: FourierSettings, limits: Limits, joints: int) -> Array:
    """Return the position about which the joints move (n,) [rad or m]."""
    if settings.centre is not None:
        return per_joint(settings.centre, joints, "centre")
    return limits.of_joints(joints).middle


def _reach(excitation: Excitation) -> Array:
    """Return the largest distance from the centre, velocity and acceleration; (3, n)."""
    peaks = sample_peaks(excitation)
    position, velocity, acceleration = peaks.motion
    sizes = (position - position[0], velocity, acceleration)
    return np.array([np.max(np.abs(values), axis=0) for values in sizes]) + peaks.slack


def room_about(
    centre: Array, settings: FourierSettings, limits: Limits, joints: Sequence[str]
) -> Array:
    """Return the allowed distance from the centre, velocity and acceleration, or inf; (3, n).

    Raises:
        ExcitationError: the centre (n,) is outside the position limits, or on them.
    """
    bounds = limits.of_joints(len(joints))
    span = per_joint(settings.span or (np.inf,), len(joints), "span")
    room = settings.margin * bounds.half - np.abs(centre - bounds.middle)
    speeds = settings.margin * np.array([bounds.velocity, bounds.acceleration])
    allowed = np.vstack([np.minimum(room, span), speeds])
    for j in np.flatnonzero(allowed[0] <= 0).tolist():
        raise ExcitationError(
            f"joint '{joints[j]}': the excitation's centre {centre[j]:.4g} is outside "
            f"the part of its position limits that margin {settings.margin:g} allows."
        )
    return allowed
