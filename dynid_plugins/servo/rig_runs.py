"""rig.yaml: recordings of one servo on a rig with a rod and loads of known mass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field, NonNegativeFloat, PositiveFloat

from dynid.arrays import Array
from dynid.configuration import Settings
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError
from dynid.robot.drives import LARGEST, SMALLEST

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism
    from dynid.recording.model import Recording
    from dynid.robot.robot import Robot

_Length = Annotated[float, Field(ge=-1e3, le=1e3)]  # [m]
_Factor = Annotated[float, Field(ge=SMALLEST, le=LARGEST)]


class LoadSettings(Settings):
    """A body fixed to the rod, in the frame of the rod's link."""

    mass: PositiveFloat = Field(le=1e6)
    """[kg]."""
    centre: tuple[_Length, _Length, _Length]
    """Centre of mass [m]."""
    inertia: NonNegativeFloat = Field(default=0.0, le=1e12)
    """About its centre of mass and the joint's axis [kg m^2]; 0: a point mass."""


class RunSettings(Settings):
    """One recording of the rig, with what was changed for it."""

    recording: str
    """Commands and positions, relative to the rig's file."""
    load: LoadSettings | None = None
    """Null: the rod alone."""
    position_gain: _Factor | None = None
    """Of the servo's loop [duty per rad, or N m/rad]; null: the profile's."""
    supply_voltage: _Factor | None = None
    """[V]; null: the profile's."""
    start: NonNegativeFloat | None = None
    """Samples before this time are left out [s]."""
    stop: NonNegativeFloat | None = None
    """Samples after this time are left out [s]."""


class RigSettings(Settings):
    """The content of a rig's file."""

    profile: str = "servo_rig"
    """Profile of the rig, or a robot of dynid: one joint, ``servo``, and the rod in its URDF."""
    runs: tuple[RunSettings, ...] = Field(min_length=1)
    """The recordings."""


@dataclass(frozen=True, eq=False)
class RigRun:
    """A recording of a rig.

    Attributes:
        name: of the recording, for messages.
        robot: with the servo's values in this run.
        body: (10,) standard parameters of the rod with its load.
        recording: of positions, with commands as effort.
    """

    name: str
    robot: Robot
    body: Array
    recording: Recording

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism with the known body, and joint terms of 0."""
        bare = self.robot.mechanism()
        parameters = np.zeros(len(bare.parameter_names))
        parameters[: bare.first_term] = self.body
        return bare.with_parameters(parameters)


def rig_run(name: str, robot: Robot, recording: Recording, settings: RunSettings) -> RigRun:
    """Return a run of a rig.

    Raises:
        ConfigurationError: the robot is not a rig with one joint and a servo, or its servo has no
            supply voltage to be changed.
    """
    return RigRun(name, rig_robot(robot, settings), rig_body(robot, settings.load), recording)


def rig_robot(robot: Robot, settings: RunSettings) -> Robot:
    """Return the rig's robot with the servo's values of a run; see :func:`rig_run`."""
    if len(robot.joints) != 1 or robot.servo is None or robot.closed_chain.closures:
        raise ConfigurationError(
            f"{robot.name}: has {len(robot.joints)} joints and "
            f"{'no' if robot.servo is None else 'a'} group 'servo', but a rig has one joint, moved "
            "by one servo; docs/encoder-only.md describes it."
        )
    changes = {
        key: (value,)
        for key in ("position_gain", "supply_voltage")
        if (value := getattr(settings, key)) is not None
    }
    if "supply_voltage" in changes and robot.servo.supply_voltage is None:
        raise ConfigurationError(
            f"{settings.recording}: supply_voltage is given, but the servo of {robot.name} "
            "controls its torque; remove it, or give servo.supply_voltage and servo.resistance."
        )
    servo = robot.servo.model_copy(update=changes)
    return robot.with_explicit_terms().model_copy(update={"servo": servo})


def rig_body(robot: Robot, load: LoadSettings | None) -> Array:
    """Return the standard parameters (10,) of the rod of a URDF with a load."""
    mechanism = robot.mechanism()
    rod = np.array(mechanism.urdf_parameters[: mechanism.first_term])
    if load is None:
        return rod
    body = RigidBody(load.mass, np.array(load.centre), load.inertia * np.eye(3))
    return rod + body.parameters
