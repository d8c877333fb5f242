"""Commands end at rest: after any failure, the robot stops on its path by itself."""

from __future__ import annotations

import numpy as np
import pytest
from support.fake_cell import Cell, sine_plan

from dynid.errors import PlaybackError
from dynid.playback.follower import TrajectoryFollower
from dynid.playback.options import Options


@pytest.fixture
def cell() -> Cell:
    made = Cell()
    made.run(0.2)
    return made


def positions(cell: Cell, duration: float) -> np.ndarray:
    """Return the robot's reference at 100 Hz, without further commands."""
    begin = cell.clock.now_ns()
    return cell.robot.motion([begin + 10**7 * k for k in range(round(duration * 100))]).position


def distance_from_path(position: np.ndarray) -> float:
    path = sine_plan().trajectory.evaluate(np.linspace(0.0, 2.0, 20001)).position
    return max(np.abs(path - row).max(axis=1).min() for row in position)


def test_every_message_ends_at_rest_within_the_horizon_and_its_braking(cell) -> None:
    cell.options = Options(horizon=0.5)
    ends = []
    original = cell.send

    def send(trajectory, start_ns) -> None:
        original(trajectory, start_ns)
        assert not trajectory.velocity[-1].any()
        ends.append((cell.robot.end_ns - max(cell.clock.now_ns(), start_ns)) * 1e-9)

    cell.send = send
    cell.playback.start(cell.plan, cell.options)
    cell.until("finished")
    assert len(ends) > 20
    assert max(ends) < 0.5 + 0.5


def test_a_renewed_motion_is_the_single_trajectory(cell) -> None:
    cell.playback.prepare(cell.plan, cell.options)
    cell.until("ready")
    before = len(cell.starts)
    cell.playback.start(cell.plan, Options(horizon=0.3))
    cell.run(0.1)
    start = cell.starts[before]
    single = TrajectoryFollower(cell.joints, cell.plan.start)
    single.accept(cell.plan.trajectory, start, start)
    difference = 0.0
    while cell.playback.under_way:
        cell.step()
        reference = single.reference(cell.clock.now_ns())
        difference = max(difference, np.abs(reference - cell.measured).max())
    assert len(cell.starts) - before > 20
    assert set(cell.starts[before:]) == {start}
    assert difference < 1e-9


@pytest.mark.parametrize("moment", [0.1, 0.45, 0.8, 1.1])
def test_the_robot_stops_on_its_path_when_the_player_dies(cell, moment) -> None:
    cell.playback.start(cell.plan, Options(horizon=0.2))
    cell.until("playing")
    cell.run(moment)
    way = positions(cell, 3.0)
    assert np.ptp(way[120:], axis=0).max() == 0.0
    assert distance_from_path(way[::10]) < 1e-4
    acceleration = np.diff(way, 2, axis=0) / 1e-4
    assert np.all(np.abs(acceleration) < 1.1 * np.array(cell.plan.robot.limits.acceleration))


@pytest.mark.parametrize("pause", [0.15, 0.3, 0.9, 5.0])
def test_a_suspended_player_never_makes_the_reference_jump(cell, pause) -> None:
    cell.options = Options(horizon=0.4, max_age=10.0)
    cell.playing()
    way = [cell.measured]
    for _ in range(round(pause * 100)):
        cell.clock.time += 0.01
        way.append(cell.measured)
    while cell.playback.under_way:
        cell.step()
        way.append(cell.measured)
    acceleration = np.diff(way, 2, axis=0) / 1e-4
    assert np.all(np.abs(acceleration) < 1.1 * np.array(cell.plan.robot.limits.acceleration))
    if pause > 0.4:
        assert "was not renewed within its horizon of 0.4 s" in cell.playback.state
    assert cell.resting()


def test_a_stop_is_repeated_until_it_is_over_but_not_with_every_tick(cell) -> None:
    cell.playing()
    before = len(cell.sent)
    cell.playback.stop()
    cell.until("aborted")
    repeats, times = cell.sent[before:], cell.times[before:]
    ticks = round((times[-1] - times[0]) / 0.01)
    assert 2 < len(repeats) < ticks / 2
    assert all(np.array_equal(one.time[-3:], repeats[0].time[-3:]) for one in repeats)


