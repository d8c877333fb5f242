"""Output error on the SICE arm: the parameters whose simulated positions are nearest to measured.

Torque is what the arm was given, so it is simulated without a controller: dynid's simulated robot
with drives that do nothing but add torque. Nothing is differentiated, and noise stays where it is,
on the output (L. Ljung, "System identification", 1999, section 7.2).
"""

from __future__ import annotations

import numpy as np
from sice_arm import PERIOD, SAMPLES, torque_at

from dynid.arrays import Array
from dynid.profile import load_robot
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.settings import SimulationSettings

_RATE = 20_000.0  # integration steps per second
_STEP = 5e-3  # of a parameter, for its central difference
_NEWTON, _CHORD = 4, 2  # iterations with slopes of their own, and with those of the first series
_LARGEST = 0.3  # change of a parameter in an iteration, relative
_DEFINITE = 0.98  # of the r from which on the mass matrix is singular
_IDLE: dict[str, object] = {
    "bandwidth_hz": (1e-9,),
    "integral_time": None,
    "following_error": (100.0,),
    "position_resolution": (0.0,),
    "torque_noise": (0.0,),
    "rated_torque": (0.0, 0.0),
    "command_delay": 0,
    "feedback_delay": 0,
    "home": (0.0, 0.0),
    "integration_rate": _RATE,
}


def output_errors(measured: list[Array], start: Array, scale: float) -> list[Array]:
    """Return the parameters (7,) of each series of measured positions (N, 2), by Gauss-Newton.

    The slopes found for the first series serve all: they differ by noise only.
    """
    parameters, slopes = _possible(start), np.empty(0)
    for _ in range(_NEWTON):
        here = simulated(parameters, scale)
        slopes = _slopes(parameters, scale)
        parameters = _improved(parameters, slopes, measured[0] - here)
    found = []
    for position in measured:
        own = parameters
        for _ in range(_CHORD):
            own = _improved(own, slopes, position - simulated(own, scale))
        found.append(own)
    return found


def simulated(parameters: Array, scale: float) -> Array:
    """Positions (N, 2) of the arm with J1, J2, r, b1, b2, d1, d2, from rest."""
    robot = load_robot("sice")
    j1, j2, r, b1, b2, d1, d2 = (float(value) for value in parameters)
    mechanism = robot.mechanism()
    mass = mechanism.urdf_parameters[mechanism.parameter_names.index("M2")]
    bodies = {"ZZ1": j1 - 0.04 * mass, "ZZ2": j2, "MX2": r / 0.2}  # links of 0.2 m
    true = {**bodies, "Fv1": b1, "Fv2": b2, "Fc1": d1, "Fc2": d2}
    simulation = SimulationSettings().model_copy(update={**_IDLE, "parameters": true})
    arm = SimulatedRobot(robot.with_settings(simulation), control_rate=1 / PERIOD)
    torque = torque_at((np.arange(SAMPLES - 1, dtype=float) + 0.5) * PERIOD, scale)
    state = arm.run(np.zeros_like(torque), torque)
    return np.vstack([np.zeros(2), state.position])


def _slopes(parameters: Array, scale: float) -> Array:
    """Change of positions with relative changes of parameters, (N, 2, 7)."""
    columns = []
    for shift in _STEP * np.eye(len(parameters)):
        ahead, behind = (simulated(_possible(parameters * (1 + s)), scale) for s in (shift, -shift))
        columns.append((ahead - behind) / (2 * _STEP))
    return np.stack(columns, axis=2)


def _improved(parameters: Array, slopes: Array, error: Array) -> Array:
    weight = 1 / error.std(axis=0)
    rows = (slopes * weight[:, None]).reshape(-1, len(parameters))
    change = np.linalg.lstsq(rows, (error * weight).ravel(), rcond=None)[0]
    return _possible(parameters * (1 + np.clip(change, -_LARGEST, _LARGEST)))


def _possible(parameters: Array) -> Array:
    """With friction that brakes, and a mass matrix that is positive definite: J1 J2 > r^2."""
    found = np.maximum(parameters, 1e-3)
    found[2] = min(found[2], _DEFINITE * np.sqrt(found[0] * found[1]))
    return found
