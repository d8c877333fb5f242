"""Updates of the model of a running control law."""

import numpy as np
import pytest

from dynid import _core
from dynid.arrays import Array
from dynid.control.controlled_robot import ControlledRobot
from dynid.control.model_updates import UpdatedModel, UpdateLimits, plausible_deviations
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid.simulation.true_parameters import simulated_model

ROBOT = load_robot("spatial_3r")
MS = 1_000_000  # [ns]
LIMITS = UpdateLimits(timeout=1.0)


def accepted() -> Mechanism:
    return simulated_model(ROBOT).mechanism


def updating() -> ControlledRobot:
    robot = ControlledRobot(ROBOT)
    robot.use(accepted(), LIMITS)
    return robot


def covariance(mechanism: Mechanism) -> Array:
    return np.diag((1e-3 * plausible_deviations(mechanism, LIMITS)) ** 2)


def updated(robot: ControlledRobot) -> UpdatedModel:
    assert robot.updates is not None
    return robot.updates


def run(robot: ControlledRobot, cycles: int, start: int) -> int:
    for k in range(cycles):
        robot.step((start + k) * MS)
    return start + cycles


def torque_offset(robot: ControlledRobot) -> Array:
    assert robot.law is not None
    return robot.law.torque_offset


def test_there_are_no_updates_unless_they_are_enabled() -> None:
    robot = ControlledRobot(ROBOT)
    robot.use(accepted())
    assert robot.updates is None


def test_an_update_changes_the_torque_and_its_loss_restores_it() -> None:
    mechanism, robot = accepted(), updating()
    now = run(robot, 1000, 0)
    before = torque_offset(robot)
    parameters = np.array(mechanism.parameters)
    last = 10 * mechanism.payload_body
    parameters[last : last + 10] *= 1.05
    assert updated(robot).offer(parameters, covariance(mechanism)) == ""
    now = run(robot, 900, now)
    assert updated(robot).report.updated
    expected = before + _difference(mechanism, parameters, robot)
    assert np.allclose(torque_offset(robot), expected, atol=1e-9)
    run(robot, 1000, now)
    assert updated(robot).report.cause == _core.FallbackCause.lost_input
    assert np.allclose(torque_offset(robot), before, atol=1e-9)


def test_refuses_limits_that_are_out_of_range() -> None:
    robot = ControlledRobot(ROBOT)
    with pytest.raises(ConfigurationError, match=r"model_updates: .*timeout"):
        robot.use(accepted(), UpdateLimits(timeout=-1.0))
    with pytest.raises(ConfigurationError, match="torque_difference_max"):
        robot.use(accepted(), UpdateLimits(torque_difference_max=(1.0, 2.0)))


def _difference(mechanism: Mechanism, parameters: Array, robot: ControlledRobot) -> Array:
    """Return the change of the torque at rest (n,)."""
    rest = np.zeros((1, len(ROBOT.joints)))
    at = robot.robot.truth.position[None]
    before = mechanism.inverse_dynamics(at, rest, rest)
    after = mechanism.with_parameters(parameters).inverse_dynamics(at, rest, rest)
    return np.asarray((after - before)[0])
