"""Trajectories as messages, and the controller's responses to goals of its action.

control_msgs is not available as a wheel; its replacement here has only what the outlet uses.
"""

from __future__ import annotations

import re
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dynid.errors import PlaybackError
from dynid.playback.trajectory import Trajectory
from dynid_ros.trajectory_messages import from_message, start_ns, to_message
from dynid_ros.trajectory_outlet import TrajectoryOutlet

JOINTS = ("shoulder", "elbow")
CURVE = Trajectory(
    JOINTS,
    np.array([0.0, 0.25, 1.0]),
    *(np.arange(6.0).reshape(3, 2) + shift for shift in (0.0, 0.1, 0.2)),
)
REST = Trajectory(JOINTS, np.array([1.0]), np.zeros((1, 2)))


@pytest.mark.parametrize("trajectory", [CURVE, REST])
def test_a_message_carries_the_whole_trajectory(trajectory) -> None:
    message = to_message(trajectory, 1_700_000_000_123_456_789)
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (1_700_000_000, 123_456_789)
    assert start_ns(message) == 1_700_000_000_123_456_789
    back = from_message(message)
    assert back.joints == JOINTS
    for name in ("time", "position", "velocity", "acceleration"):
        sent, got = getattr(trajectory, name), getattr(back, name)
        assert (sent is None and got is None) or np.array_equal(sent, got)


def message_of(*points: dict[str, list[float]]) -> JointTrajectory:
    message = JointTrajectory(joint_names=list(JOINTS))
    message.points = [JointTrajectoryPoint(**point) for point in points]
    for k, point in enumerate(message.points):
        point.time_from_start.sec = k
    return message


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (message_of(), "the trajectory has no points"),
        (message_of({"velocities": [0.0, 0.0]}), "position has the shape"),
        (message_of({"positions": [0.0]}), "point 1 has 1 positions for 2 joints"),
        (
            message_of(
                {"positions": [0.0, 0.0], "velocities": [0.0, 0.0]}, {"positions": [0.0, 0.0]}
            ),
            "point 2 has 0 velocities for 2 joints",
        ),
        (message_of({"positions": [0.0, 0.0], "effort": [1.0, 1.0]}), "the trajectory has efforts"),
        (
            message_of({"positions": [0.0, float("nan")]}),
            "'elbow'.*is nan, expected a number",
        ),
    ],
)
def test_refuses_a_message_without_a_trajectory_of_positions(message, sentence) -> None:
    with pytest.raises(PlaybackError, match=sentence):
        from_message(message)


class FakeAction:
    """The client of FollowJointTrajectory, with responses from the test."""

    def __init__(self) -> None:
        self.ready = True
        self.goals: list[JointTrajectory] = []
        self.answers: list[Future] = []
        self.results: list[Future] = []

    def server_is_ready(self) -> bool:
        return self.ready

    def send_goal_async(self, goal) -> Future:
        self.goals.append(goal.trajectory)
        self.answers.append(Future())
        self.results.append(Future())
        return self.answers[-1]

    def answer(self, number: int, *, accepted: bool) -> None:
        result = self.results[number]
        handle = SimpleNamespace(accepted=accepted, get_result_async=lambda: result)
        self.answers[number].set_result(handle)

    def end(self, number: int, status: int, code: int = 0, text: str = "") -> None:
        outcome = SimpleNamespace(error_code=code, error_string=text)
        self.results[number].set_result(SimpleNamespace(status=status, result=outcome))


SUCCEEDED, ABORTED = 4, 6  # of action_msgs/GoalStatus


@pytest.fixture
def action(monkeypatch) -> FakeAction:
    package, module = ModuleType("control_msgs"), ModuleType("control_msgs.action")
    module.FollowJointTrajectory = SimpleNamespace(Goal=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "control_msgs", package)
    monkeypatch.setitem(sys.modules, "control_msgs.action", module)
    return FakeAction()


def outlet(graph, action, interface="auto") -> tuple[TrajectoryOutlet, list[str]]:
    errors: list[str] = []
    return TrajectoryOutlet(graph.peer, "arm", interface, errors.append, action), errors


def test_a_goal_has_the_trajectory_and_success_gives_no_message(graph, action) -> None:
    sender, errors = outlet(graph, action)
    sender.send(CURVE, 7)
    assert start_ns(action.goals[0]) == 7
    action.answer(0, accepted=True)
    action.end(0, SUCCEEDED)
    assert errors == []


def test_a_refused_goal_fails_the_motion(graph, action) -> None:
    sender, errors = outlet(graph, action)
    sender.send(CURVE, 0)
    action.answer(0, accepted=False)
    assert errors == [
        "/arm/follow_joint_trajectory refused the trajectory; see the controller's log."
    ]


@pytest.mark.parametrize(
    ("text", "why"), [("Aborted due to path tolerance violation", None), ("", "error code -4")]
)
def test_an_aborted_goal_fails_the_motion_with_the_controllers_reason(
    graph, action, text, why
) -> None:
    sender, errors = outlet(graph, action)
    sender.send(CURVE, 0)
    action.answer(0, accepted=True)
    action.end(0, ABORTED, -4, text)
    assert errors == [f"the controller aborted the trajectory: {why or text}."]


def test_a_goal_replaced_by_a_newer_one_is_ignored(graph, action) -> None:
    sender, errors = outlet(graph, action)
    sender.send(CURVE, 0)
    action.answer(0, accepted=True)
    sender.send(CURVE, 0)
    action.end(0, ABORTED, -1, "Current goal preempted by new incoming action.")
    assert errors == []
    action.answer(1, accepted=False)
    assert len(errors) == 1


def test_auto_is_the_topic_without_a_server(graph, action) -> None:
    action.ready = False
    sender, _ = outlet(graph, action)
    received = graph.listen(JointTrajectory, "/arm/joint_trajectory", 1)
    graph.until(lambda: graph.peer.count_subscribers("/arm/joint_trajectory"))

    def taken() -> bool:
        try:
            sender.send(CURVE, 7)
        except PlaybackError:  # discovery takes a moment
            return False
        return True

    graph.until(taken)
    graph.until(lambda: received)
    assert start_ns(received[0]) == 7
    assert action.goals == []


def test_refuses_without_a_controller(graph, action) -> None:
    action.ready = False
    with pytest.raises(PlaybackError, match="/arm/joint_trajectory has no subscriber; is the"):
        outlet(graph, action)[0].send(CURVE, 0)
    sender, _ = outlet(graph, action, "action")
    with pytest.raises(PlaybackError, match="/arm/follow_joint_trajectory has no server"):
        sender.send(CURVE, 0)


def test_refuses_an_unavailable_interface(graph, monkeypatch) -> None:
    with pytest.raises(PlaybackError, match="interface 'udp': expected one of auto, topic, action"):
        outlet(graph, None, "udp")
    monkeypatch.setitem(sys.modules, "control_msgs", None)
    with pytest.raises(PlaybackError, match=re.escape("(ros-<distribution>-control-msgs)")):
        outlet(graph, None, "action")