def test_a_lost_stop_is_replaced_by_the_next_message(cell) -> None:
    cell.playing()
    original, lost = cell.send, []

    def send(trajectory, start_ns) -> None:
        if lost:
            original(trajectory, start_ns)
        lost.append(trajectory)

    cell.send = send
    cell.playback.stop()
    way = cell.way(2.0)
    assert cell.playback.state == "aborted: the motion was stopped on request."
    assert distance_from_path(way[::5]) < 1e-4


class Suspended:
    """A robot whose process stood still: its time is late, and messages to it are lost."""

    def __init__(self, cell: Cell, duration: float) -> None:
        self.arrive = False
        self.original, cell.send = cell.send, self.send
        real, begin = cell.clock.now_ns, cell.clock.now_ns()
        cell.silent, cell.robot_now_ns = True, lambda: begin
        cell.run(duration)
        late = real() - begin
        cell.silent, cell.robot_now_ns = False, lambda: real() - late

    def send(self, trajectory, start_ns) -> None:
        if self.arrive:
            self.original(trajectory, start_ns)


@pytest.mark.parametrize("duration", [0.7, 1.6, 4.0, 5.5])
def test_a_suspended_robot_receives_the_stop_that_it_missed(cell, duration) -> None:
    cell.playing()
    robot = Suspended(cell, duration)
    robot.arrive = True
    way = cell.way(6.0)
    assert "settling" not in cell.playback.state
    assert "no joint states arrived for 0.5" in cell.playback.state
    assert "in time" not in cell.playback.state
    assert "not seen" not in cell.playback.state
    # rest after 0.5 s without messages, and braking
    assert np.ptp(way[100:], axis=0).max() == 0.0
    assert distance_from_path(way[::5]) < 1e-4


@pytest.mark.parametrize("duration", [1.6, 3.0])
def test_a_robot_that_received_no_stop_does_not_move_back_to_its_end(cell, duration) -> None:
    cell.playing()
    robot = Suspended(cell, duration)
    way = cell.way(1.4)
    robot.arrive = True
    way = np.concatenate([way, cell.way(10.0)])
    assert cell.playback.state.startswith("late: ")
    assert cell.playback.state.endswith(
        "; the stop did not reach the robot in time: it rests where an earlier message ended."
    )
    assert np.ptp(way[140:], axis=0).max() == 0.0
    assert distance_from_path(way[::5]) < 1e-4
    cell.robot_now_ns = cell.clock.now_ns
    cell.run(3.0)
    cell.playback.start(cell.plan, cell.options)
    cell.until("finished")


def test_a_robot_that_messages_did_not_reach_may_repeat_its_motion(cell) -> None:
    cell.options = Options(horizon=0.3, tracking_error=0.05)
    cell.playing()
    original, cell.send = cell.send, lambda *_: None  # lost on their way, which nobody reports
    cell.until("late: ")
    cell.send = original
    assert "tracking error" in cell.playback.reason
    assert "This computer was too slow. The player paused for" in cell.playback.reason
    cell.run(3.0)
    cell.playback.start(cell.plan, cell.options)
    cell.until("finished")


@pytest.mark.parametrize("joint", range(6))
def test_a_robot_that_an_obstacle_holds_may_not_repeat_its_motion(cell, joint) -> None:
    cell.options = Options(horizon=0.3, tracking_error=0.05)
    cell.playing()
    held = cell.measured[joint]
    for _ in range(400):
        cell.step()
        reference = cell.robot.reference(cell.robot_now_ns())
        cell.offset[joint] = held - reference[joint]
    assert cell.playback.state.startswith("aborted: ")
    assert "too slow" not in cell.playback.reason


def test_a_reference_away_from_its_command_does_not_jump(cell) -> None:
    """A robot at rest elsewhere is not moved, for any reference of its controller."""
    cell.playing()
    original, begin = cell.send, cell.clock.now_ns()
    cell.send = lambda trajectory, start: original(trajectory, start) if start > begin else None
    cell.playback.stop()
    resting = cell.measured + 0.3
    cell.robot = TrajectoryFollower(cell.joints, resting)
    count = len(cell.sent)
    while cell.playback.under_way:
        cell.step()
        assert np.abs(cell.measured - resting).max() < 1e-9
    assert len(cell.sent) == count + 1
    assert "came to rest 0.3" in cell.playback.state


def test_a_stop_that_a_controller_acknowledged_is_not_repeated(cell) -> None:
    cell.acknowledged = True
    cell.playing()
    before = len(cell.sent)
    cell.playback.stop()
    cell.until("aborted")
    assert len(cell.sent) == before + 1


