"""Motions: their design, what they will show, and their simulation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from dynid.api.inputs import ModelLike, MotionLike, RobotLike, as_motion, as_robot, torque_model
from dynid.arguments import check_choice, check_number, checked_call
from dynid.excitation.design.design import ExcitationSpec
from dynid.excitation.design.optimise import optimise, propose_series
from dynid.excitation.files import excitation_text
from dynid.excitation.fourier import FourierExcitation
from dynid.excitation.prediction.precision import torque_noise
from dynid.excitation.prediction.prediction import Prediction, predict
from dynid.files import check_folder, write_text
from dynid.recording.model import Recording
from dynid.simulation import simulate as simulation
from dynid.simulation.settings import stated_torque_noise

_Objective = Literal["condition", "determinant", "both"]


@checked_call
def design_excitation(
    robot: RobotLike,
    *,
    duration: float | None = None,
    model: ModelLike | None = None,
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
    robot = as_robot("design_excitation(): robot", robot)
    used = torque_model("design_excitation()", robot, model)
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


@checked_call
def predict_uncertainty(
    robot: RobotLike,
    motion: MotionLike,
    *,
    model: ModelLike | None = None,
    sampling_rate: float | None = None,
    noise: float | Sequence[float] | None = None,
) -> Prediction:
    """Predict the uncertainty of the parameters identified with a motion, before it is played.

    Args:
        robot: the robot.
        motion: such as the result of :func:`design_excitation`, or a file.
        model: that predicts torque; None for the URDF's parameters.
        sampling_rate: of the recording [Hz]; None for the robot's own, or 1 kHz.
        noise: standard deviation of measured torque, one for each joint or one for all [N m or N];
            None for that of the robot's simulation, or 1 % of the largest torque.

    Raises:
        DynidError: the motion is for another robot, or an argument is invalid.
    """
    robot = as_robot("predict_uncertainty(): robot", robot)
    used = torque_model("predict_uncertainty()", robot, model)
    followed = as_motion("predict_uncertainty(): motion", motion, robot)
    given = (noise,) if isinstance(noise, int | float) else noise
    stated = stated_torque_noise(robot, used.mechanism)
    return predict(used, followed, sampling_rate=sampling_rate, noise=given, stated_noise=stated)


@checked_call
def simulate(
    robot: RobotLike,
    excitation: MotionLike | None = None,
    *,
    control_rate: float = 1000.0,
    seed: int = 0,
) -> Recording:
    """Record the simulated robot of a profile, each control cycle, while it follows an excitation.

    The result depends on the arguments only.

    Args:
        robot: as its ``simulation`` describes it; without one, rotors, friction and drives are
            derived (docs/robots.md), not measured.
        excitation: of the joints, or a file; the robot rests for ``simulation.rest`` before and
            after. None: the profile's, else a default motion within the limits.
        control_rate: cycles per second [Hz]; of servos, commands and samples per second.
        seed: of the sensors' noise.

    Raises:
        SimulationError: a drive fault occurred.
        ExcitationError: the excitation has another number of joints.
        ConfigurationError: the profile does not describe a valid robot.
        MechanismError: profile and URDF do not match.
    """
    used = as_robot("simulate(): robot", robot)
    motion = None if excitation is None else as_motion("simulate(): excitation", excitation, used)
    return simulation.simulate(used, motion, control_rate=control_rate, seed=seed)
