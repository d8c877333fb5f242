"""Friction models of a real UR10e, chosen on recordings that are not part of this repository."""

from __future__ import annotations

import numpy as np
from support.real_recordings import UR10E, needs

from dynid.identification.friction.candidates import Candidate, candidates
from dynid.identification.friction.choose import choose, try_candidates
from dynid.identification.friction.selection import FittedRobot, fit_robot, joint_and_motion
from dynid.profile import load_robot
from dynid.robot.recordings import load_recording

WRIST_3 = 5
IDENTIFICATION = (
    "ur-20_02_12-50sec_12harm.csv",
    "ur-20_02_10-30sec_12harm.csv",
    "ur-20_01_31-unload.csv",
)
TRIED = ("viscous + tanh", "viscous + root + 1 stop", "viscous + root + tanh + 1 stop")


def fitted_ur10e() -> FittedRobot:
    robot = load_robot("ur10e")
    recordings = [load_recording(UR10E / name, robot) for name in IDENTIFICATION]
    return fit_robot(robot, recordings)


@needs(UR10E)
def test_wrist_of_the_ur10e_is_better_predicted_with_presliding_than_without() -> None:
    problem, motion = joint_and_motion(fitted_ur10e(), WRIST_3)
    tried: list[Candidate] = [one for one in candidates(motion) if one.name in TRIED]
    trials = {trial.name: trial for trial in try_candidates(problem, tried)}
    errors = {name: trial.held_out_error for name, trial in trials.items()}
    assert errors["viscous + root + 1 stop"] < 0.8 * errors["viscous + tanh"]
    assert choose(list(trials.values())).name == "viscous + root + tanh + 1 stop"


@needs(UR10E)
def test_noise_of_the_encoders_at_rest_is_about_a_tenth_of_a_milliradian_wide() -> None:
    robot = fitted_ur10e()
    assert np.all(robot.position_noise > 1e-5)
    assert np.all(robot.position_noise < 1e-4)
