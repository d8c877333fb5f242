"""A simulated robot with a payload."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dynid.dynamics.body import steiner
from dynid.identification.payload.fit import payload_columns
from dynid.robot.robot import Robot
from dynid.simulation.derived import simulation_settings
from dynid.simulation.true_parameters import true_parameters


def carrying(robot: Robot, mass: float, centre: ArrayLike, inertia: ArrayLike) -> Robot:
    """Return the robot with a payload on its simulated robot.

    Args:
        robot: without the payload; its ``simulation`` has the true parameters.
        mass: [kg].
        centre: of mass (3,) in the frame of the joint that carries payloads [m].
        inertia: XX, XY, YY, XZ, YZ, ZZ about the centre of mass (6,) [kg m^2].

    Raises:
        MechanismError: robot and URDF do not match.
    """
    mechanism = robot.mechanism()
    simulation = simulation_settings(robot)
    at, columns = np.asarray(centre, dtype=np.float64), payload_columns(mechanism)
    true = true_parameters(mechanism, simulation)[columns]
    about_joint = np.asarray(inertia, dtype=np.float64) + steiner(mass, at)
    true += np.concatenate([[mass], mass * at, about_joint])
    names = [mechanism.parameter_names[column] for column in columns]
    changed = simulation.parameters | dict(zip(names, true.tolist(), strict=True))
    return robot.with_settings(simulation.model_copy(update={"parameters": changed}))
