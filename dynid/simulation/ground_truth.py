"""Compare identified parameters with the true ones of a simulated robot."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import ConfigurationError
from dynid.excitation.settings import find_excitation
from dynid.identification.identify import identify
from dynid.identification.result import Identification
from dynid.identification.validate import validate
from dynid.playback.plan import make_plan, second_seed
from dynid.robot.robot import Robot
from dynid.simulation.derived import simulation_settings
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import true_parameters

_SECOND_NOISE = 1  # seed of the sensors' noise on the second motion; 0 on the first


@dataclass(frozen=True)
class GroundTruthTrial:
    """An identification of a simulated robot, compared with a second motion and the true model.

    Attributes:
        robot: name of the profile.
        joints: (n,) in drive order.
        base_parameters: their number.
        condition_number: of the regression.
        success: whether the model passed, on the first motion and on the second.
        relative_error: (n,) norm of the torque error over norm of the torque, second motion.
        parameter_error: root mean square error of the identifiable base parameters, in units of
            their standard deviations: 1 if these are calibrated.
        worst_error: the largest of these errors, of ``worst_parameter``.
        seconds: the trial's wall-clock time [s].
    """

    robot: str
    joints: tuple[str, ...]
    base_parameters: int
    condition_number: float
    success: bool
    relative_error: tuple[float, ...]
    parameter_error: float
    worst_error: float
    worst_parameter: str
    seconds: float


def missing_for_trial(robot: Robot) -> str | None:
    """Return why :func:`try_robot` is not possible for a robot; None if it is."""
    groups = {"excitation": find_excitation(robot), "simulation": robot.find(SimulationSettings)}
    absent = [group for group, settings in groups.items() if settings is None]
    if absent:
        return f"its profile has no {' and no '.join(absent)}"
    return "its excitation has no second motion" if second_seed(robot) is None else None


def try_robot(robot: Robot) -> GroundTruthTrial:
    """Excite, record, identify, and compare the model with a second motion and the true one.

    Args:
        robot: simulated, with a random excitation.

    Raises:
        DynidError: the trial is not possible for this robot, or a step fails.
    """
    begun = time.perf_counter()
    seed = second_seed(robot)
    if seed is None:
        raise ConfigurationError(
            f"profile '{robot.name}': its excitation has one motion only; for a second one it must "
            "be of type fourier without coefficients."
        )
    first = make_plan(robot).excitation
    identification = identify(robot, simulate(robot, first))
    second = make_plan(robot, seed=seed).excitation
    recording = simulate(robot, second, seed=_SECOND_NOISE)
    verdict = validate(identification.model, recording).verdict
    errors = standardised_errors(identification)
    worst = max(errors, key=lambda name: abs(errors[name]))
    return GroundTruthTrial(
        robot=robot.name,
        joints=robot.joints,
        base_parameters=len(identification.base_parameters),
        condition_number=identification.provenance.condition_number,
        success=identification.verdict.success and verdict.success,
        relative_error=tuple(joint.relative_error for joint in verdict.joints),
        parameter_error=float(np.sqrt(np.mean(np.square(list(errors.values()))))),
        worst_error=abs(errors[worst]),
        worst_parameter=worst,
        seconds=time.perf_counter() - begun,
    )


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
