"""The public functions that combine several packages; ``import dynid`` has them all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from dynid.arguments import check_choice, check_number, check_type
from dynid.control.left_out import without_spans
from dynid.control.residual import recorded_residual
from dynid.control.tuning import Tuning, tune
from dynid.control.wrench.estimation import (
    ExternalWrench,
    free_motion_uncertainty,
    wrench_of_recording,
)
from dynid.errors import ConfigurationError
from dynid.excitation.design.design import ExcitationSpec
from dynid.excitation.design.optimise import optimise
from dynid.excitation.design.proposal import propose_series
from dynid.excitation.files import excitation_text
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.motion import Excitation
from dynid.excitation.prediction.noise import torque_noise
from dynid.excitation.prediction.prediction import Prediction, predict
from dynid.files import check_folder, write_text
from dynid.identification.diagnose import Diagnosis, diagnose_recordings
from dynid.identification.result import Identification
from dynid.recording.model import Recording, given_recordings
from dynid.robot.model import Model, nominal_model
from dynid.robot.robot import Robot
from dynid.simulation.sensor_noise import stated_torque_noise

Recordings = Recording | Sequence[Recording]
_Objective = Literal["condition", "determinant", "both"]


def design_excitation(
    robot: Robot,
    *,
    duration: float | None = None,
    model: Model | None = None,
    objective: _Objective = "both",
    starts: int = 4,
    seed: int = 0,
    jobs: int | None = None,
    save_to: str | Path | None = None,
) -> FourierExcitation:
    """Search for the most informative motion for a robot's parameters within its limits.

    The result depends on the arguments only, not on ``jobs``.

    Args:
        robot: the robot; its limits are kept at every instant.
        duration: of the whole motion [s]; None for the robot's own, or a proposed one.
        model: that predicts torque; None for the URDF's parameters.
        objective: to be minimised: the condition number, the determinant of the covariance, or
            both together.
        starts: number of random initial motions.
        seed: of these.
        jobs: processes; None for one for each processor.
        save_to: a YAML file for ``dynid check`` and the player.

    Raises:
        DynidError: the robot has no room to move, or its settings do not match.
        WriteError: the file cannot be written.
        KeyboardInterrupt: during the search; ``dynid excite`` keeps the best motion so far.
    """
    used = _used("design_excitation()", robot, model)
    if duration is not None:
        check_number("design_excitation(): duration", duration, above=0)
    check_choice("design_excitation(): objective", objective, get_args(_Objective))
    for name, number, least in (("starts", starts, 1), ("seed", seed, 0), ("jobs", jobs or 1, 1)):
        check_number(f"design_excitation(): {name}", number, least=least, whole=True)
    if save_to is not None:
        check_folder(Path(save_to))
    spec = ExcitationSpec(propose_series(robot, duration=duration), objective)
    still = np.zeros((1, len(robot.joints)))
    stated = stated_torque_noise(robot, used.mechanism)
    noise = torque_noise(robot, used.mechanism, still, stated=stated)
    optimum = optimise(used, spec, noise.standard_deviation, starts=starts, seed=seed, jobs=jobs)
    if optimum.interrupted:
        raise KeyboardInterrupt
    if save_to is not None:
        write_text(
            Path(save_to), excitation_text(optimum.settings, [f"excitation of {robot.name}"])
        )
    return optimum.excitation


def predict_uncertainty(
    robot: Robot,
    motion: Excitation,
    *,
    model: Model | None = None,
    sampling_rate: float | None = None,
    noise: float | Sequence[float] | None = None,
) -> Prediction:
    """Predict the uncertainty of the parameters identified with a motion, before it is played.

    Args:
        robot: the robot.
        motion: such as the result of :func:`design_excitation`.
        model: that predicts torque; None for the URDF's parameters.
        sampling_rate: of the recording [Hz]; None for the robot's own, or 1 kHz.
        noise: standard deviation of measured torque, one for each joint or one for all [N m or N];
            None for that of the robot's simulation, or 1 % of the largest torque.

    Raises:
        DynidError: the motion is for another robot, or an argument is invalid.
    """
    used = _used("predict_uncertainty()", robot, model)
    check_type(
        "predict_uncertainty(): motion", motion, Excitation, "dynid.design_excitation(robot)"
    )
    given = (noise,) if isinstance(noise, int | float) else noise
    stated = stated_torque_noise(robot, used.mechanism)
    return predict(used, motion, sampling_rate=sampling_rate, noise=given, stated_noise=stated)


def diagnose(model_or_identification: Model | Identification, recordings: Recordings) -> Diagnosis:
    """Search for causes why a model does not explain recordings well.

    Args:
        model_or_identification: the model, or its identification.
        recordings: of its robot.

    Raises:
        DynidError: a recording or setting is not suitable.
    """
    given = model_or_identification
    model = given.model if isinstance(given, Identification) else given
    check_type("diagnose(): the model", model, Model, "dynid.load_model(path)")
    several = given_recordings("diagnose()", recordings)
    return diagnose_recordings(model.robot, several, model=model)


def tune_collision(
    model: Model,
    recordings: Recordings,
    *,
    false_alarms_per_hour: float = 0.1,
    without: Sequence[str] = (),
) -> Tuning:
    """Set collision thresholds as low as a rate of false alarms allows.

    Args:
        model: for the controller; its robot has the detector's other settings.
        recordings: of motion similar to the robot's work, without contact.
        false_alarms_per_hour: acceptable rate, of all joints together.
        without: contacts to leave out, ``16.1..17.0`` [s], of the second recording
            ``2:16.1..17.0``.

    Raises:
        DynidError: a recording or setting is not suitable.
    """
    check_type("tune_collision(): model", model, Model, "dynid.load_model(path)")
    check_number("tune_collision(): false_alarms_per_hour", false_alarms_per_hour, above=0)
    several = given_recordings("tune_collision()", recordings)
    residuals = [
        recorded_residual(model.robot, model.mechanism, recording) for recording in several
    ]
    names = [residual.name or f"recording {k}" for k, residual in enumerate(residuals, 1)]
    residuals = without_spans(residuals, names, without)
    return tune(model.robot, residuals, false_alarms_per_hour=false_alarms_per_hour)


def estimate_wrench(
    model: Model,
    recording: Recording,
    *,
    free: Recordings = (),
    frame: str | None = None,
    false_alarms_per_hour: float = 0.1,
    confidence: float = 0.95,
    zero_phase: bool = False,
) -> ExternalWrench:
    """Estimate external wrenches and the link in contact, without a force sensor.

    The momentum observer, with the gain ``collision.observer_gain``, finds the external torque.

    Args:
        model: of the robot without payload.
        recording: of the robot, as dynid.load_recording returns it.
        free: recordings of free motion similar to it, not used in the identification, which
            determine the uncertainty; none: that of the identification.
        frame: link at which the wrench is estimated; None for the tool, the last link.
        false_alarms_per_hour: acceptable rate of contacts that are none [1/h].
        confidence: least probability of a link to be the one in contact.
        zero_phase: filter motion by the profile's zero-phase filters, which no controller can;
            without it, measured positions and velocities are used as they are.

    Raises:
        DynidError: a recording or setting is not suitable.
    """
    where = "estimate_wrench()"
    check_type(f"{where}: model", model, Model, "dynid.load_model(path)")
    check_type(f"{where}: recording", recording, Recording, "dynid.load_recording(path, robot)")
    check_number(f"{where}: false_alarms_per_hour", false_alarms_per_hour, above=0)
    check_number(f"{where}: confidence", confidence, least=0.5)
    none = not isinstance(free, Recording) and len(free) == 0
    several = [] if none else given_recordings(f"{where}: free", free)
    uncertainty = free_motion_uncertainty(
        model, several, false_alarms_per_hour=false_alarms_per_hour, zero_phase=zero_phase
    )
    return wrench_of_recording(
        model, recording, uncertainty, frame=frame, confidence=confidence, zero_phase=zero_phase
    )


def _used(function: str, robot: Robot, model: Model | None) -> Model:
    """Return the model that predicts torque: the given one, or that of the URDF."""
    check_type(f"{function}: robot", robot, Robot, "dynid.load_robot(path)")
    if model is None:
        return nominal_model(robot)
    check_type(f"{function}: model", model, Model, "dynid.load_model(path)")
    if model.mechanism.joints != robot.joints:
        raise ConfigurationError(
            f"{function}: the model is of {', '.join(model.mechanism.joints)}, expected one of "
            f"{', '.join(robot.joints)} as in profile '{robot.name}'."
        )
    return model.with_robot(robot)
