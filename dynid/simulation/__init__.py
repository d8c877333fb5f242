"""A robot in place of the real one: it follows an excitation and is recorded."""

from dynid.simulation.friction import DryFriction
from dynid.simulation.plant import SimulatedMotion, integrate, true_parameters
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import measure, simulate

__all__ = [
    "DryFriction",
    "SimulatedMotion",
    "SimulationSettings",
    "integrate",
    "measure",
    "simulate",
    "true_parameters",
]
