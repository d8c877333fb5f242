"""A simulated robot in torque mode under the control law."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.small_robot import HOME, JOINTS, write_small_robot

from dynid import _core
from dynid.control.torque_controlled_robot import TorqueControlledRobot
from dynid.control.torque_mode import mean_inertia, torque_law_settings
from dynid.control.torque_mode_settings import TorqueControlSettings
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.excitation.motion import Motion
from dynid.playback.motions import point_to_point
from dynid.profile import load_robot
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings
from dynid.simulation.true_parameters import simulated_model

GOAL = (0.9, 0.7)
START = np.array(HOME)


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    return load_robot(write_small_robot(tmp_path))


def truth(robot: Robot) -> Mechanism:
    return simulated_model(robot).mechanism


def controlled(robot: Robot, **settings: object) -> TorqueControlledRobot:
    given = TorqueControlSettings.model_validate(settings)
    return TorqueControlledRobot(robot.with_settings(given), truth(robot), START)


def move(robot: Robot, after: float = 0.3) -> Motion:
    motion = point_to_point(START, np.array(GOAL), robot.limits, 0.8)
    time = np.arange(round((motion.duration + after) * 1000)) / 1000
    return motion.evaluate(np.minimum(time, motion.duration))


def follow(cell: TorqueControlledRobot, motion: Motion) -> np.ndarray:
    """Return the true positions after each cycle."""
    return np.array([cell.step(_core.Reference(*one)).copy() for one in zip(*motion, strict=True)])


def test_the_model_reduces_the_tracking_error_of_gravity_compensation(robot: Robot) -> None:
    motion = move(robot)
    errors = {}
    for compensation in ("gravity", "full"):
        reached = follow(controlled(robot, compensation=compensation), motion)
        errors[compensation] = np.abs(motion.position[:-1] - reached[1:]).max()
    assert errors["full"] < 0.6 * errors["gravity"]


def test_a_robot_that_compensates_gravity_follows_as_well(robot: Robot) -> None:
    motion = move(robot)
    own = follow(controlled(robot, gravity="by_robot"), motion)
    controllers = follow(controlled(robot), motion)
    assert np.abs(own - controllers).max() < 2e-3


def test_a_push_ends_in_the_robots_own_stop(robot: Robot) -> None:
    limits = CollisionSettings(torque_error_max=(12.0, 6.0), reversal_boost=(4.0, 2.0))
    cell = controlled(robot.with_settings(limits))
    motion = move(robot, after=0.0)
    middle = len(motion.position) // 2
    follow(cell, Motion(*(values[:middle] for values in motion)))
    cell.plant.push(
        "lower", np.array([0.0, -120.0, 0.0]), np.zeros(3), np.array([0.2, 0.0, 0.0]), 0.0, 0.1
    )
    rest = _core.Reference(START, np.zeros(2), np.zeros(2))
    for _ in range(1000):
        held = cell.step(rest).copy()
    assert cell.law.phase == _core.TorquePhase.stopped
    assert JOINTS[0] in cell.collision or JOINTS[1] in cell.collision
    assert "started again" in cell.collision
    assert cell.plant.fault.reason == _core.FaultReason.injected  # its own stop
    assert np.abs(cell.step(rest) - held).max() < 1e-3


def test_gains_follow_from_the_inertia_of_the_model(robot: Robot) -> None:
    model = truth(robot)
    given = TorqueControlSettings(bandwidth_hz=(2.0,), damping_ratio=(0.7,), integral_time=(0.5,))
    settings = torque_law_settings(robot.with_settings(given), model, control_rate=1000.0)
    inertia = mean_inertia(robot, model)
    rate = 4 * np.pi
    np.testing.assert_allclose(settings.stiffness, inertia * rate**2)
    np.testing.assert_allclose(settings.damping, 1.4 * inertia * rate)
    np.testing.assert_allclose(settings.integral_gain, 2 * settings.stiffness)
    np.testing.assert_allclose(settings.stop_damping, settings.damping)


def test_refuses_a_number_of_values_that_is_not_that_of_the_joints(tmp_path: Path) -> None:
    path = write_small_robot(tmp_path)
    with pytest.raises(ConfigurationError, match="bandwidth_hz"):
        load_robot(path, overrides=["torque_control.bandwidth_hz=[1, 2, 3]"])


def test_refuses_to_start_at_a_position_that_is_not_a_number(robot: Robot) -> None:
    with pytest.raises(ConfigurationError, match="start position"):
        TorqueControlledRobot(robot, truth(robot), np.array([np.nan, 0.0]))
