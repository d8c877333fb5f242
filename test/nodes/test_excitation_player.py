"""The player moves a robot that may move, and stops it on any fault."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.parameter import Parameter
from std_msgs.msg import String
from support.fake_robot import HOME, JOINTS, FakeRobot
from support.player_cell import PLAYER, SINE, START, TRAJECTORIES, Cell, StateList, excitation
from trajectory_msgs.msg import JointTrajectory

from dynid.errors import ConfigurationError
from dynid.files import share_directories
from dynid.playback.trajectory import Trajectory
from dynid_ros.excitation_player import ExcitationPlayer
from dynid_ros.node import ERROR
from dynid_ros.qos import COMMAND, DIAGNOSTICS, LATCHED
from dynid_ros.trajectory_messages import from_message, start_ns, to_message


def profile(folder, **limits) -> str:
    """Return the PUMA 560 with other limits."""
    shipped = share_directories()[0] / "config" / "robots" / "puma560.yaml"
    content = yaml.safe_load(shipped.read_text())
    content["limits"].update(limits)
    file = folder / "puma560.yaml"
    file.write_text(yaml.safe_dump(content))
    return str(file)


@pytest.fixture
def cell(stepped_graph, tmp_path):
    return partial(Cell, stepped_graph, tmp_path)


def test_two_robots_in_one_graph_move_at_once(stepped_graph, tmp_path) -> None:
    robots, states = [], []
    for side in ("left", "right"):
        names = {"/joint_states": f"/{side}/joint_states", TRAJECTORIES: f"/{side}{TRAJECTORIES}"}
        remapped = [one for pair in names.items() for one in ("-r", ":=".join(pair))]
        make = partial(FakeRobot, cli_args=["--ros-args", *remapped])
        robots.append(stepped_graph.start(make))
        stepped_graph.start(
            partial(ExcitationPlayer, namespace=f"/{side}"),
            excitation=excitation(tmp_path),
            controller=f"/{side}/joint_trajectory_controller",
            topic=f"/{side}/joint_states",
            move_fraction=1.0,
        )
        received = stepped_graph.listen(String, f"/{side}{PLAYER}/state", LATCHED)
        states.append(StateList(received))
    stepped_graph.until(lambda: [one.last for one in states] == ["idle", "idle"])
    for side in ("left", "right"):
        stepped_graph.done(f"/{side}{PLAYER}/start")
    assert all(one.last in {"moving", "playing"} for one in states)
    stepped_graph.until(lambda: [one.last for one in states] == ["finished", "finished"])
    assert all(robot.at_rest() for robot in robots)


def test_moves_to_the_start_plays_and_settles(cell) -> None:
    made = cell()
    success, message = made.call("prepare")
    assert success
    assert re.match(r"moving to the start of the excitation in \d\.\d s\. Limits kept;", message)
    made.until("ready")
    assert np.allclose(made.robot.follower.reference(made.robot.now_ns()), START)
    assert made.call("start") == (True, "playing for 1.4 s.")
    made.until("finished")
    assert made.published() == ["idle", "moving", "ready", "playing", "settling", "finished"]
    assert made.robot.at_rest()
    played = [from_message(message) for message in made.robot.received[-3:]]
    assert all(np.allclose(one.position[-1], START) for one in played[-1:])
    assert np.allclose(played[0].time[:2], [0.0, 0.01])


def test_start_moves_first_where_the_robot_is_elsewhere(cell) -> None:
    made = cell()
    success, message = made.call("start")
    assert success
    assert "then playing for 1.4 s." in message
    made.until("playing")
    assert made.published() == ["idle", "moving", "playing"]
    success, message = made.call("prepare")
    assert not success
    assert message.startswith("the robot is already playing; wait until")
    assert np.allclose(from_message(made.robot.received[0]).position[0], HOME)


def test_stop_brings_the_robot_to_rest(cell) -> None:
    made = cell().playing()
    assert made.call("stop") == (True, "the robot is at rest.")
    assert made.until("aborted") == "aborted: the motion was stopped on request."
    assert made.robot.at_rest()
    assert made.call("stop") == (True, "no motion is under way.")


def test_a_tracking_error_brings_the_robot_to_rest(cell) -> None:
    made = cell().playing()
    made.robot.offset[3] = 0.3
    message = made.until("aborted")
    assert re.fullmatch(
        r"aborted: joint 'joint_4': its tracking error is 0\.[23]\d* rad, at most "
        r"0\.2 rad are allowed; joint 'joint_4' came to rest 0\.3 rad away from its command\.",
        message,
    )
    assert made.robot.at_rest()


def test_missing_joint_states_bring_the_robot_to_rest(cell) -> None:
    made = cell(max_age=0.3).playing()
    made.robot.silent = True
    made.graph.until(made.robot.at_rest)
    made.robot.silent = False
    message = made.until("late")
    assert re.fullmatch(
        r"late: no joint states arrived for 0\.3\d? s, at most 0\.3 s are allowed "
        r"\(parameter max_age\)\.",
        message,
    )


def test_refuses_an_unknown_position_and_names_the_joint_that_is_missing(cell) -> None:
    made = cell(third_joint="elbow")
    assert made.refused() == (
        "the robot's position is unknown: /joint_states has the joints joint_1, joint_2, elbow, "
        "joint_4, joint_5, joint_6, but not 'joint_3'; is this the profile's robot?"
    )


def test_refuses_a_robot_outside_its_limits(cell) -> None:
    made = cell()
    made.robot.offset[0] = 3.0
    made.watch()
    assert made.refused("prepare") == (
        "joint 'joint_1' is at 3.05 rad, outside its limits -2.79 to 2.79 rad; move it back "
        "inside by hand first."
    )


def test_refuses_an_excitation_that_the_robot_cannot_play(cell, tmp_path) -> None:
    made = cell()
    excitation(tmp_path, target=[3.0, -1.4, 1.3, 0.8, 0.3, -0.3])
    assert re.match(r"joint 'joint_1': \w+ reaches .* beyond", made.refused())


def test_refuses_to_search_for_a_motion_that_nobody_has_seen(cell, tmp_path) -> None:
    file = tmp_path / "puma560.yaml"
    content = yaml.safe_load(Path(profile(tmp_path)).read_text())
    del content["excitation"]
    file.write_text(yaml.safe_dump(content))
    assert cell(excitation="", profile=str(file)).refused() == (
        "profile 'puma560' has no 'excitation', and a robot plays no motion that nobody has seen: "
        f"write a checked one by `dynid excite -p {file} -o excitation.yaml`, and set `excitation` "
        "to that file."
    )


def test_refuses_without_a_trajectory_controller(cell) -> None:
    made = cell(controller="arm_controller")
    assert made.refused() == (
        "/arm_controller/joint_trajectory has no subscriber; is the controller active?"
    )


def test_parameters_apply_to_the_next_motion(cell, tmp_path) -> None:
    made = cell()
    made.call("prepare")
    made.until("ready")
    other = tmp_path / "other.yaml"
    other.write_text(json.dumps({"excitation": {**SINE, "start": [0.1, -1.5, 1.5, 0.5, 0, 0]}}))
    made.player.set_parameters([Parameter("excitation", value=str(other))])
    assert made.call("start")[1].startswith("moving to the start")

    def starts() -> list[float]:
        return [from_message(message).position[0, 0] for message in made.robot.received]

    made.graph.until(lambda: starts()[-1] == pytest.approx(0.1))


def test_diagnostics_have_state_and_tracking_errors(cell, stepped_graph) -> None:
    received = stepped_graph.listen(DiagnosticArray, "/diagnostics", DIAGNOSTICS)
    made = cell().playing()
    made.robot.offset[:] = 0.01

    def figures() -> dict[str, str]:
        own = [m.status[0] for m in received if m.status[0].name == "excitation_player"]
        return {pair.key: pair.value for pair in own[-1].values} if own else {}

    stepped_graph.until(lambda: float(figures().get("tracking error of joint_6", 0)) > 0.005)
    assert figures()["state"] == "playing"


def test_refuses_a_profile_that_it_cannot_play(graph) -> None:
    with pytest.raises(ConfigurationError, match=r"'tx40'.*motions are played at the joints"):
        graph.start(ExcitationPlayer, profile="tx40")


@contextmanager
def playing_process(graph, robot, received, folder, duration):
    """A player in a process of its own, while it moves the robot; it is killed at the end."""
    arguments = ["--ros-args", "-p", f"excitation:={excitation(folder, duration=duration)}"]
    arguments += ["-p", "move_fraction:=1.0", "-p", "settle_time:=0.05"]
    arguments += ["-p", "horizon:=5.0", "-p", "max_age:=5.0"]
    program = [sys.executable, "-m", "dynid_ros.programs", "excitation_player", *arguments]
    with subprocess.Popen(program, env=dict(os.environ)) as process:
        try:
            graph.until(lambda: received and graph.peer.count_publishers("/joint_states"))
            graph.until(lambda: graph.call(f"{PLAYER}/start").success)
            graph.until(lambda: received[-1].data == "playing")
            graph.until(lambda: not robot.at_rest())
            yield process
        finally:
            process.kill()


def test_a_signal_in_the_middle_of_a_motion_brings_the_robot_to_rest(graph, tmp_path) -> None:
    robot = graph.start(FakeRobot)
    received = graph.listen(String, f"{PLAYER}/state", LATCHED)
    with playing_process(graph, robot, received, tmp_path, 120.0) as process:
        process.send_signal(signal.SIGINT)
        graph.until(lambda: process.poll() is not None)
    assert process.returncode == 0
    assert robot.at_rest()
    graph.until(lambda: received[-1].data == "aborted: the player was shut down.")


def test_a_killed_player_leaves_the_robot_at_rest(graph, tmp_path) -> None:
    robot = graph.start(FakeRobot)
    received = graph.listen(String, f"{PLAYER}/state", LATCHED)
    with playing_process(graph, robot, received, tmp_path, 120.0):
        pass
    killed = robot.now_ns()
    graph.until(robot.at_rest)
    # the horizon, and braking; the last message was sent before the process ended
    assert robot.follower.end_ns - killed < (5.0 + 1.5) * 1e9


def test_a_second_player_is_refused_with_the_name_of_the_owner(cell, tmp_path) -> None:
    made = cell()
    second = partial(ExcitationPlayer, namespace="/second")
    other = made.graph.start(second, excitation=excitation(tmp_path))
    made.watch()
    made.playing()
    made.graph.until(lambda: other._owner.other)
    answer = made.graph.refused("/second/excitation_player/start")
    assert re.fullmatch(
        r"the robot is being moved by /excitation_player \(process \d+ on .+\); wait until that "
        r"motion has ended, or stop it\.",
        answer,
    )
    assert not made.states.last.startswith("aborted")


def test_a_trajectory_from_another_node_stops_the_playback_and_continues(cell) -> None:
    made = cell().playing()
    graph = made.graph
    foreign = graph.peer.create_publisher(JointTrajectory, TRAJECTORIES, COMMAND)
    graph.until(lambda: foreign.get_subscription_count() == 2)
    position = made.robot.follower.reference(made.robot.now_ns())
    rest = Trajectory(JOINTS, np.array([1.0]), position[np.newaxis])
    start = made.robot.now_ns()
    foreign.publish(to_message(rest, start))
    assert made.until("aborted") == (
        f"aborted: another node has sent a trajectory to {TRAJECTORIES}."
    )
    assert start_ns(made.robot.received[-1]) == start


def test_a_fault_of_the_robot_ends_the_motion_with_its_reason(cell) -> None:
    made = cell().playing()
    faults = made.graph.peer.create_publisher(DiagnosticArray, "/diagnostics", DIAGNOSTICS)
    made.graph.until(faults.get_subscription_count)
    status = DiagnosticStatus(name="simulated_robot", level=ERROR, message="drive 2 is too hot.")
    faults.publish(DiagnosticArray(status=[status]))
    assert made.until("aborted") == "aborted: simulated_robot: drive 2 is too hot."
    assert made.robot.at_rest()


def test_a_drive_that_is_lost_ends_the_motion_with_its_reason(cell) -> None:
    made = cell().playing()
    drives = made.graph.peer.create_publisher(DiagnosticStatus, "/dynid/drives", LATCHED)
    made.graph.until(drives.get_subscription_count)
    drives.publish(DiagnosticStatus(level=ERROR, message="drive 'joint_2' is in fault (0x2310)."))
    assert made.until("aborted") == "aborted: drive 'joint_2' is in fault (0x2310)."
    assert made.robot.at_rest()
