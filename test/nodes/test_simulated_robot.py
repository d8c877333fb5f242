"""Topics of the simulated robot: joint states, trajectories, and time."""

from __future__ import annotations

import time

import numpy as np
import pytest
from std_msgs.msg import Float64, Float64MultiArray, Int32
from support.simulated_cell import GOAL, MILLISECOND, Cell, motion
from support.small_robot import ACCELERATION, DELAY, HOME, JOINTS, write_small_robot

from dynid.playback.follower import TrajectoryFollower
from dynid.playback.trajectory import Trajectory
from dynid.profile import load_robot
from dynid.simulation.robot import SimulatedRobot
from dynid_ros import simulated_robot
from dynid_ros.trajectory_messages import start_ns

FIRST = 1000 * MILLISECOND + MILLISECOND  # simulated time at the first cycle's end


@pytest.fixture
def cell(stepped_graph, tmp_path):
    return Cell(stepped_graph, write_small_robot(tmp_path), speed=5.0)


def test_joint_states_are_complete_at_1_khz_of_simulated_time(cell) -> None:
    cell.pass_for(2000)
    assert set(np.diff(cell.stamps)) == {MILLISECOND}
    assert all(tuple(message.name) == JOINTS for message in cell.messages)
    for name in ("position", "velocity", "effort"):
        assert cell.table(name).shape == (len(cell.messages), 2)
    assert np.allclose(cell.table("position"), HOME, atol=1e-3)


def test_a_trajectory_is_followed_as_by_the_plant_after_the_drives_delay(cell) -> None:
    start = cell.go()
    cell.pass_until(start + 2000 * MILLISECOND)
    instants = np.arange(FIRST, cell.stamps[-1] + 1, MILLISECOND)
    robot = load_robot(str(cell.profile))
    follower = TrajectoryFollower(JOINTS, HOME)
    follower.accept(motion(HOME, GOAL), start, start)
    reference = follower.motion(instants.tolist()).position
    expected = SimulatedRobot(robot).run(reference)
    resting = SimulatedRobot(robot).run(np.tile(HOME, (len(instants), 1)))
    missed = len(instants) - len(cell.messages)  # messages before the subscription
    # the same cycle by cycle but for rounding; a cycle too late would be 1e-3 rad at 1 rad/s
    assert np.allclose(cell.table("position"), expected.position[missed:], rtol=0, atol=1e-9)
    # noise comes from the same seed: what differs from a robot that rests is the motion
    reacted = cell.stamps[(cell.table("effort") != resting.effort[missed:]).any(axis=1)][0]
    commanded = instants[(reference != HOME).any(axis=1)][0]
    assert reacted - commanded == DELAY * MILLISECOND
    assert np.allclose(cell.position, GOAL, atol=2e-3)


def test_an_invalid_trajectory_is_refused_with_a_sentence_and_the_robot_holds(cell) -> None:
    wrong = Trajectory(("shoulder", "wrist"), np.array([1.0]), np.ones((1, 2)))
    cell.send(wrong, 0)
    cell.graph.until(lambda: any("refused" in line.msg for line in cell.log))
    message = next(line.msg for line in cell.log if "refused" in line.msg)
    assert message == (
        "trajectory refused: the trajectory names joint 'wrist', which this robot does not have; "
        "expected shoulder, elbow."
    )
    cell.pass_for(1200)
    assert np.allclose(cell.table("position"), HOME, atol=1e-3)


def test_an_invalid_trajectory_does_not_affect_the_current_one(cell) -> None:
    start = cell.go()
    cell.pass_until(start)
    cell.send(Trajectory(("shoulder", "wrist"), np.array([1.0]), np.ones((1, 2))), 0)
    cell.graph.until(lambda: any("refused" in line.msg for line in cell.log))
    cell.pass_until(start + 2000 * MILLISECOND)
    assert np.allclose(cell.position, GOAL, atol=2e-3)


def test_a_drive_fault_brakes_within_limits_and_holds_until_it_is_cleared(cell) -> None:
    start = cell.go()
    cell.pass_until(start + 300 * MILLISECOND)
    assert np.abs(cell.table("velocity")[-1]).max() > 0.5
    tripped = start_ns(cell.messages[-1])
    cell.graph.done("/simulated_robot/inject_fault")
    cell.pass_until(start + 2000 * MILLISECOND)
    braking = (cell.stamps >= tripped) & (cell.stamps < tripped + 500 * MILLISECOND)
    # the braking reference decelerates at the limit; the drives' loops overshoot when it sets in
    # and ends, by a half at most. A target that stopped dead would take three times the limit
    velocity = cell.table("velocity")[braking][::10]
    assert (np.abs(np.diff(velocity, axis=0)) / 0.010 < 1.5 * np.array(ACCELERATION)).all()
    held = cell.position
    assert np.ptp(cell.table("position")[-500:], axis=0).max() < 1e-3
    assert np.linalg.norm(held - GOAL) > 0.1
    cell.graph.until(cell.errors)
    assert cell.errors()[-1].startswith("A drive fault was injected at ")
    cell.graph.done("/simulated_robot/clear_fault")
    cell.pass_for(1000)
    assert np.allclose(cell.position, held, atol=1e-3), "earlier commands are cancelled"
    cell.arrive(begin=held)


