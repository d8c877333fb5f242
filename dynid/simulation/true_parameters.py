"""True parameters of the simulated robot (ground truth)."""

from __future__ import annotations

from difflib import get_close_matches

import numpy as np
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.joint_terms import TermSettings, term_kind
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.rigid_body import steiner
from dynid.errors import ConfigurationError
from dynid.identification.result import Identification
from dynid.robot.model import Model, nominal_model
from dynid.robot.robot import Robot
from dynid.simulation.derived import simulation_settings
from dynid.simulation.settings import SimulationSettings

_OF_DRIVES = ("viscous", "coulomb", "offset", "rotor_inertia")
"""Kinds of terms that a simulated drive may have without being in the profile's ``terms``."""


def true_parameters(mechanism: Mechanism, settings: SimulationSettings) -> Array:
    """Return the parameters (p,) of the simulated robot: the URDF's, except those in settings.

    Stribeck friction in the settings has no parameter; friction, offsets and rotor inertias of
    drives for which the mechanism has no term are left out.

    Raises:
        ConfigurationError: a name in ``parameters`` is not one of the mechanism's.
    """
    names = mechanism.parameter_names
    values: Array = mechanism.urdf_parameters.copy()
    beyond = _drive_parameters(len(mechanism.moving_joints))
    for name, value in settings.parameters.items():
        if name in names:
            values[names.index(name)] = value
        elif name not in beyond:
            near = get_close_matches(name, names, n=1)
            hint = f"did you mean '{near[0]}'" if near else "see the profile's terms"
            message = f"simulation: there is no parameter '{name}' in this model; {hint}."
            raise ConfigurationError(message)
    return values


def with_true_terms(robot: Robot, settings: SimulationSettings) -> Robot:
    """Return the robot with a term for each parameter of its simulated drives.

    The model's ``terms`` are a choice of the identification; a drive has friction and a rotor
    without them.
    """
    names = robot.mechanism().parameter_names
    drives = _drive_parameters(len(robot.moving_joints))
    lacking = [drives[name] for name in settings.parameters if name in drives and name not in names]
    added = tuple(
        TermSettings(kind=kind, joints=joints)
        for kind in _OF_DRIVES
        if (joints := tuple(robot.moving_joints[j] for of, j in lacking if of == kind))
    )
    return robot.with_terms((*robot.explicit_terms, *added)) if added else robot


def simulated_model(robot: Robot) -> Model:
    """Return the model of a robot's simulated robot; without one, of its URDF.

    Raises:
        ConfigurationError: a name in ``simulation.parameters`` is not one of the mechanism's.
        MechanismError: robot and URDF do not make a mechanism.
    """
    settings = robot.find(SimulationSettings)
    if settings is None:
        return nominal_model(robot)
    return nominal_model(robot, true_parameters(robot.mechanism(), settings))


def standardised_errors(identification: Identification) -> dict[str, float]:
    """Return the errors of the base parameters in units of their standard deviations.

    By name, of the identifiable ones; friction not described by the model's terms (Stribeck) is not
    a parameter, but increases these errors.

    Raises:
        DynidError: the profile's ``simulation`` does not match its robot.
    """
    robot = identification.robot
    mechanism = robot.mechanism()
    standard = true_parameters(mechanism, simulation_settings(robot))
    truth: Array = base_parameterization(mechanism).project(standard)
    return {
        parameter.name: (parameter.value - true) / parameter.standard_deviation
        for parameter, true in zip(identification.base_parameters, truth.tolist(), strict=True)
        if parameter.determined and parameter.standard_deviation > 0
    }


def carrying(robot: Robot, mass: float, centre: ArrayLike, inertia: ArrayLike) -> Robot:
    """Return the robot with a payload on its simulated robot.

    Args:
        robot: without the payload.
        mass: [kg].
        centre: of mass (3,) in the frame of the joint that carries payloads [m].
        inertia: XX, XY, YY, XZ, YZ, ZZ about the centre of mass (6,) [kg m^2].

    Raises:
        MechanismError: robot and URDF do not match.
    """
    mechanism, simulation = robot.mechanism(), simulation_settings(robot)
    columns = 10 * mechanism.payload_body + np.arange(10)
    at = np.asarray(centre, dtype=np.float64)
    about_joint = np.asarray(inertia, dtype=np.float64) + steiner(mass, at)
    true = true_parameters(mechanism, simulation)[columns]
    true += np.concatenate([[mass], mass * at, about_joint])
    names = [mechanism.parameter_names[column] for column in columns]
    changed = simulation.parameters | dict(zip(names, true.tolist(), strict=True))
    return robot.with_settings(simulation.model_copy(update={"parameters": changed}))


def _drive_parameters(joints: int) -> dict[str, tuple[str, int]]:
    """Return kind and joint, from 0, of every parameter of a drive, by its name."""
    return {
        f"{term_kind(kind).prefix}{joint + 1}": (kind, joint)
        for kind in _OF_DRIVES
        for joint in range(joints)
    }
