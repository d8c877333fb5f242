"""Roll-outs: simulated servos under recorded commands, from recorded states."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.errors import SimulationError
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.robot.model import nominal_model
from dynid.robot.robot import Robot
from dynid.simulation.true_parameters import simulated_model
from dynid_plugins.servo.roll_out import roll_outs
from dynid_plugins.servo.simulated_servo import record_servos

STEP = 2 * np.pi / 4096


def so101() -> Robot:
    return load_robot("so101", overrides=["excitation.periods=1"])


def test_the_true_model_rolls_out_to_the_recorded_counts() -> None:
    robot = so101()
    recording = record_servos(robot, make_plan(robot, seed=4).excitation)
    found = roll_outs(simulated_model(robot), recording)
    assert found.errors.shape[1:] == (50, 6)
    assert len(found.starts) >= 9
    # what remains is the start: a state filtered from encoder counts
    assert np.all(found.rms < STEP / 2)


@pytest.mark.thorough
def test_errors_of_friction_show_where_they_are() -> None:
    robot = so101()
    recording = record_servos(robot, make_plan(robot, seed=4).excitation)
    true = simulated_model(robot)
    wrong = true.mechanism.parameters.copy()
    wrong[true.mechanism.parameter_names.index("Fv5")] += 0.3
    found = roll_outs(nominal_model(robot, wrong), recording)
    assert found.rms[4] > 10 * found.rms[[0, 1, 2, 3]].max()


def test_refuses_a_horizon_that_no_recording_or_only_a_longer_one_has() -> None:
    robot = so101()
    recording = record_servos(robot, make_plan(robot).excitation).cut(0.0, 4.0)
    for horizon, words in (
        (5.0, "too short for roll-outs of 5 s"),
        (1e308, r"too short for roll-outs of 1e\+308 s"),
        (np.inf, "A horizon of inf s is no time"),
        (np.nan, "A horizon of nan s is no time"),
    ):
        with pytest.raises(SimulationError, match=words):
            roll_outs(simulated_model(robot), recording, horizon=horizon)


@pytest.mark.thorough
def test_light_joints_with_parallel_axes_come_to_the_recorded_state() -> None:
    robot = load_robot("openarm", overrides=["excitation.periods=1"])
    recording = record_servos(robot, make_plan(robot, seed=1).excitation, sampling_rate=100)
    values = robot.mechanism().urdf_parameters.copy()
    names = robot.mechanism().parameter_names
    values[[name.startswith("Ia") for name in names]] = 0.005
    found = roll_outs(nominal_model(robot, values), recording, horizon=4.0)
    assert np.all(found.rms < 0.05)
