"""How a robot is excited: the profile's ``excitation``."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import (
    Discriminator,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    Tag,
    model_validator,
)

from dynid.configuration import PerJoint, PerJointPositive, Settings, TaskSettings
from dynid.recording.columns import Column
from dynid.robot.robot import Robot

_SHORTEST_INTERVAL = 1e-3  # [s] between waypoints

Margin = Annotated[float, Field(gt=0, le=1)]


class _Excitation(TaskSettings):
    group = "excitation"


class SineSettings(_Excitation):
    """Every joint swings between two positions at its own frequency."""

    type: Literal["sine"] = "sine"
    """Type of the motion."""
    start: PerJoint
    """Position at one end of the swing [rad or m]."""
    target: PerJoint
    """Position at the other end [rad or m]."""
    frequency: PerJointPositive
    """Frequency of the swing [Hz]."""
    duration: PositiveFloat
    """Duration without the ramps [s]."""
    ramp: NonNegativeFloat = 1.0
    """Duration of the ramp at either end [s]."""
    margin: Margin = 1.0
    """Fraction of the limits that may be used."""


class FourierSettings(_Excitation):
    """A periodic sum of sines; random unless coefficients are given."""

    type: Literal["fourier"] = "fourier"
    """Type of the motion; the default where ``type`` is left out."""
    base_frequency: PositiveFloat = 0.1
    """Base frequency [Hz]; one period lasts 1 / base_frequency."""
    harmonics: PositiveInt = 5
    """Number of harmonics; the highest frequency is harmonics * base_frequency."""
    periods: PositiveInt = 3
    """Number of periods, without the ramps."""
    ramp: NonNegativeFloat = 2.0
    """Duration of the ramp from rest to full amplitude, and back [s]."""
    margin: Margin = 0.9
    """Fraction of the limits that may be used."""
    centre: PerJoint | None = None
    """Position about which joints move [rad or m]; null: middle of the position limits."""
    span: PerJointPositive | None = None
    """Largest distance from the centre [rad or m]; null: up to the position limits."""
    seed: NonNegativeInt = 0
    """Seed of the random coefficients."""
    sine: tuple[tuple[float, ...], ...] | None = None
    """Sine coefficients in place of random ones, a row for each joint [rad/s or m/s]."""
    cosine: tuple[tuple[float, ...], ...] | None = None
    """Cosine coefficients, given together with ``sine`` [rad/s or m/s]."""

    @model_validator(mode="after")
    def _coefficients_are_complete(self) -> FourierSettings:
        if (self.sine is None) != (self.cosine is None):
            raise ValueError(
                "'sine' and 'cosine' coefficients must be given together or not at all"
            )
        for name in ("sine", "cosine"):
            for row in getattr(self, name) or ():
                if len(row) != self.harmonics:
                    raise ValueError(
                        f"'{name}' has a row of {len(row)} coefficients, "
                        f"expected {self.harmonics} (one per harmonic)"
                    )
        return self


class SplineSettings(_Excitation):
    """A smooth motion through waypoints."""

    type: Literal["spline"] = "spline"
    """Type of the motion."""
    times: tuple[float, ...] = Field(min_length=2)
    """Times of the waypoints, increasing [s]."""
    waypoints: tuple[tuple[float, ...], ...]
    """Positions: a row for each time, with one number for each joint [rad or m]."""
    margin: Margin = 1.0
    """Fraction of the limits that may be used."""

    @model_validator(mode="after")
    def _waypoints_have_their_times(self) -> SplineSettings:
        if len(self.waypoints) != len(self.times):
            raise ValueError(
                f"there are {len(self.waypoints)} waypoints for {len(self.times)} times; each has "
                "its own"
            )
        for before, after in pairwise(self.times):
            if after - before < _SHORTEST_INTERVAL:
                raise ValueError(
                    f"times must increase by {_SHORTEST_INTERVAL:g} s or more, but {after:g} comes "
                    f"after {before:g}"
                )
        return self


class TrajectoryColumns(Settings):
    """Columns of a CSV file; lists are in the order of the joints."""

    time: Column = "time"
    """Column of the time [s]."""
    position: tuple[Column, ...] | None = None
    """Columns of the positions [rad or m]; null: those named like the joints."""
    velocity: tuple[Column, ...] | None = None
    """Columns of the velocities [rad/s or m/s]; null: those named ``<joint>_velocity``, if any."""
    acceleration: tuple[Column, ...] | None = None
    """Columns of the accelerations [rad/s^2 or m/s^2]; null: those named
    ``<joint>_acceleration``, if any."""


class TrajectorySettings(_Excitation):
    """The motion in a CSV file, or in a trajectory_msgs/JointTrajectory as YAML."""

    type: Literal["trajectory"] = "trajectory"
    """Type of the motion."""
    file: Annotated[str, Field(min_length=1)]
    """CSV file, or a JointTrajectory as YAML; the path is relative to the file that names it."""
    columns: TrajectoryColumns = TrajectoryColumns()
    """Columns of a CSV file."""
    margin: Margin = 1.0
    """Fraction of the limits that may be used."""


def _type_of(content: object) -> object:
    """Return the type of an excitation, ``fourier`` by default."""
    if isinstance(content, Mapping):
        return content.get("type", "fourier")
    return getattr(content, "type", None)


ExcitationSettings = Annotated[
    Annotated[SineSettings, Tag("sine")]
    | Annotated[FourierSettings, Tag("fourier")]
    | Annotated[SplineSettings, Tag("spline")]
    | Annotated[TrajectorySettings, Tag("trajectory")],
    Discriminator(
        _type_of,
        custom_error_type="excitation_type",
        custom_error_message="type must be fourier, sine, spline or trajectory",
    ),
]


def find_excitation(robot: Robot) -> ExcitationSettings | None:
    """Return the excitation in a robot's profile, or None."""
    return cast("ExcitationSettings | None", robot.find(_Excitation))


def find_trajectory(content: Mapping[str, Any], path: Path) -> None:
    """Resolve the file name in a YAML file's ``excitation`` relative to that file, ``path``."""
    excitation = content.get("excitation")
    file = excitation.get("file") if isinstance(excitation, dict) else None
    if isinstance(excitation, dict) and isinstance(file, str) and file:
        excitation["file"] = str(path.parent / file)
