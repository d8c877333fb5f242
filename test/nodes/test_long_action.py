"""The actions do what the services do, with feedback, a result and a cancellation."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.parameter import Parameter
from support.arm_files import write_arm
from support.endless_identification import endless_identification
from support.player_cell import PLAYER, START, Cell, excitation

from dynid.profile import load_model
from dynid_ros import long_action
from dynid_ros.excitation_player import ExcitationPlayer
from dynid_ros.identifier import Identifier
from dynid_ros.interface_types import interface_type

FollowExcitation = interface_type("action", "FollowExcitation")
Identify = interface_type("action", "Identify")
pytestmark = pytest.mark.skipif(
    Identify is None, reason="actions: the package dynid_interfaces is not installed"
)
SUCCEEDED = GoalStatus.STATUS_SUCCEEDED
CANCELED = GoalStatus.STATUS_CANCELED
ABORTED = GoalStatus.STATUS_ABORTED


class Sent:
    """A goal that was sent, its feedback and its result."""

    def __init__(self, graph, kind, name: str, **fields) -> None:
        self._graph = graph
        self.feedback = []
        client = ActionClient(graph.peer, kind, name)
        graph.until(client.server_is_ready)
        sent = client.send_goal_async(
            kind.Goal(**fields),
            feedback_callback=lambda message: self.feedback.append(message.feedback),
        )
        graph.until(sent.done)
        self._handle = sent.result()
        assert self._handle.accepted
        self._result = self._handle.get_result_async()

    @property
    def running(self) -> bool:
        return not self._result.done()

    def cancel(self) -> None:
        answer = self._handle.cancel_goal_async()
        self._graph.until(answer.done)
        assert answer.result().goals_canceling

    def end(self):
        """Return the status and the result."""
        self._graph.until(self._result.done)
        answer = self._result.result()
        return answer.status, answer.result


@pytest.fixture
def cell(stepped_graph, tmp_path):
    return partial(Cell, stepped_graph, tmp_path)


def follow(made: Cell) -> Sent:
    return Sent(made.graph, FollowExcitation, f"{PLAYER}/follow_excitation")


def playing(cell, tmp_path) -> tuple[Cell, Sent]:
    """Return a cell in the middle of a long motion, and its goal."""
    made = cell()
    excitation(tmp_path, duration=60.0)
    goal = follow(made)
    made.until("playing")
    return made, goal


def test_a_motion_is_followed_to_its_end_with_phases_and_time_left(cell):
    made = cell()
    goal = follow(made)
    status, result = goal.end()
    assert (status, result.message) == (SUCCEEDED, "")
    assert made.states.last == "finished"
    assert made.robot.at_rest()
    phases = list(dict.fromkeys(one.phase for one in goal.feedback))
    assert phases == ["moving", "playing", "settling"]
    for phase in ("moving", "playing"):
        left = [one.remaining for one in goal.feedback if one.phase == phase]
        assert len(left) > 2
        # at first it is the duration; the start, a little later, is then known
        known = int(np.argmax(np.array(left) != left[0]))
        assert np.all(np.diff(left[known:]) <= 0)
        assert left[-1] < left[0]


def test_a_canceled_motion_ends_at_rest_on_its_path(cell, tmp_path):
    made, goal = playing(cell, tmp_path)
    made.graph.spin(0.4)
    assert not made.robot.at_rest()
    goal.cancel()
    status, result = goal.end()
    assert (status, result.message) == (CANCELED, "the motion was stopped on request.")
    assert made.robot.at_rest()
    assert made.states.last == "aborted: the motion was stopped on request."
    again = made.call("prepare")
    assert again[0], again[1]


def test_a_canceled_motion_stops_as_the_service_stops_it(cell, tmp_path):
    positions = []
    made = cell()
    for stop in ("service", "action"):
        excitation(tmp_path, duration=60.0)
        goal = follow(made)
        made.until("playing")
        made.graph.spin(0.4)
        if stop == "service":
            assert made.call("stop")[0]
        else:
            goal.cancel()
        status, result = goal.end()
        assert status == (ABORTED if stop == "service" else CANCELED)
        assert result.message == "the motion was stopped on request."
        positions.append(made.robot.follower.reference(made.robot.now_ns()))
        made.watch()
    # the same motion for the same time, to within the steps in which a request arrives
    assert np.allclose(*positions, atol=0.02)
    assert not np.allclose(positions[0], START, atol=0.02)


def test_a_fault_aborts_the_goal_with_its_reason(cell, tmp_path):
    made, goal = playing(cell, tmp_path)
    made.robot.silent = True
    status, result = goal.end()
    assert status == ABORTED
    assert "joint" in result.message
    assert made.states.last == f"aborted: {result.message}"


def test_a_second_goal_is_aborted_and_the_first_goes_on(cell, tmp_path):
    made, first = playing(cell, tmp_path)
    status, result = follow(made).end()
    assert status == ABORTED
    assert "the robot is already playing" in result.message
    assert first.running
    assert made.states.last == "playing"


def test_a_goal_beyond_the_limits_is_aborted_with_the_reason_of_the_service(cell, tmp_path):
    made = cell()
    excitation(tmp_path, target=[4.0, -1.4, 1.3, 0.8, 0.3, -0.3])
    status, result = follow(made).end()
    assert status == ABORTED
    assert result.message == made.refused()


def test_a_player_that_ends_brings_the_robot_to_rest_and_ends_the_goal(cell, tmp_path):
    made, goal = playing(cell, tmp_path)
    made.graph.spin(0.4)
    made.player.finish()
    assert made.robot.at_rest()
    status, result = goal.end()
    assert (status, result.message) == (ABORTED, "the player was shut down.")


# --- Identify -------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return write_arm(tmp_path_factory.mktemp("arm"))


def start_identifier(graph, arm, tmp_path):
    return graph.start(Identifier, profile=str(arm.profile), output=str(tmp_path / "out"))


def request(graph, **fields) -> Sent:
    return Sent(graph, Identify, "/identifier/identify", **fields)


def test_a_goal_identifies_with_steps_verdict_and_path(graph, arm, tmp_path):
    start_identifier(graph, arm, tmp_path)
    goal = request(graph, recording=str(arm.bag), output=str(tmp_path / "other"))
    status, result = goal.end()
    assert status == SUCCEEDED, result.message
    assert result.passed
    assert result.path == str(tmp_path / "other" / "model.yaml")
    assert load_model(result.path).robot.name == "arm"
    assert json.loads(result.verdict)["success"]
    assert result.message.startswith("identified arm: mean relative error ")
    steps = [one.step for one in goal.feedback]
    assert steps[0] == f"reading {arm.bag.name}"
    assert steps[-1] == "writing the report"


def test_a_goal_and_the_service_write_the_same_model(graph, arm, tmp_path):
    node = start_identifier(graph, arm, tmp_path)
    status, result = request(graph, recording=str(arm.bag)).end()
    assert status == SUCCEEDED
    text = (tmp_path / "out" / "model.yaml").read_text()
    node.set_parameters([Parameter("recording", value=str(arm.bag))])
    answer = graph.call("/identifier/identify")
    assert answer.message == result.message
    first, second = (
        load_model_text(tmp_path, one).parameters
        for one in (text, (tmp_path / "out" / "model.yaml").read_text())
    )
    np.testing.assert_array_equal(first, second)


def test_a_model_that_fails_its_criterion_is_a_result(graph, arm, tmp_path):
    node = start_identifier(graph, arm, tmp_path)
    node.set_parameters(
        [Parameter("overrides", value=["identification.max_relative_torque_error=0.00001"])]
    )
    status, result = request(graph, recording=str(arm.bag)).end()
    assert status == SUCCEEDED, result.message
    assert not result.passed
    assert result.path.endswith("model.failed.yaml")
    assert not json.loads(result.verdict)["success"]


def test_a_goal_without_a_recording_is_aborted_with_the_reason(graph, arm, tmp_path):
    start_identifier(graph, arm, tmp_path)
    status, result = request(graph, recording=str(tmp_path / "absent.mcap")).end()
    assert status == ABORTED
    assert "absent.mcap" in result.message
    assert not result.passed
    assert not result.path
    assert not result.verdict


def test_a_canceled_identification_writes_nothing_and_the_next_one_runs(graph, arm, tmp_path):
    start_identifier(graph, arm, tmp_path)
    with endless_identification() as (begun, _):
        goal = request(graph, recording=str(arm.bag))
        graph.until(begun.is_set)
        assert "has been identifying for" in graph.refused("/identifier/identify")
        refused, _ = request(graph, recording=str(arm.bag)).end()
        assert refused == ABORTED
        assert goal.running
        goal.cancel()
        status, result = goal.end()
    assert status == CANCELED
    assert result.message == "interrupted while identifying; its files are all old or all new."
    assert not (tmp_path / "out").exists()
    status, result = request(graph, recording=str(arm.bag)).end()
    assert status == SUCCEEDED


@pytest.mark.parametrize("make", [ExcitationPlayer, Identifier])
def test_without_the_interfaces_the_services_are_offered_alone(graph, monkeypatch, make):
    monkeypatch.setattr(long_action, "interface_type", lambda _kind, _name: None)
    node = graph.start(make)
    assert not node._action.offered
    names = [service.service_name for service in node.services]
    assert f"/{node.get_name()}/start" in names
    assert not any("_action" in name for name in names)


def load_model_text(folder, text):
    file = folder / "model_copy.yaml"
    file.write_text(text)
    return load_model(file)
