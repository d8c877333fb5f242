"""True parameters of the simulated robot (ground truth)."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.robot.model import nominal_model
from dynid.simulation.settings import SimulationSettings

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism
    from dynid.robot.model import Model
    from dynid.robot.robot import Robot


def true_parameters(mechanism: Mechanism, settings: SimulationSettings) -> Array:
    """Return the parameters (p,) of the simulated robot: the URDF's, except those in settings.

    Stribeck friction in the settings has no parameter.

    Raises:
        ConfigurationError: a name in ``parameters`` is not one of the mechanism's.
    """
    names = mechanism.parameter_names
    values: Array = mechanism.urdf_parameters.copy()
    for name, value in settings.parameters.items():
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"did you mean '{near[0]}'" if near else "see the profile's terms"
            message = f"simulation: there is no parameter '{name}' in this model; {hint}."
            raise ConfigurationError(message)
        values[names.index(name)] = value
    return values


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
