"""Settings of elastic joints: the profile's ``elastic``."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, NonNegativeInt, PositiveFloat

from dynid.arrays import Array
from dynid.configuration import PerJointNotNegative, PerJointPositive, TaskSettings, per_joint
from dynid.errors import ConfigurationError
from dynid.recording.columns import SignalColumns
from dynid.robot.robot import Robot


class ElasticSettings(TaskSettings):
    """Joints whose gears bend, and the encoders at their links."""

    group = "elastic"
    kept_with_model = True

    joints: tuple[str, ...] | Literal["all"] = "all"
    """Names of the elastic joints, in the order of the lists below, or ``all``."""
    link_position: SignalColumns | None = None
    """Columns of the encoders at the links, one for each elastic joint; ``recording`` describes
    those of the motors, behind the gear. In a bag they are fields of any topic, or names of joints
    in that of the motors (docs/friction.md#elastic-joints). null: not recorded."""
    link_torque: bool = False
    """Whether collisions are detected by the torque in the gears, from ``stiffness`` and both
    encoders, where joints have them, in place of the motors' torque."""
    link_position_interface: Annotated[str, Field(min_length=1)] = "link_position"
    """State interface of a joint with the position of its link's encoder, for controllers."""
    link_torque_interface: Annotated[str, Field(min_length=1)] | None = None
    """State interface of a joint with the torque of a sensor in its gear, positive as the motor's,
    which controllers compare in place of that of ``stiffness``; null: there is none."""
    rotor_inertia: PerJointPositive | None = None
    """Inertia of each elastic joint's motor, before the gear [kg*m^2]; null: as identified."""
    stiffness: PerJointPositive | None = None
    """Stiffness of each elastic joint, as identified, for feedforward [N*m/rad or N/m]."""
    hardening: PerJointNotNegative = (0.0,)
    """Cubic stiffness of each elastic joint, added to that [N*m/rad^3 or N/m^3]."""
    damping: PerJointNotNegative = (0.0,)
    """Damping of each elastic joint [N*m*s/rad or N*s/m]."""
    backlash: PerJointNotNegative = (0.0,)
    """Total backlash of each elastic joint [rad or m]."""
    largest_deflection: PositiveFloat = 1e-4
    """Deflection [rad or m] up to which a joint counts as rigid."""
    most_harmonics: NonNegativeInt = 6
    """Largest number of harmonics of the angle in a joint's deflection."""

    def indices(self, robot: Robot) -> tuple[int, ...]:
        """Return the numbers of the elastic joints, from 0.

        Raises:
            ConfigurationError: a name is not that of a joint.
        """
        names = robot.joints if self.joints == "all" else self.joints
        for name in names:
            if name not in robot.joints:
                raise ConfigurationError(
                    f"profile '{robot.name}': elastic.joints names '{name}', which is no joint; "
                    f"its joints are {', '.join(robot.joints)}."
                )
        return tuple(robot.joints.index(name) for name in names)

    def encoders(self, robot: Robot) -> SignalColumns | None:
        """Return the columns of the encoders at the links, None without any.

        Raises:
            ConfigurationError: they are not one for each elastic joint.
        """
        link, joints = self.link_position, len(self.indices(robot))
        if link is not None and len(link.columns) != joints:
            raise ConfigurationError(
                f"profile '{robot.name}': elastic.link_position has {len(link.columns)} columns "
                f"for {joints} elastic joints; elastic.joints names those that have one."
            )
        return link

    def known_rotors(self, robot: Robot) -> Array | None:
        """Return the inertia of the rotors behind the gears (n,), 0 where it is not known."""
        if self.rotor_inertia is None:
            return None
        ratios = per_joint(robot.drives.gear_ratio, len(robot.joints), "drives.gear_ratio")
        return self.of_all_joints(robot, "rotor_inertia", 0.0) * ratios**2

    def of_all_joints(self, robot: Robot, name: str, rigid: float) -> Array:
        """Return the values of a list (n,), with that of a rigid joint for the others.

        Raises:
            ConfigurationError: the list has another length than the elastic joints.
        """
        elastic = list(self.indices(robot))
        values = np.full(len(robot.joints), rigid)
        values[elastic] = per_joint(getattr(self, name), len(elastic), f"elastic.{name}")
        return values


def elastic_settings(robot: Robot) -> ElasticSettings:
    """Return the settings of a robot, or the defaults where its profile has none."""
    return robot.find(ElasticSettings) or ElasticSettings()
