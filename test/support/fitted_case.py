"""A recording of a simulated arm with its fitted model, as input of a diagnosis."""

from __future__ import annotations

import numpy as np

from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.fitting import build_problem, fit
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.errors import compare
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from support.synthetic import arm_robot, recorded, true_parameters

RATE = 200.0

TURNTABLE_URDF = """
<robot name="turntable"><link name="base"/>
  <link name="table"><inertial><mass value="1"/><origin xyz="0.02 0 0"/>
    <inertia ixx="0.003" iyy="0.003" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="table"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="5" effort="50"/></joint>
</robot>
"""


def arm(noise: float = 0.05, seed: int = 0) -> tuple[Robot, np.ndarray, Recording]:
    """Return the arm with plain friction, its true parameters, and a recording of it."""
    robot = arm_robot()
    mechanism = robot.mechanism()
    parameters = true_parameters(mechanism)
    return robot, parameters, recorded(mechanism, parameters, noise=noise, rate=RATE, seed=seed)


def fitted_case(robot: Robot, recording: Recording) -> Case:
    """Return the input of a cause's diagnosis."""
    mechanism, settings = robot.mechanism(), robot.settings(IdentificationSettings)
    signals = (preprocess(recording, robot),)
    problem = build_problem(mechanism, base_parameterization(mechanism), signals, settings)
    fitted = fit(problem, settings)
    model = mechanism.with_parameters(fitted.standard)
    compared = compare(model, signals, settings)
    return Case(robot, mechanism, (recording,), signals, model, compared, fitted)


def with_terms(mechanism: Mechanism, **terms: float) -> np.ndarray:
    """Return the true parameters with other values of some terms."""
    parameters = true_parameters(mechanism)
    for name, value in terms.items():
        parameters[mechanism.parameter_names.index(name)] = value
    return parameters
