"""A payload for the tests, and arms that carry it."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.rigid_body import steiner
from dynid.identification.payload.fit import payload_columns
from dynid.identification.payload.identification import PayloadIdentification, identify_payload
from dynid.recording.model import Recording, Source
from dynid.robot.model import Model, nominal_model
from dynid.robot.provenance import ModelErrors
from dynid.robot.robot import Robot
from support.synthetic import arm_robot, recorded, true_parameters

MASS, CENTRE = 1.5, np.array([0.04, -0.03, 0.1])
INERTIA = np.array([6e-3, 4e-4, 5e-3, -3e-4, 2e-4, 3e-3])  # XX, XY, YY, XZ, YZ, ZZ
TRUTH = np.concatenate([[MASS], CENTRE, INERTIA])
PARAMETERS = np.concatenate([[MASS], MASS * CENTRE, INERTIA + steiner(MASS, CENTRE)])

# friction and torque per effort are the same in all recordings
SAME_DAY = {
    "cutoff_hz": None,
    "trim_rest": False,
    "friction_repeatability": 0.0,
    "torque_repeatability": 0.0,
}
ROBOT = arm_robot(identification=SAME_DAY)
MODEL = ROBOT.mechanism()
MODEL = MODEL.with_parameters(true_parameters(MODEL))


def loaded(model: Mechanism, body: np.ndarray = PARAMETERS) -> np.ndarray:
    """Return the parameters of a model that carries a body (10,)."""
    parameters = model.parameters.copy()
    parameters[payload_columns(model)] += body
    return parameters


def arm_with_payload(noise: float, seed: int = 0) -> Recording:
    return recorded(MODEL, loaded(MODEL), samples=2000, rate=100.0, noise=noise, seed=seed)


def base(mechanism: Mechanism = MODEL, robot: Robot = ROBOT) -> Model:
    """Return a model with the exact parameters, and errors of 0.05 N m."""
    joints = len(mechanism.joints)
    errors = dict.fromkeys((field.name for field in fields(ModelErrors)), (0.0,) * joints)
    errors |= {"rmse_torque": (0.05,) * joints, "unit": ("N*m",) * joints}
    return replace(
        nominal_model(robot),
        mechanism=mechanism,
        errors=ModelErrors(**errors),
        source=Source(name="model.yaml", sha256="0" * 64, kind="model"),
    )


def found_on(
    recording: Recording, model: Mechanism = MODEL, robot: Robot = ROBOT
) -> PayloadIdentification:
    return identify_payload(base(model, robot), [recording])
