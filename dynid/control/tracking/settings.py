"""The motion of a tracking trial: the profile's ``tracking``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PositiveFloat

from dynid.configuration import PerJoint, TaskSettings
from dynid.errors import ConfigurationError
from dynid.robot.robot import Robot


class _Tracking(TaskSettings):
    group = "tracking"


class OscillateSettings(_Tracking):
    """One joint oscillates about its rest position; the error of another joint is measured."""

    type: Literal["oscillate"]
    """Type of the motion."""
    joint: str
    """Joint that oscillates about its position."""
    watch: str
    """Joint that stays at rest, and whose peak-to-peak error is evaluated."""
    amplitude: PositiveFloat
    """Amplitude of the oscillation [rad or m]."""
    frequency: PositiveFloat
    """Frequency of the oscillation [Hz]."""
    periods: Annotated[int, Field(ge=3)] = 6
    """Number of periods; the first and the last are ramps."""
    position: PerJoint = (0.0,)
    """Positions of the joints at rest [rad or m]."""


class LineSettings(_Tracking):
    """The tool moves along a straight line, from rest to rest, and settles."""

    type: Literal["line"]
    """Type of the motion."""
    start: PerJoint
    """Joint positions at the start of the line [rad or m]."""
    direction: tuple[float, float, float]
    """Direction of the line in the root link's frame."""
    length: PositiveFloat
    """Length of the line [m]."""
    speed: PositiveFloat
    """Largest speed of the tool [m/s]."""
    acceleration: PositiveFloat
    """Largest acceleration of the tool [m/s^2]."""
    settle_window: PositiveFloat = 1e-4
    """Distance of the tool from its goal at which it has settled [m]."""
    settle_time: PositiveFloat = 0.02
    """Time for which it must stay there [s]."""
    hold: PositiveFloat = 0.6
    """Time that is evaluated after the motion [s]."""


TrackingSettings = Annotated[OscillateSettings | LineSettings, Field(discriminator="type")]


def find_tracking(robot: Robot) -> TrackingSettings | None:
    """Return the tracking motion in a robot's profile, if it has one."""
    settings = robot.find(_Tracking)
    if settings is None or isinstance(settings, OscillateSettings | LineSettings):
        return settings
    raise TypeError(settings)


def given_tracking(robot: Robot) -> TrackingSettings:
    """Return the tracking motion in a robot's profile.

    Raises:
        ConfigurationError: it has none.
    """
    settings = find_tracking(robot)
    if settings is None:
        raise ConfigurationError(f"profile '{robot.name}' has no motion under 'tracking'.")
    return settings
