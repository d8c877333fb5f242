"""A simulated robot under the control law: the model's torque, and collisions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.small_robot import HOME, JOINTS, write_small_robot

from dynid.control.controlled_robot import ControlledRobot
from dynid.errors import ConfigurationError, PlaybackError, SimulationError
from dynid.playback.motions import point_to_point
from dynid.playback.trajectory import Trajectory, sample
from dynid.profile import load_robot
from dynid.robot.limits import Limits
from dynid.robot.robot import Robot
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.true_parameters import simulated_model

STEP = 10**6  # [ns]
GOAL = (0.9, 0.7)
COLLISION = {"torque_error_max": [12.0, 6.0], "reversal_boost": [4.0, 2.0]}


class Cell:
    """A controlled robot and its clock."""

    def __init__(self, robot: Robot, *, feedforward: bool = True) -> None:
        self.robot = ControlledRobot(robot, feedforward=feedforward)
        self.now = 10**9
        self.model = simulated_model(robot).mechanism

    def go(self, begin: tuple[float, ...] = HOME, goal: tuple[float, ...] = GOAL) -> None:
        self.robot.accept(motion(begin, goal), 0, self.now)

    def run(self, milliseconds: int) -> np.ndarray:
        """Return the measured positions of as many cycles."""
        positions = []
        for _ in range(milliseconds):
            self.now += STEP
            positions.append(self.robot.step(self.now).position)
        return np.array(positions)

    def collide(self) -> np.ndarray:
        """Run into something on the way to the goal; return where the robot is held."""
        self.robot.use(self.model)
        self.run(1500)
        self.go()
        self.run(200)
        self.robot.robot.push("lower", (0.0, -120.0, 0.0), point=(0.2, 0.0, 0.0), duration=0.2)
        held: np.ndarray = self.run(1500)[-1]
        return held


def motion(begin: tuple[float, ...], goal: tuple[float, ...]) -> Trajectory:
    limits = Limits(velocity=(4.0, 5.0), acceleration=(20.0, 25.0))
    curve = point_to_point(np.array(begin), np.array(goal), limits, 0.3)
    return sample(curve, JOINTS, 100.0)


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    return load_robot(write_small_robot(tmp_path, collision=COLLISION))


@pytest.fixture
def cell(robot: Robot) -> Cell:
    return Cell(robot)


def test_without_the_control_law_the_drives_get_positions_directly(robot: Robot) -> None:
    cell = Cell(robot, feedforward=False)
    cell.go()
    targets = [cell.robot._follower.reference(cell.now + k * STEP) for k in range(1, 801)]
    expected = SimulatedRobot(robot).run(np.array(targets)).position
    assert np.allclose(cell.run(800), expected, rtol=0, atol=1e-12)


def test_without_a_model_the_law_adds_no_torque(cell: Cell) -> None:
    assert cell.robot.law is not None
    cell.go()
    cell.run(300)
    assert not cell.robot.law.torque_offset.any()


def test_the_models_torque_makes_the_robot_follow_more_closely(robot: Robot) -> None:
    error = {}
    for known in (False, True):
        cell = Cell(robot)
        cell.robot.use(cell.model if known else None)
        cell.run(1500)  # the ramp
        cell.go()
        cell.run(150)  # until the joints have broken loose
        errors = []
        for _ in range(500):
            before = cell.robot.reference.position.copy()  # it reaches the drives a cycle later
            cell.run(1)
            errors.append(np.abs(before - cell.robot.robot.truth.position).max())
        error[known] = max(errors)
    assert error[True] < 0.5 * error[False]


def test_a_collision_stops_the_robot_until_reset(cell: Cell) -> None:
    held = cell.collide()
    assert cell.robot.latched
    assert cell.robot.collision.startswith("Collision at joint 'shoulder': torque error ")
    assert np.linalg.norm(held - GOAL) > 0.1
    assert np.ptp(cell.run(500), axis=0).max() < 1e-3
    with pytest.raises(PlaybackError, match="Reset the collision before the next trajectory"):
        cell.go()
    assert cell.robot.reset() == "the collision is cleared, and references are followed again"
    assert np.ptp(cell.run(500), axis=0).max() < 2e-3
    assert cell.robot.law is not None
    cell.go(begin=tuple(cell.robot.law.position_command))
    assert np.allclose(cell.run(1500)[-1], GOAL, atol=2e-3)


def test_reset_without_a_collision_is_refused(cell: Cell) -> None:
    cell.run(10)
    with pytest.raises(SimulationError, match="there is no collision to clear"):
        cell.robot.reset()


def test_after_a_fault_the_robot_continues_from_where_the_drives_hold_it(cell: Cell) -> None:
    cell.go()
    cell.run(200)
    cell.robot.robot.trip()
    held = cell.run(1500)[-1]
    cell.robot.clear_fault()
    assert np.allclose(cell.run(500)[-1], held, atol=1e-3)


def test_without_torque_limits_there_is_no_control_law(tmp_path: Path) -> None:
    limits = {"velocity": [4.0, 5.0], "acceleration": [20.0, 25.0], "torque_max": None}
    robot = load_robot(write_small_robot(tmp_path, limits=limits))
    ControlledRobot(robot, feedforward=False)
    with pytest.raises(ConfigurationError, match=r"additive torque needs 'limits\.torque_max'"):
        ControlledRobot(robot)
