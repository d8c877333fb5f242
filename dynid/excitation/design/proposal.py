"""Proposed duration, periods and frequencies of an optimised excitation."""

from __future__ import annotations

import numpy as np

from dynid.configuration import per_joint
from dynid.errors import ConfigurationError
from dynid.excitation.build import check_coefficients
from dynid.excitation.limits import check_duration
from dynid.excitation.settings import FourierSettings, find_excitation
from dynid.robot.robot import Robot
from dynid.signals.settings import SignalSettings

_FEWEST_HARMONICS, _MOST_HARMONICS = 5, 12
"""Proposed numbers of harmonics: fewer allow little choice, more improve the result little."""

_BELOW_CUTOFF = 4.0
"""Cut-off frequency of the identification over the highest harmonic, so that it passes."""

_HIGHEST_FREQUENCY = 2.5  # [Hz] without a cut-off: position control follows well up to there
_NO_CUTOFF = 10.0  # [Hz] in place of a cut-off: above, position control does not follow
_PERIOD = 10.0  # [s] default


def propose_series(
    robot: Robot,
    *,
    duration: float | None = None,
    periods: int | None = None,
    harmonics: int | None = None,
) -> FourierSettings:
    """Return settings for an optimised series; arguments that are None are proposed.

    Duration, periods, margin, centre and span are the profile's where it has an excitation of type
    fourier. The highest harmonic is where a joint needs all of its velocity and acceleration at
    once, f = a / (2 π v) (above it, the acceleration limit allows less and less velocity), and well
    below the identification's cut-off.

    Args:
        robot: with its limits and settings.
        duration: of the whole motion [s].
        periods: how often the series is repeated.
        harmonics: of the series, 3 or more.

    Raises:
        ConfigurationError: too few harmonics to start and end at rest, or the highest is above the
            identification's cut-off.
    """
    if harmonics is not None and harmonics < 3:
        message = f"harmonics {harmonics}: a series that starts and ends at rest needs 3 or more."
        raise ConfigurationError(message)
    excitation = find_excitation(robot)
    settings = excitation if isinstance(excitation, FourierSettings) else None
    times = periods or (settings.periods if settings else 1)
    if duration is not None:
        period = duration / times
    else:
        period = 1 / settings.base_frequency if settings else _PERIOD
    check_duration(times * period)
    proposed = int(np.clip(_highest(robot) * period, _FEWEST_HARMONICS, _MOST_HARMONICS))
    chosen = harmonics or proposed
    check_coefficients(chosen, len(robot.joints))
    cutoff = robot.settings(SignalSettings).motion_cutoff_hz or _NO_CUTOFF
    if chosen / period > cutoff:
        raise ConfigurationError(
            f"{chosen} harmonics of a series of {period:.4g} s go up to {chosen / period:.4g} Hz, "
            f"above the cut-off frequency {cutoff:g} Hz of the identification; give a duration of "
            f"{times * chosen / cutoff:.4g} s or more, or fewer harmonics."
        )
    return FourierSettings(
        base_frequency=1 / period,
        harmonics=chosen,
        periods=times,
        ramp=0.0,
        margin=settings.margin if settings else 0.9,
        centre=settings.centre if settings else None,
        span=settings.span if settings else None,
    )


def _highest(robot: Robot) -> float:
    """Return the highest useful frequency [Hz]."""
    cutoff = robot.settings(SignalSettings).motion_cutoff_hz
    highest = _HIGHEST_FREQUENCY if cutoff is None else cutoff / _BELOW_CUTOFF
    limits, joints = robot.limits, len(robot.joints)
    if limits.velocity is None or limits.acceleration is None:
        return highest
    velocity = per_joint(limits.velocity, joints, "velocity")
    acceleration = per_joint(limits.acceleration, joints, "acceleration")
    return min(highest, float(np.max(acceleration / velocity)) / (2 * np.pi))
