"""Build the simulated robot of a profile: bodies, friction and drives in C++."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.robot.drives import measured_torque_per_permille
from dynid.robot.elastic import ElasticSettings
from dynid.robot.robot import Robot
from dynid.simulation.derived import simulation_settings
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.true_parameters import true_parameters, with_true_terms


class PlantArguments(NamedTuple):
    """Arguments of the core's plant; parameters (p,), settings as in the core."""

    mechanism: Mechanism
    parameters: Array
    settings: _core.DrivePlantSettings


def plant_arguments(robot: Robot, *, control_rate: float, seed: int = 0) -> PlantArguments:
    """Return the arguments of the robot that a profile's ``simulation`` describes.

    Signs that models smooth are exact in it, so that joints stick. Joints for which ``elastic`` has
    a stiffness bend. Without ``simulation``, its drives are derived
    (:func:`~dynid.simulation.derived.derived_simulation`).

    Raises:
        ConfigurationError: the settings do not match the mechanism.
        MechanismError: profile and URDF do not match.
    """
    simulation = simulation_settings(robot)
    robot = _dry(with_true_terms(robot, simulation))
    mechanism = robot.mechanism()
    settings = _core_settings(robot, mechanism, simulation)
    settings.control_rate = control_rate
    settings.seed = seed
    parameters = true_parameters(mechanism, simulation)
    set_elasticity(settings, robot, mechanism, parameters)
    return PlantArguments(mechanism, parameters, settings)


def build_plant(
    robot: Robot, *, control_rate: float, seed: int, mode: _core.DriveMode | None = None
) -> _core.DrivePlant:
    """Build the robot from the result of :func:`plant_arguments`.

    Raises:
        ConfigurationError: the settings do not describe a valid robot.
        MechanismError: profile and URDF do not match.
    """
    made = plant_arguments(robot, control_rate=control_rate, seed=seed)
    mechanism = made.mechanism
    if mode is not None:
        made.settings.mode = mode
    try:
        return _core.DrivePlant(mechanism.core_description, made.parameters, made.settings)
    except ValueError as error:
        raise ConfigurationError(f"simulation: {error}") from None


def _dry(robot: Robot) -> Robot:
    """Return the robot without smoothing of dry friction, which is a property of models."""
    true = {"smoothing": 0.0, "dead_band": 0.0}
    terms = tuple(term.model_copy(update=true) for term in robot.explicit_terms)
    return robot.model_copy(update={"terms": terms, "semi_static": False})


def _core_settings(
    robot: Robot, mechanism: Mechanism, simulation: SimulationSettings
) -> _core.DrivePlantSettings:
    joints = len(robot.joints)
    limits = robot.limits.of_joints(joints)
    endless = np.where(np.array(mechanism.joint_types) == "revolute", np.pi, 0.0)
    settings = _core.DrivePlantSettings()
    settings.lower = np.where(np.isfinite(limits.low), limits.low, -endless)
    settings.upper = np.where(np.isfinite(limits.high), limits.high, endless)
    settings.integration_rate = simulation.integration_rate
    settings.command_delay = simulation.command_delay
    settings.feedback_delay = simulation.feedback_delay
    settings.motor_side = robot.at_motors
    for name in (
        "bandwidth_hz",
        "damping_ratio",
        "following_error",
        "position_resolution",
        "torque_noise",
        "stribeck_torque",
        "stribeck_velocity",
    ):
        setattr(settings, name, per_joint(getattr(simulation, name), joints, name))
    integral_time = simulation.integral_time or (np.inf,)
    settings.integral_time = per_joint(integral_time, joints, "integral_time")
    settings.torque_max = limits.torque
    settings.stop_deceleration = limits.acceleration
    settings.rated_torque = _rated_torque(robot, simulation)
    return settings


def _rated_torque(robot: Robot, simulation: SimulationSettings) -> Array:
    """Return the torque (n,) of 1000 ‰ reported by the drives [N*m or N]; 0 if unknown."""
    joints, drives = len(robot.joints), robot.drives
    if simulation.rated_torque is not None:
        return per_joint(simulation.rated_torque, joints, "rated_torque")
    if drives.feedback == "torque":
        known = drives.scales_torque_offset
    else:
        known = drives.rated_current_ma is not None and drives.torque_constant is not None
    if not known:
        return np.zeros(joints)
    rated: Array = np.abs(1000 * measured_torque_per_permille(drives, joints))
    return rated


def set_elasticity(
    settings: _core.DrivePlantSettings, robot: Robot, mechanism: Mechanism, parameters: Array
) -> None:
    """Set gears and rotors of elastic joints, where the profile states their stiffness.

    A motor's inertia is ``elastic.rotor_inertia``, or else that of the joint's rotor inertia term.

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
            raise ConfigurationError(
                f"profile '{robot.name}': joint '{robot.joints[joint]}' is elastic, but its rotor "
                f"has an inertia of {rotors[joint]:g}; give elastic.rotor_inertia, or a positive "
                f"'Ia{joint + 1}' in simulation.parameters."
            )
    settings.joint_stiffness = elastic.of_all_joints(robot, "stiffness", np.inf)
    settings.joint_hardening = elastic.of_all_joints(robot, "hardening", 0.0)
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
