"""An arm whose currents are recorded without and with a payload, and its true torque constants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynid.identification.drive_gains.identification import DriveGains, identify_drive_gains
from dynid.identification.drive_gains.known_payload import KnownPayload
from dynid.identification.payload.fit import payload_columns
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from support.carried_body import CENTRE, INERTIA, MASS, PARAMETERS
from support.synthetic import arm_robot, recorded, true_parameters

CONSTANTS = np.array([11.0, -7.5, 5.0])  # [N m/A], the elbow's gear turns the other way
WEIGHED = KnownPayload(MASS)
MEASURED = KnownPayload(MASS, tuple(CENTRE), tuple(INERTIA))
ROBOT = arm_robot(drives={"effort": "current", "torque_constant": [1.0, -1.0, 1.0]})
MODEL = ROBOT.mechanism()


def currents(
    robot: Robot = ROBOT,
    *,
    body: np.ndarray | None = None,
    noise: float = 0.05,
    seed: int = 0,
    changes: dict[str, float] | None = None,
) -> Recording:
    """Return currents [A] of the arm with a body (10,), and with some parameters changed."""
    mechanism = robot.mechanism()
    parameters = true_parameters(mechanism)
    for name, value in (changes or {}).items():
        parameters[mechanism.parameter_names.index(name)] = value
    if body is not None:
        parameters[payload_columns(mechanism)] += body
    recording = recorded(mechanism, parameters, samples=2000, rate=100.0, noise=noise, seed=seed)
    return replace(recording, effort=recording.effort / CONSTANTS)


def loaded(robot: Robot = ROBOT, **options: object) -> Recording:
    return currents(robot, body=PARAMETERS, **({"seed": 10} | options))


def found(
    payload: KnownPayload = WEIGHED,
    robot: Robot = ROBOT,
    *,
    without: Recording | None = None,
    with_it: Recording | None = None,
) -> DriveGains:
    return identify_drive_gains(
        robot, [without or currents(robot)], [with_it or loaded(robot)], payload
    )
