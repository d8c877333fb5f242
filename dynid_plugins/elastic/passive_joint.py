"""Elastic joints of a profile as pairs of joints in a simulator's file: motor, then spring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dynid.configuration import per_joint
from dynid.errors import ConfigurationError
from dynid.robot.elastic import ElasticSettings
from dynid.robot.robot import Robot

_ENDING = "_elastic"


@dataclass(frozen=True)
class PassiveJoint:
    """The gear of an elastic joint: a spring and a damper between motor and link.

    Attributes:
        motor: name of the joint in the file, which becomes the motor's.
        stiffness: [N*m/rad or N/m].
        damping: [N*m*s/rad or N*s/m].
        rotor: inertia of the motor behind the gear [kg*m^2 or kg]; None: as in the file.
        backlash: total, which files of simulators do not have [rad or m].
        prismatic: whether it slides.
        hardening: cubic stiffness, which they do not have either [N*m/rad^3 or N/m^3].
    """

    motor: str
    stiffness: float
    damping: float
    rotor: float | None
    backlash: float
    prismatic: bool
    hardening: float = 0.0

    @property
    def name(self) -> str:
        """Name of the passive joint."""
        return self.motor + _ENDING


@dataclass(frozen=True, eq=False)
class ElasticFile:
    """A file of a simulator with elastic joints.

    Attributes:
        text: of the file.
        joints: that were split.
        rotors: inertia of each motor in the file [kg*m^2 or kg].
        notes: sentences on what differs from the profile or the given file.
    """

    text: str
    joints: tuple[PassiveJoint, ...]
    rotors: tuple[float, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``--json``, in SI units."""
        return {
            "joints": {
                joint.motor: {
                    "passive_joint": joint.name,
                    "stiffness": joint.stiffness,
                    "damping": joint.damping,
                    "rotor_inertia": rotor,
                }
                for joint, rotor in zip(self.joints, self.rotors, strict=True)
            },
            "notes": list(self.notes),
        }


def passive_joints(robot: Robot, names: Mapping[str, str]) -> tuple[PassiveJoint, ...]:
    """Return the elastic joints of a profile.

    Args:
        robot: with ``elastic``.
        names: of joints in the file, where they differ from the profile's.

    Raises:
        ConfigurationError: the profile has no stiffness, or a name is none of its joints.
    """
    settings = robot.find(ElasticSettings)
    if settings is None or settings.stiffness is None:
        raise ConfigurationError(
            f"profile '{robot.name}': elastic.stiffness is missing; set it [N m/rad or N/m], as "
            "'dynid identify elastic' prints it (docs/friction.md#elastic-joints)."
        )
    for name in names:
        if name not in robot.joints:
            raise ConfigurationError(
                f"--map {name}: is no joint of profile '{robot.name}'; its joints are "
                f"{', '.join(robot.joints)}."
            )
    elastic = settings.indices(robot)
    stiffness, damping, backlash, hardening = (
        per_joint(getattr(settings, name), len(elastic), f"elastic.{name}").tolist()
        for name in ("stiffness", "damping", "backlash", "hardening")
    )
    rotors, slides = settings.known_rotors(robot), robot.mechanism().prismatic
    return tuple(
        PassiveJoint(
            motor=names.get(robot.joints[joint], robot.joints[joint]),
            stiffness=stiffness[place],
            damping=damping[place],
            rotor=None if rotors is None else float(rotors[joint]),
            backlash=backlash[place],
            prismatic=bool(slides[joint]),
            hardening=hardening[place],
        )
        for place, joint in enumerate(elastic)
    )
