"""A trial of a simulated twin, whose parameters are known: does identification find them?"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import ConfigurationError
from dynid.identification.identify import Identification, identify
from dynid.identification.validate import validate
from dynid.playback.plan import make_plan, second_seed
from dynid.profile import load_profile, shipped_profiles
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import true_parameters

_SECOND_NOISE = 1  # seed of the sensors' noise on the second motion; 0 on the first


@dataclass(frozen=True)
class TwinTrial:
    """What an identification of a twin came to, held against a second motion and the truth.

    Attributes:
        robot: name of the profile.
        joints: (n,) in drive order.
        base_parameters: how many there are.
        condition_number: of the regression.
        success: the model is judged good, on the first motion and on the second.
        relative_error: (n,) norm of the torque error over norm of the torque, second motion.
        parameter_error: root mean square error of the base parameters the motion determines, in
            units of their standard deviations: 1 where these say all about it.
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


def twins() -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the shipped robots that :func:`trial` can take, and why it cannot take the others."""
    left_out = {}
    for robot in shipped_profiles():
        profile, _ = load_profile(robot)
        absent = [name for name in ("excitation", "simulation") if getattr(profile, name) is None]
        if absent:
            left_out[robot] = f"its profile has no {' and no '.join(absent)}"
        elif second_seed(profile) is None:
            left_out[robot] = "its excitation has no second motion"
    return tuple(robot for robot in shipped_profiles() if robot not in left_out), left_out


def trial(robot: str, *, overrides: Iterable[str] = ()) -> TwinTrial:
    """Excite, record, identify, and hold the model against a second motion and the truth.

    Args:
        robot: name or file of a profile with random excitation and simulation.
        overrides: of the profile, such as ``excitation.periods=1``.

    Raises:
        DynidError: the profile does not allow it, or a step fails.
    """
    begun = time.perf_counter()
    profile, urdf_xml = load_profile(robot, overrides=overrides)
    seed = second_seed(profile)
    if seed is None:
        message = (
            f"profile '{robot}': its excitation has one motion only; for a second one it must be "
            "of type fourier without coefficients."
        )
        raise ConfigurationError(message)
    first = make_plan(profile, urdf_xml).excitation
    identification = identify(profile, urdf_xml, [simulate(profile, urdf_xml, first)])
    second = make_plan(profile, urdf_xml, seed=seed).excitation
    recording = simulate(profile, urdf_xml, second, seed=_SECOND_NOISE)
    judgement = validate(profile, identification.mechanism, [recording]).judgement
    errors = standardised_errors(identification)
    worst = max(errors, key=lambda name: abs(errors[name]))
    return TwinTrial(
        robot=robot,
        joints=profile.joints,
        base_parameters=len(identification.base_parameters),
        condition_number=identification.condition_number,
        success=identification.judgement.success and judgement.success,
        relative_error=tuple(joint.relative_error for joint in judgement.joints),
        parameter_error=float(np.sqrt(np.mean(np.square(list(errors.values()))))),
        worst_error=abs(errors[worst]),
        worst_parameter=worst,
        seconds=time.perf_counter() - begun,
    )


def standardised_errors(identification: Identification) -> dict[str, float]:
    """Return the errors of a twin's base parameters in units of their standard deviations.

    By name, of those that the motion determines; friction beyond the model's terms (Stribeck) is
    no parameter, but shows in these errors.

    Raises:
        DynidError: the profile's ``simulation`` does not fit its robot.
    """
    profile = identification.profile
    mechanism = profile.mechanism(identification.urdf_xml)
    standard = true_parameters(mechanism, profile.simulation or SimulationSettings())
    truth: Array = base_parameterization(mechanism).project(standard)
    return {
        found.name: (found.value - true) / found.standard_deviation
        for found, true in zip(identification.base_parameters, truth.tolist(), strict=True)
        if found.determined and found.standard_deviation > 0
    }
