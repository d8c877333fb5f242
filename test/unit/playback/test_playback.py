"""A playback moves to the start, plays and settles, and stops the robot on any fault."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.fake_cell import HOME, SINE, Cell, FakeClock, sine_plan

from dynid.errors import PlaybackError
from dynid.playback.follower import TrajectoryFollower
from dynid.playback.options import Options
from dynid.playback.plan import make_plan
from dynid.playback.playback import Playback
from dynid.playback.robot_state import JointStateSample, StateReader
from dynid.profile import load_robot


@pytest.fixture
def cell() -> Cell:
    made = Cell()
    made.run(0.2)
    return made


def test_prepares_plays_and_finishes(cell) -> None:
    answer = cell.playback.prepare(cell.plan, cell.options)
    assert re.fullmatch(
        r"moving to the start of the excitation in \d\.\d s\. Limits kept; collisions with floor "
        r"or table not checked: no plane under `workspace\.planes`\.",
        answer,
    )
    cell.until("ready")
    assert np.allclose(cell.measured, cell.plan.start)
    assert cell.resting()
    assert cell.playback.start(cell.plan, cell.options) == "playing for 2.0 s."
    cell.until("finished")
    assert cell.states == ["idle", "moving", "ready", "playing", "settling", "finished"]
    assert np.array_equal(cell.sent[-1].position[-1], cell.plan.trajectory.position[-1])
    assert cell.resting()


def test_the_time_that_remains_runs_down_to_nothing(cell) -> None:
    cell.playback.prepare(cell.plan, cell.options)
    cell.until("ready")
    assert cell.playback.remaining == 0.0
    cell.playback.start(cell.plan, cell.options)
    cell.run(0.1)
    remaining = [cell.playback.remaining]
    assert 2.0 < remaining[0] < 2.5  # with the time until it starts
    while cell.playback.under_way:
        cell.step()
        remaining.append(cell.playback.remaining)
    ran = -np.diff(remaining)
    running = np.array(remaining[1:]) > 0
    np.testing.assert_allclose(ran[running], 0.01, atol=1e-6)
    assert not running[-1]


def test_the_reference_never_jumps(cell) -> None:
    cell.playback.start(cell.plan, cell.options)
    positions = []
    while cell.playback.under_way:
        cell.step()
        positions.append(cell.measured)
    acceleration = np.diff(positions, 2, axis=0) / 1e-4
    # the limits, and 10 % for differences that straddle a knot
    assert np.all(np.abs(acceleration) < 1.1 * np.array(cell.plan.robot.limits.acceleration))


def test_a_second_motion_starts_from_the_reference_not_from_the_measured_position(cell) -> None:
    cell.offset = np.full(6, 0.005)
    cell.playback.prepare(cell.plan, cell.options)
    cell.until("ready")
    cell.playback.start(cell.plan, cell.options)
    cell.until("finished")
    cell.playback.prepare(cell.plan, cell.options)
    assert np.array_equal(cell.next_sent().position[0], cell.plan.start)


def test_a_robot_moved_by_hand_starts_from_its_measured_position(cell) -> None:
    cell.playback.prepare(cell.plan, cell.options)
    cell.until("ready")
    cell.offset = np.full(6, 0.1)
    cell.run(0.2)
    cell.playback.start(cell.plan, cell.options)
    assert np.allclose(cell.next_sent().position[0], cell.plan.start + 0.1)


def test_a_blocked_robot_is_not_pushed_further(cell) -> None:
    cell.playing()
    held = cell.measured
    cell.hold = held
    cell.until("aborted")
    assert "its tracking error is " in cell.playback.state
    assert np.allclose(cell.robot.reference(cell.clock.now_ns()), held)
    assert cell.resting()
    cell.hold = None
    cell.playback.start(cell.plan, cell.options)
    cell.until("finished")


def test_a_blocked_robot_far_from_its_reference_is_aborted_with_a_sentence(cell) -> None:
    cell.playing()
    cell.hold = np.full(6, 1e6)
    cell.until("aborted")
    assert "the reference stays where it came to rest: its position is" in cell.playback.state


def test_stop_brings_the_robot_to_rest_on_its_path_and_it_can_start_again(cell) -> None:
    cell.playing()
    assert cell.playback.stop() == "bringing the robot to rest on its path."
    cell.until("aborted")
    assert cell.playback.state == "aborted: the motion was stopped on request."
    assert cell.states[-2] == "settling"
    assert cell.resting()
    path = cell.plan.trajectory.evaluate(np.linspace(0, 2, 20001)).position
    assert np.abs(path - cell.measured).max(axis=1).min() < 1e-3
    assert cell.playback.stop() == "no motion is under way."
    answer = cell.playback.start(cell.plan, cell.options)
    assert "then playing for 2.0 s. Limits kept; collisions with" in answer
    cell.until("finished")
    assert cell.states[-4:] == ["moving", "playing", "settling", "finished"]


def test_refuses_a_motion_while_another_is_under_way(cell) -> None:
    cell.playing()
    for command in (cell.playback.prepare, cell.playback.start):
        with pytest.raises(PlaybackError, match="the robot is already playing; wait until"):
            command(cell.plan, cell.options)
    assert cell.playback.state == "playing"


def test_tracking_error_stops_the_motion_and_the_next_starts_where_the_robot_is(cell) -> None:
    cell.playing()
    cell.offset = np.array([0, 0, 0.25, 0, 0, 0])
    cell.until("aborted")
    expected = r"aborted: joint 'joint_3': its tracking error is 0\.2\d* rad, at most "
    expected += (
        r"0\.2 rad are allowed; joint 'joint_3' came to rest 0\.25 rad away from its command\."
    )
    assert re.fullmatch(expected, cell.playback.state)
    assert cell.resting()
    held = cell.measured
    cell.playback.start(cell.plan, cell.options)
    assert np.allclose(cell.next_sent().position[0], held)


def test_a_robot_that_lags_is_not_stopped(cell) -> None:
    cell.delay_ns = 50_000_000
    cell.options = Options(tracking_error=0.01)
    cell.playback.start(cell.plan, cell.options)
    cell.until("finished")
    assert max(cell.playback.peaks.values()) < 0.01


def test_missing_joint_states_stop_the_motion(cell) -> None:
    cell.playing()
    cell.silent = True
    cell.run(1.0)
    assert cell.playback.state == "settling"
    assert cell.resting()
    cell.silent = False
    cell.until("late")
    assert re.fullmatch(
        r"late: no joint states arrived for 0\.5\d* s, at most 0\.5 s are allowed "
        r"\(parameter max_age\)\.",
        cell.playback.state,
    )


def test_a_robot_without_joint_states_is_aborted_with_the_reason(cell) -> None:
    cell.playing()
    cell.silent = True
    cell.until("aborted")
    assert cell.playback.state.endswith(
        "; the robot was not observed at rest (no joint states arrive)."
    )


def test_torque_beyond_the_drives_stops_the_motion_if_it_lasts(cell) -> None:
    cell.playing()
    cell.effort = np.array([0, 0, 0, 0, 0, -30.0])
    cell.run(0.03)
    cell.effort = np.zeros(6)
    cell.run(0.1)
    assert cell.playback.state == "playing"
    cell.effort = np.array([0, 0, 0, 0, 0, -30.0])
    cell.until("aborted")
    expected = "aborted: joint 'joint_6': its torque is 30 N m, at most 21.3 N m are allowed."
    assert cell.playback.state == expected
    assert cell.resting()


def test_a_controller_that_aborts_gets_no_message_until_the_next_motion(cell) -> None:
    cell.playing()
    commands = len(cell.sent)
    cell.robot = TrajectoryFollower(cell.joints, cell.measured)  # holds, as the controller does
    held = cell.measured
    cell.playback.fail("the controller gave up.")
    cell.until("aborted")
    assert cell.playback.state == "aborted: the controller gave up."
    assert len(cell.sent) == commands
    cell.playback.fail("it says so again.")
    assert cell.playback.state == "aborted: the controller gave up."
    cell.playback.start(cell.plan, cell.options)
    assert np.array_equal(cell.next_sent().position[0], held)
    cell.until("playing")
    cell.playback.stop()
    cell.playback.fail("the controller refused.")
    cell.until("aborted")
    assert cell.playback.state == (
        "aborted: the motion was stopped on request; the controller did not accept the "
        "stop: the controller refused."
    )


def test_refuses_without_a_trajectory_controller(cell) -> None:
    cell.listening = False
    with pytest.raises(PlaybackError, match="nobody listens"):
        cell.playback.prepare(cell.plan, cell.options)
    assert cell.playback.state == "idle"


def test_refuses_while_the_position_is_unknown() -> None:
    silent = Playback(StateReader(sine_plan().robot.joints, "/js"), FakeClock(), Cell())
    with pytest.raises(PlaybackError, match="position is unknown: no message arrived on /js"):
        silent.prepare(sine_plan(), Options())


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (
            {"arrival": -3.0},
            r"position is stale: its last joint states arrived 3 s ago, at most 0\.5",
        ),
        ({"stamp_ns": -(10**10)}, "stamped 10 s before this computer's time"),
        ({"stamp_ns": 10**10}, "stamped 10 s after this computer's time"),
        ({"position": 0.9}, r"'joint_2' is at 0\.9 rad, outside its limits -3\.92 to 0\.78"),
        ({"position": np.nan}, "joint 'joint_2': its position in the joint states is nan"),
    ],
)
def test_refuses_an_invalid_state(state, sentence) -> None:
    cell = Cell()
    position = np.array(HOME)
    position[1] = state.get("position", position[1])
    for _ in range(20):
        cell.clock.time += 0.01
        cell.playback.observe(
            JointStateSample(
                cell.clock.now_ns() + state.get("stamp_ns", 0),
                cell.clock.steady() + state.get("arrival", 0.0),
                position,
                cell.effort,
            )
        )
    with pytest.raises(PlaybackError, match=sentence):
        cell.playback.start(cell.plan, cell.options)
    assert cell.playback.state == "idle"
    assert not cell.sent


def test_the_motion_to_the_start_is_within_the_position_limits(cell) -> None:
    cell.playback.prepare(cell.plan, cell.options)
    way = cell.next_sent().position
    low, high, *_ = cell.plan.robot.limits.of_joints(6)
    assert np.all((way >= low) & (way <= high))


def test_trajectories_are_sent_earlier_where_simulated_time_is_fast(cell) -> None:
    cell.clock.speed = 4.0
    cell.run(5.0)
    cell.playback.start(cell.plan, cell.options)
    way = cell.next_sent()
    start = cell.robot.end_ns * 1e-9 - way.duration - cell.clock.now_ns() * 1e-9
    assert start == pytest.approx(0.8, abs=0.05)


def test_the_robot_does_not_move_if_the_controller_ends_in_between(cell) -> None:
    cell.playback.prepare(cell.plan, cell.options)
    cell.listening = False
    cell.until("aborted")
    assert cell.playback.state == "aborted: nobody listens."


def test_a_stop_before_the_motion_is_sent_cancels_it(cell) -> None:
    cell.playback.prepare(cell.plan, cell.options)
    cell.playback.stop()
    cell.until("aborted")
    assert np.allclose(cell.measured, HOME)


def test_there_are_no_tracking_errors_before_the_first_motion() -> None:
    cell = Cell()
    assert cell.playback.peaks == {}
    cell.run(0.2)
    assert cell.playback.peaks == {}
    assert cell.playback.remaining == 0.0


def test_a_clock_a_second_and_a_half_ahead_is_refused_unless_allowed(cell) -> None:
    cell.robot_now_ns = lambda: cell.clock.now_ns() + 1_500_000_000
    cell.run(0.3)
    with pytest.raises(
        PlaybackError, match=r"stamped 1\.5 s after this computer's time, at most 1 s"
    ):
        cell.playback.prepare(cell.plan, Options())
    cell.playback.prepare(cell.plan, Options(max_clock_offset=2.0))


@pytest.mark.parametrize("command", ["prepare", "start"])
def test_a_motion_to_the_start_out_of_the_workspace_is_refused(cell, command) -> None:
    kinematics = cell.plan.robot.kinematics()
    (half_way,) = kinematics.tool_path([(np.array(HOME) + cell.plan.start) / 2])
    low, high = (half_way - 0.02).tolist(), (half_way + 0.02).tolist()
    blocked = load_robot(
        "puma560", overrides=[f"workspace.boxes.post={{low: {low}, high: {high}}}"]
    )
    plan = make_plan(blocked.with_settings(SINE))
    with pytest.raises(PlaybackError, match=r"start cannot be reached.*box 'post': distance"):
        getattr(cell.playback, command)(plan, cell.options)
    cell.run(0.5)
    assert not cell.sent
    assert cell.playback.state == "idle"


def test_a_pause_of_this_process_does_not_end_a_motion_within_its_horizon(cell) -> None:
    cell.playing()
    cell.clock.time += cell.options.max_age + 0.1
    cell.until("finished")
    assert cell.resting()


def test_a_pause_beyond_the_horizon_ends_the_motion_late_and_it_can_be_repeated(cell) -> None:
    cell.options = Options(horizon=0.4)
    cell.playing()
    cell.clock.time += 1.0
    cell.until("late: the motion was not renewed within its horizon of 0.4 s, because this")
    assert cell.playback.reason.endswith(
        "The player paused for up to 1.01 s (parameter horizon: 0.4 s), its joint states for "
        "1.01 s (max_age: 0.5 s)."
    )
    assert cell.resting()
    cell.playback.start(cell.plan, cell.options)
    cell.until("finished")


def test_a_motion_without_joint_states_is_not_renewed_even_if_this_process_hardly_runs(
    cell,
) -> None:
    cell.options = Options(horizon=0.4)
    cell.playing()
    cell.silent = True
    count = len(cell.sent)
    for _ in range(2):
        cell.clock.time += cell.options.max_age + 0.05
        cell.playback.tick()
        assert cell.playback.state == "playing"
    assert len(cell.sent) == count
    assert cell.resting()  # at the horizon
    cell.silent = False
    cell.until("late")


def test_a_robot_that_is_not_seen_at_rest_after_a_late_motion_is_aborted(cell) -> None:
    cell.options = Options(horizon=0.4)
    cell.playing()
    cell.clock.time += 1.0
    cell.silent = True
    cell.until("aborted")
    assert "the robot was not observed at rest" in cell.playback.reason
