"""The simulated robot in torque mode: motion, damped stop, the robot's own stop."""

from __future__ import annotations

import numpy as np
import pytest
from std_msgs.msg import Bool
from support.simulated_cell import GOAL, MILLISECOND, Cell
from support.small_robot import HOME, write_its_model, write_small_robot

from dynid.errors import ConfigurationError
from dynid_ros.simulated_robot import SimulatedRobotNode

SLOWLY = {"within": 2500, "atol": 0.02}  # by torque alone, without loops of the drives


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The file of a model that was identified from the simulated robot."""
    return write_its_model(tmp_path_factory.mktemp("torque"))


@pytest.fixture
def cell(stepped_graph, tmp_path, model):
    profile = write_small_robot(
        tmp_path,
        torque_control={"bandwidth_hz": 4, "integral_time": 0.3, "position_error_max": 0.2},
    )
    return Cell(stepped_graph, profile, speed=5.0, command="torque", model=str(model))


def test_torque_holds_the_robot_and_moves_it_along_a_trajectory(cell) -> None:
    cell.pass_for(1000)
    assert np.allclose(cell.position, HOME, atol=0.02)
    assert np.abs(cell.table("effort")[-200:].mean(axis=0)).max() > 1, "gravity is held by torque"
    cell.arrive(**SLOWLY)
    assert cell.errors() == []


def test_a_push_ends_in_a_damped_stop_and_then_in_the_robots_own_one(cell) -> None:
    cell.pass_for(500)
    cell.push("lower", 400.0)
    cell.graph.until(cell.errors)
    cell.push("lower", 0.0)
    cell.graph.until(lambda: cell.node._robot.fault is not None)
    cell.pass_for(1000)
    held = cell.position
    assert np.abs(cell.table("velocity")[-200:]).max() < 0.05
    assert np.abs(held - HOME).max() > 0.02, "it was pushed away"
    cell.go(begin=held)
    assert "Clear the fault before the next trajectory" in cell.logged("trajectory refused")
    cell.graph.done("/simulated_robot/clear_fault")
    cell.arrive(begin=held, **SLOWLY)


def test_a_damped_stop_has_no_stiffness_until_the_robots_own_stop(cell) -> None:
    start = cell.go()
    cell.pass_until(start + 400 * MILLISECOND)
    assert np.abs(cell.table("velocity")[-1]).max() > 0.5
    cell.node._controlled.stop()
    begin = len(cell.messages)
    cell.graph.until(lambda: cell.node._robot.fault is not None)
    speed = np.abs(cell.table("velocity")[begin:]).max(axis=1)
    assert speed[-1] < 0.2 < speed[0]
    stopped = cell.position
    cell.pass_for(1500)
    # the drives hold it where the damped stop has left it, not where the trajectory ends
    assert np.allclose(cell.position, stopped, atol=0.02)
    assert np.abs(cell.position - GOAL).max() > 0.05


def hold_switch(cell, milliseconds: int) -> None:
    """Press the enabling switch of hand guiding for a time of the robot."""
    for _ in range(milliseconds // 100):
        cell.inject("guide", Bool(data=True))
        cell.pass_for(100)


def test_a_hand_guides_the_robot_while_its_switch_is_pressed(cell) -> None:
    cell.pass_for(500)
    hold_switch(cell, 300)
    assert any("guided by hand" in status.message for status in cell.health())
    cell.push("lower", 50.0)
    hold_switch(cell, 600)
    cell.push("lower", 0.0)
    guided = cell.position
    assert np.abs(guided - HOME).max() > 0.1
    cell.go(begin=guided)
    assert "let go before the next trajectory" in cell.logged("trajectory refused")
    cell.inject("guide", Bool(data=False))
    cell.graph.until(lambda: not cell.node._controlled.guided)
    cell.pass_for(1500)
    held = cell.position
    assert cell.errors() == []
    cell.pass_for(1000)
    assert np.allclose(cell.position, held, atol=2e-3), "its loops hold it where it was released"
    cell.arrive(begin=held, **SLOWLY)


def test_hand_guiding_ends_where_the_switch_falls_silent(cell) -> None:
    cell.pass_for(500)
    hold_switch(cell, 300)
    assert cell.node._controlled.guided
    cell.pass_for(1500)  # 0.3 s: its node died
    assert not cell.node._controlled.guided
    assert cell.node._robot.fault is None


def test_hand_guiding_is_refused_in_motion(cell) -> None:
    start = cell.go()
    cell.pass_until(start + 400 * MILLISECOND)
    hold_switch(cell, 200)
    assert "cannot be guided by hand: it moves" in cell.logged("cannot be guided")
    cell.pass_until(start + 2500 * MILLISECOND)
    assert np.allclose(cell.position, GOAL, atol=0.02)


def test_a_drive_fault_in_torque_mode_is_cleared_as_in_position_mode(cell) -> None:
    assert cell.graph.call("/simulated_robot/inject_fault").success
    cell.pass_for(500)
    assert np.allclose(cell.position, HOME, atol=0.05)
    assert cell.graph.call("/simulated_robot/clear_fault").success
    held = cell.position
    cell.arrive(begin=held, **SLOWLY)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"command": "current"}, "is 'current'; expected position or torque"),
        ({"command": "torque"}, "needs the parameter 'model'"),
        ({"command": "torque", "model": "m.yaml", "feedforward": True}, "leave it false"),
    ],
)
def test_parameters_that_contradict_each_other_are_refused(
    stepped_graph, tmp_path, parameters, words
) -> None:
    profile = write_small_robot(tmp_path)
    with pytest.raises(ConfigurationError, match=words):
        stepped_graph.start(SimulatedRobotNode, profile=str(profile), **parameters)