def test_rest_without_joint_states_is_not_confirmed(cell) -> None:
    cell.playing()
    cell.playback.stop()
    for k in range(800):
        cell.offset = np.array([0, 0, 0.01 * (-1) ** k, 0, 0, 0])
        cell.step()
    assert cell.playback.state.endswith("; the robot was not observed at rest (joint 'joint_3').")


def test_a_motion_starts_from_rest_only(cell) -> None:
    for k in range(20):
        cell.offset = np.array([0, 0, 0.002 * k, 0, 0, 0])
        cell.step()
    with pytest.raises(PlaybackError, match=r"the robot moves \(joint 'joint_3'\), and a motion"):
        cell.playback.start(cell.plan, cell.options)
    assert not cell.sent


@pytest.mark.parametrize("offset", [-0.4, 0.4])
def test_trajectories_are_stamped_with_the_robots_clock(cell, offset) -> None:
    """A robot whose clock is ahead of the player's, or behind it, gets the same motion."""
    real, cell.clock.now_ns = cell.clock.now_ns, lambda: real() - round(offset * 1e9)
    cell.robot_now_ns = real
    cell.run(2.5)
    cell.playback.start(cell.plan, cell.options)
    cell.until("finished")
    assert cell.playback.clock_offset == pytest.approx(offset, abs=1e-6)
    assert max(cell.playback.peaks.values()) < 1e-9


@pytest.mark.parametrize("effort", [None, np.array([0, 0, np.nan, 0, 0, 0])])
def test_missing_effort_stops_a_motion_with_supervised_torque(cell, effort) -> None:
    cell.playing()
    cell.effort = effort
    cell.until("aborted")
    assert "torque cannot be supervised; repair the joint states, or" in cell.playback.state
    assert cell.resting()


def test_a_robot_without_effort_is_refused_unless_torque_is_not_supervised(cell) -> None:
    cell.effort = None
    cell.run(0.2)
    with pytest.raises(PlaybackError, match=r"the joint states have no effort, so torque"):
        cell.playback.start(cell.plan, cell.options)
    answer = cell.playback.start(cell.plan, Options(supervise_torque=False))
    assert answer.endswith("Torque is not supervised: supervise_torque is false.")
    cell.until("finished")


def test_a_frozen_stamp_or_a_frozen_clock_stops_a_motion(cell) -> None:
    cell.playing()
    real, now = cell.clock.now_ns, cell.clock.now_ns()
    cell.robot_now_ns = lambda: now
    cell.until("aborted")
    assert "the joint states have a frozen stamp: it has not" in cell.playback.state
    cell.robot_now_ns = real
    cell.run(0.5)
    cell.playing()
    now = real()
    cell.robot_now_ns = real
    cell.clock.now_ns = lambda: now
    cell.until("settling")
    cell.clock.now_ns = real
    cell.until("aborted")
    assert "the clock of this node has not advanced for 0.5" in cell.playback.state


def test_a_fault_of_the_robot_ends_the_motion_with_its_reason(cell) -> None:
    cell.playing()
    cell.playback.fault("drive 'joint_2' is in fault: 0x2310.")
    cell.until("aborted")
    assert cell.playback.state == "aborted: drive 'joint_2' is in fault: 0x2310."
    assert cell.resting()


def test_a_motion_waits_until_pending_messages_have_been_read(cell) -> None:
    cell.playback.prepare(cell.plan, cell.options)
    sent = []
    for _ in range(3):
        cell.step()
        sent.append(len(cell.sent))
    assert sent == [0, 0, 1]


def test_a_stop_that_could_not_be_sent_is_not_followed_by_the_motion(cell) -> None:
    cell.options = Options(horizon=0.3)
    cell.playing()
    cell.listening = False
    cell.playback.stop()
    cell.listening = True
    before = len(cell.sent)
    cell.until("aborted")
    assert len(cell.sent) == before
    assert cell.playback.state == (
        "aborted: the motion was stopped on request; the controller did not accept the "
        "stop: nobody listens."
    )
    assert cell.resting()


def test_by_default_a_robot_without_commands_is_at_rest_within_1_5_s(
    cell,
) -> None:
    cell.playback.start(cell.plan, Options())
    cell.until("playing")
    cell.run(0.1)
    way = positions(cell, 1.85)  # the motion itself would last longer
    assert np.ptp(way[155:], axis=0).max() == 0.0
