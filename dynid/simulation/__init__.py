"""A robot in place of the real one: it follows targets and is recorded."""

from dynid.simulation.robot import RobotState, SimulatedRobot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.truth import true_parameters

__all__ = [
    "RobotState",
    "SimulatedRobot",
    "SimulationSettings",
    "simulate",
    "true_parameters",
]
