"""Elastic joints of the simulated robot: from the profile's ``elastic`` to the core's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.robot.elastic import ElasticSettings

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism
    from dynid.robot.robot import Robot


class JointElasticity(NamedTuple):
    """Gears that bend, all behind the gear; rigid joints have infinite stiffness (n,) each.

    Attributes:
        stiffness: [N*m/rad or N/m].
        damping: [N*m*s/rad or N*s/m].
        backlash: total [rad or m].
        rotor_inertia: of the motors of elastic joints, 0 of the others [kg*m^2 or kg].
    """

    stiffness: Array
    damping: Array
    backlash: Array
    rotor_inertia: Array


def joint_elasticity(
    robot: Robot, mechanism: Mechanism, parameters: Array
) -> JointElasticity | None:
    """Return the elasticity of the simulated robot; None where the profile states no stiffness.

    A motor's inertia is ``elastic.rotor_inertia``, or else that of the joint's rotor inertia term.

    Args:
        robot: with the terms of its simulated robot.
        mechanism: of this robot.
        parameters: its true ones (p,).

    Raises:
        ConfigurationError: an elastic joint's rotor has no inertia, or ``elastic`` names no joint.
    """
    elastic = robot.find(ElasticSettings)
    if elastic is None or elastic.stiffness is None:
        return None
    joints = list(elastic.indices(robot))
    rotors = elastic.known_rotors(robot)
    if rotors is None:
        rotors = _rotor_terms(mechanism, parameters)
    for joint in joints:
        if not rotors[joint] > 0:
            message = (
                f"profile '{robot.name}': joint '{robot.joints[joint]}' is elastic, but its rotor "
                f"has an inertia of {rotors[joint]:g}; give elastic.rotor_inertia, or a positive "
                f"'Ia{joint + 1}' in simulation.parameters."
            )
            raise ConfigurationError(message)
    return JointElasticity(
        stiffness=elastic.of_all_joints(robot, "stiffness", np.inf),
        damping=elastic.of_all_joints(robot, "damping", 0.0),
        backlash=elastic.of_all_joints(robot, "backlash", 0.0),
        rotor_inertia=np.where(np.isin(np.arange(len(rotors)), joints), rotors, 0.0),
    )


def _rotor_terms(mechanism: Mechanism, parameters: Array) -> Array:
    """Return the inertia (n,) of the rotor inertia terms at the joints."""
    joints = len(mechanism.joints)
    per_motor = np.diagonal(np.linalg.inv(mechanism.coupling)) ** 2
    inertia = np.zeros(joints)
    values = parameters[mechanism.first_term :]
    for term, value in zip(mechanism.terms, values, strict=True):
        if term.traits.inertial and term.joint < joints:
            inertia[term.joint] += value * (per_motor[term.joint] if term.side == "motor" else 1.0)
    return inertia
