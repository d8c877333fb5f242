"""Nodes with a lifecycle start by themselves, and end their work when they are deactivated."""

from __future__ import annotations

from functools import partial

import pytest
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.parameter import Parameter
from rosbags.rosbag2 import Reader
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from support.arm_files import write_arm
from support.endless_identification import endless_identification
from support.player_cell import PLAYER, Cell, excitation

from dynid_ros.identifier import Identifier
from dynid_ros.qos import LATCHED, STATES
from dynid_ros.recorder import Recorder

ACTIVE, INACTIVE = State.PRIMARY_STATE_ACTIVE, State.PRIMARY_STATE_INACTIVE
UNCONFIGURED, FINALIZED = State.PRIMARY_STATE_UNCONFIGURED, State.PRIMARY_STATE_FINALIZED


def change(graph, node: str, label: str) -> bool:
    request = ChangeState.Request(transition=Transition(label=label))
    return graph.ask(ChangeState, f"/{node}/change_state", request).success


def state_of(graph, node: str) -> int:
    return graph.ask(GetState, f"/{node}/get_state", GetState.Request()).current_state.id


@pytest.fixture
def cell(stepped_graph, tmp_path):
    return partial(Cell, stepped_graph, tmp_path)


def test_a_deactivated_player_brings_the_robot_to_rest_and_refuses_until_activated(cell):
    made = cell().playing()
    assert state_of(made.graph, "excitation_player") == ACTIVE
    assert not made.robot.at_rest()
    assert change(made.graph, "excitation_player", "deactivate")
    assert state_of(made.graph, "excitation_player") == INACTIVE
    assert made.until("aborted") == "aborted: the player was deactivated."
    assert made.robot.at_rest()
    sent = len(made.robot.received)
    for service in ("prepare", "start"):
        success, message = made.call(service)
        assert not success
        assert message.startswith("excitation_player is not active; activate it first")
    made.watch()
    assert len(made.robot.received) == sent
    assert change(made.graph, "excitation_player", "activate")
    assert made.call("prepare")[0]
    made.until("ready")


def test_a_player_is_not_cleaned_up_before_the_robot_is_at_rest(cell):
    made = cell().playing()
    assert change(made.graph, "excitation_player", "deactivate")
    assert made.states.last in {"playing", "settling"}
    assert not change(made.graph, "excitation_player", "cleanup")
    assert state_of(made.graph, "excitation_player") == INACTIVE
    made.until("aborted")
    assert change(made.graph, "excitation_player", "cleanup")
    assert state_of(made.graph, "excitation_player") == UNCONFIGURED


def test_a_player_that_is_shut_down_for_good_brings_the_robot_to_rest(cell):
    made = cell().playing()
    assert change(made.graph, "excitation_player", "shutdown")
    assert state_of(made.graph, "excitation_player") == FINALIZED
    made.until("aborted")
    assert made.robot.at_rest()


def test_an_error_in_a_transition_also_brings_the_robot_to_rest(cell, monkeypatch):
    made = cell().playing()

    def bug(_state):
        raise ZeroDivisionError

    monkeypatch.setitem(made.player._callbacks, State.TRANSITION_STATE_DEACTIVATING, bug)
    assert not change(made.graph, "excitation_player", "deactivate")
    made.until("aborted")
    assert made.robot.at_rest()
    assert state_of(made.graph, "excitation_player") == UNCONFIGURED


def test_a_player_without_autostart_waits_for_its_activation(cell):
    made = cell(autostart=False)
    assert state_of(made.graph, "excitation_player") == UNCONFIGURED
    assert made.states.last == "inactive"
    assert "is not active" in made.call("start")[1]
    assert change(made.graph, "excitation_player", "configure")
    assert "is not active" in made.call("start")[1]
    assert not made.robot.received
    assert change(made.graph, "excitation_player", "activate")
    made.until("idle")
    assert made.call("prepare")[0]


def test_a_stop_is_accepted_while_a_deactivated_player_settles(cell, tmp_path):
    made = cell()
    excitation(tmp_path, duration=60.0)
    made.playing()
    assert change(made.graph, "excitation_player", "deactivate")
    made.graph.done(f"{PLAYER}/stop")
    assert made.robot.at_rest()


# --- recorder -------------------------------------------------------------------------------------
def test_a_deactivated_recorder_completes_its_bag(graph, tmp_path):
    graph.start(Recorder, topics=["/joint_states"], output=str(tmp_path / "bag"))
    states = graph.listen(String, "/recorder/state", LATCHED)
    publisher = graph.peer.create_publisher(JointState, "/joint_states", STATES)
    assert graph.call("/recorder/start").success
    graph.until(publisher.get_subscription_count)
    for number in range(20):
        publisher.publish(JointState(name=["a"], position=[float(number)]))
    assert change(graph, "recorder", "deactivate")
    with Reader(tmp_path / "bag") as reader:
        assert reader.message_count == 20
    graph.until(lambda: states and states[-1].data == "inactive")
    assert graph.refused("/recorder/start").startswith("recorder is not active; activate it first")
    assert change(graph, "recorder", "activate")
    graph.until(lambda: states[-1].data == "idle")


# --- identifier -----------------------------------------------------------------------------------
def test_a_deactivated_identifier_ends_its_calculation_and_refuses(graph, tmp_path):
    arm = write_arm(tmp_path)
    node = graph.start(Identifier, profile=str(arm.profile), output=str(tmp_path / "out"))
    node.set_parameters([Parameter("recording", value=str(arm.bag))])
    with endless_identification() as (begun, _):
        asked = graph.begin("/identifier/identify")
        graph.until(begun.is_set)
        assert change(graph, "identifier", "deactivate")
        graph.until(asked.done)
    assert (
        asked.result().message == "interrupted while identifying; its files are all old or all new."
    )
    assert not (tmp_path / "out").exists()
    for service in ("identify", "validate", "start"):
        answer = graph.refused(f"/identifier/{service}")
        assert answer.startswith("identifier is not active; activate it first")
    assert change(graph, "identifier", "activate")
    graph.done("/identifier/identify")
