"""The simulated PUMA 560 of the tests, and a short motion of it."""

from __future__ import annotations

from functools import cache

import numpy as np

from dynid.excitation.build import build_excitation
from dynid.excitation.motion import Excitation
from dynid.excitation.settings import FourierSettings
from dynid.profile import load_robot
from dynid.robot.robot import Robot
from dynid.simulation.settings import SimulationSettings

ROBOT = load_robot("puma560")
SIMULATION = ROBOT.find(SimulationSettings) or SimulationSettings()
MECHANISM = ROBOT.mechanism()
RATE = 1000.0
EXACT = {"rated_torque": (0.0,), "position_resolution": (0.0,), "torque_noise": (0.0,)}


def puma(**simulation: object) -> Robot:
    return ROBOT.with_settings(SIMULATION.model_copy(update=simulation))


@cache
def short_excitation() -> Excitation:
    settings = FourierSettings(base_frequency=0.5, harmonics=3, periods=1, ramp=0.5, seed=2)
    return build_excitation(settings, ROBOT.limits, ROBOT.joints)


def targets(rate: float = RATE) -> np.ndarray:
    excitation = short_excitation()
    time = np.arange(round((excitation.duration + 1) * rate)) / rate
    return excitation.evaluate(time - 0.5).position


def largest(values: np.ndarray) -> float:
    return float(np.max(np.abs(values)))
