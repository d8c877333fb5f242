"""Elastic joints of the simulated robot: from the profile's ``elastic`` to the core's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.robot.elastic import ElasticSettings

if TYPE_CHECKING:
    from dynid import _core
    from dynid.dynamics.mechanism import Mechanism
    from dynid.robot.robot import Robot


def set_elasticity(
    settings: _core.DrivePlantSettings, robot: Robot, mechanism: Mechanism, parameters: Array
) -> None:
    """Set gears and rotors of elastic joints, where the profile states their stiffness.

    A motor's inertia is ``elastic.rotor_inertia``, or else that of the joint's rotor inertia term.

    Args:
        settings: of the simulated robot.
        robot: with the terms of its simulated robot.
        mechanism: of this robot.
        parameters: its true ones (p,).

    Raises:
        ConfigurationError: an elastic joint's rotor has no inertia, or ``elastic`` names no joint.
    """
    elastic = robot.find(ElasticSettings)
    if elastic is None or elastic.stiffness is None:
        return
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
    settings.joint_stiffness = elastic.of_all_joints(robot, "stiffness", np.inf)
    settings.joint_damping = elastic.of_all_joints(robot, "damping", 0.0)
    settings.joint_backlash = elastic.of_all_joints(robot, "backlash", 0.0)
    settings.rotor_inertia = np.where(np.isin(np.arange(len(rotors)), joints), rotors, 0.0)


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