def test_a_fault_cannot_be_cleared_while_the_drives_brake(cell) -> None:
    start = cell.go()
    cell.pass_until(start + 300 * MILLISECOND)
    cell.node._inject_fault()
    assert cell.graph.refused("/simulated_robot/clear_fault") == (
        "the drives are still braking; clear their fault when the robot is at rest."
    )


def test_clearing_no_fault_does_not_affect_the_motion(cell) -> None:
    start = cell.go()
    assert cell.graph.call("/simulated_robot/clear_fault").message == "the drives have no fault"
    cell.pass_until(start + 2000 * MILLISECOND)
    assert np.allclose(cell.position, GOAL, atol=2e-3)


def test_a_wrench_acts_on_the_link_of_its_frame_until_one_of_zeros(cell) -> None:
    cell.push("lower", 20.0)
    cell.pass_for(1000)
    before, held = cell.table("effort")[:10].mean(axis=0), cell.table("effort")[-300:].mean(axis=0)
    # the force has no lever at the elbow, where only noise differs
    assert held[0] - before[0] < -4.0
    assert abs(held[1] - before[1]) < 0.2
    cell.push("lower", 0.0)
    cell.pass_for(1000)
    released = cell.table("effort")[-300:].mean(axis=0)
    assert np.allclose(released, before, atol=2.0 + 0.5), "but for friction that holds"
    assert released[0] - held[0] > 4.0


def test_lost_frames_freeze_the_joint_states(cell) -> None:
    cell.inject("lose_frames", Int32(data=40))
    cell.pass_for(500)
    effort = cell.table("effort")  # with noise, so that no two are the same
    frozen = np.flatnonzero((np.diff(effort, axis=0) == 0).all(axis=1))
    frozen = frozen[frozen > DELAY]  # before, the robot reports its state at rest
    assert len(frozen) == np.ptp(frozen) + 1 == 40
    assert set(np.diff(cell.stamps)) == {MILLISECOND}
    cell.inject("frame_loss", Float64(data=1.0))
    cell.graph.until(lambda: len(set(cell.table("effort")[-20:, 0])) == 1)


def test_a_saturated_drive_cannot_hold_its_load(cell) -> None:
    cell.inject("saturate", Float64MultiArray(data=[0.01, 1.0]))
    cell.graph.until(cell.errors)
    assert "joint 'shoulder' lost its target at " in cell.errors()[-1]


def test_invalid_injections_are_refused_with_a_sentence_in_the_log(cell) -> None:
    cell.push("wrist", 1.0)
    assert cell.logged("no link 'wrist'") == (
        "The URDF has no link 'wrist'; the links that move are upper, lower."
    )
    cell.inject("lose_frames", Int32(data=-1))
    assert cell.logged("-1 lost frames are impossible")
    cell.inject("frame_loss", Float64(data=2.0))
    assert cell.logged("must be from 0 to 1.")
    cell.inject("saturate", Float64MultiArray(data=[0.5, 0.5, 0.5]))
    assert cell.logged("Drives cannot saturate at [0.5, 0.5, 0.5]; expected one number")


def test_it_ends_when_its_robot_is_at_rest(cell, monkeypatch) -> None:
    monkeypatch.setattr(simulated_robot, "_REST_DURATION_NS", 10**9)
    start = cell.go()
    cell.pass_until(start + 300 * MILLISECOND)
    cell.node.finish()
    assert np.abs(cell.table("velocity")[-1]).max() < 0.02
    assert np.allclose(cell.position, GOAL, atol=5e-3)


def test_a_robot_at_rest_publishes_until_its_player_detects_rest(cell, monkeypatch) -> None:
    """The player that has moved it needs states over a tenth of a second."""
    monkeypatch.setattr(simulated_robot, "_REST_DURATION_NS", 10**9)
    before = cell.stamps[-1]
    cell.node.finish()
    assert cell.stamps[-1] - before > 100 * MILLISECOND


def test_a_lost_target_is_reported_on_diagnostics(cell) -> None:
    cell.send(Trajectory(JOINTS, np.array([0.001]), np.array([[1.9, 1.9]])), 0)
    cell.graph.until(cell.errors)
    assert "lost its target at " in cell.errors()[-1]


def test_simulated_time_is_published_on_the_clock_topic(cell) -> None:
    cell.graph.until(lambda: len(cell.clock) >= 20)
    instants = [message.clock.sec * 10**9 + message.clock.nanosec for message in cell.clock]
    assert set(np.diff(instants)) == {5 * MILLISECOND}
    assert set(instants) & set(cell.stamps.tolist())


def test_at_speed_1_stamps_are_wall_time(graph, tmp_path) -> None:
    before = time.time_ns()
    cell = Cell(graph, write_small_robot(tmp_path), speed=1.0)
    cell.pass_for(200)
    after = time.time_ns()
    assert before <= cell.stamps[0] < cell.stamps[-1] <= after
    # a robot at rest skips the time for which its machine was too slow, and reports it
    gaps = np.diff(cell.stamps) - MILLISECOND
    assert gaps.min() == 0
    assert gaps.sum() * 1e-9 <= cell.node.measured()["time skipped [s]"]
    assert cell.node.count_publishers("/clock") == 0
