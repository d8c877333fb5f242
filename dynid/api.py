"""The public functions that are more than a name of one room: ``import dynid`` has them all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from dynid.control.residual import recorded_residual
from dynid.control.tuning import Tuning, tune
from dynid.excitation.design.design import ExcitationSpec
from dynid.excitation.design.optimise import optimise
from dynid.excitation.design.proposal import propose_series
from dynid.excitation.files import excitation_text
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.motion import Excitation
from dynid.excitation.prediction.noise import torque_noise
from dynid.excitation.prediction.prediction import Prediction, predict
from dynid.files import write_text
from dynid.identification.diagnose import Diagnosis, diagnose_recordings
from dynid.identification.result import Identification
from dynid.recording.model import Recording
from dynid.robot.model import Model, nominal_model
from dynid.robot.robot import Robot
from dynid.simulation.sensor_noise import stated_torque_noise

Recordings = Recording | Sequence[Recording]


def design_excitation(
    robot: Robot,
    *,
    duration: float | None = None,
    model: Model | None = None,
    objective: Literal["condition", "determinant", "both"] = "both",
    starts: int = 4,
    seed: int = 0,
    jobs: int | None = None,
    save_to: str | Path | None = None,
) -> FourierExcitation:
    """Search the most informative motion for a robot's parameters within its limits.

    The same arguments give the same motion, whatever ``jobs``.

    Args:
        robot: that will be moved; its limits hold at every instant.
        duration: of the whole motion [s]; None for the robot's own, or a proposed one.
        model: to predict torque by; None for the URDF's parameters.
        objective: what is made small: the condition number, the determinant of the covariance, or
            both together.
        starts: random motions to begin from.
        seed: of these.
        jobs: processes; None for one for each processor.
        save_to: a YAML file that ``dynid check`` and the player take.

    Raises:
        DynidError: the robot has no room to move, or its settings do not fit.
        OutputError: the file cannot be written.
    """
    used = nominal_model(robot) if model is None else model.with_robot(robot)
    spec = ExcitationSpec(propose_series(robot, duration=duration), objective)
    still = np.zeros((1, len(robot.joints)))
    stated = stated_torque_noise(robot, used.mechanism)
    noise = torque_noise(robot, used.mechanism, still, stated=stated)
    found = optimise(used, spec, noise.deviation, starts=starts, seed=seed, jobs=jobs)
    if save_to is not None:
        write_text(Path(save_to), excitation_text(found.settings, [f"excitation of {robot.name}"]))
    return found.excitation


def predict_uncertainty(
    robot: Robot,
    motion: Excitation,
    *,
    model: Model | None = None,
    sampling_rate: float | None = None,
    noise: Sequence[float] | None = None,
) -> Prediction:
    """Predict the uncertainty of the parameters that a motion will identify, before it is played.

    Args:
        robot: that will be moved.
        motion: such as :func:`design_excitation` finds.
        model: to predict torque by; None for the URDF's parameters.
        sampling_rate: of the recording [Hz]; None for the robot's own, or 1 kHz.
        noise: standard deviation of measured torque, one for each joint or one for all [N m or N];
            None for what the robot's simulation states, or 1 % of the largest torque.

    Raises:
        DynidError: the motion is another robot's, or an argument is impossible.
    """
    used = nominal_model(robot) if model is None else model.with_robot(robot)
    stated = stated_torque_noise(robot, used.mechanism)
    return predict(used, motion, sampling_rate=sampling_rate, noise=noise, stated_noise=stated)


def diagnose(model_or_identification: Model | Identification, recordings: Recordings) -> Diagnosis:
    """Look for causes why a model does not explain recordings well.

    Args:
        model_or_identification: the model, or the identification that it is from.
        recordings: of its robot.

    Raises:
        DynidError: a recording or setting does not allow it.
    """
    given = model_or_identification
    model = given.model if isinstance(given, Identification) else given
    return diagnose_recordings(model.robot, _several(recordings), model=model)


def tune_collision(
    model: Model,
    recordings: Recordings,
    *,
    false_alarms_per_hour: float = 0.1,
    control_rate: float = 1000.0,
) -> Tuning:
    """Set collision thresholds as low as a rate of false alarms allows.

    Args:
        model: that the controller will run; its robot has the detector's other settings.
        recordings: of motion like that of the robot's work, touching nothing.
        false_alarms_per_hour: of all joints together, that are acceptable.
        control_rate: cycles per second that the detector will run at [Hz].

    Raises:
        DynidError: a recording or setting does not allow it.
    """
    residuals = [
        recorded_residual(model.robot, model.mechanism, one) for one in _several(recordings)
    ]
    return tune(
        model.robot,
        residuals,
        false_alarms_per_hour=false_alarms_per_hour,
        control_rate=control_rate,
    )


def _several(recordings: Recordings) -> Sequence[Recording]:
    return [recordings] if isinstance(recordings, Recording) else recordings
