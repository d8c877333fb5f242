"""After a signal the monitor waits for the robot's rest."""

from __future__ import annotations

import pytest
from sensor_msgs.msg import JointState
from support.small_robot import JOINTS, write_small_robot

from dynid_ros import rest_monitor
from dynid_ros.qos import STATES
from dynid_ros.rest_monitor import RestMonitor


@pytest.fixture
def monitor(graph, tmp_path):
    return graph.start(RestMonitor, profile=str(write_small_robot(tmp_path)))


@pytest.fixture
def robot(graph):
    """Publishes joint states, one a look of the peer; moves until told otherwise."""
    publisher = graph.peer.create_publisher(JointState, "/joint_states", STATES)
    state = {"moves": True, "sent": 0}

    def publish() -> None:
        state["sent"] += state["moves"]
        message = JointState(name=list(JOINTS), position=[0.01 * state["sent"], 0.0])
        message.header.stamp = graph.peer.get_clock().now().to_msg()
        publisher.publish(message)
        if state["sent"] == 50:
            state["moves"] = False

    graph.peer.create_timer(0.01, publish)
    return state


def test_it_ends_when_the_robot_has_come_to_rest(graph, monitor, robot) -> None:
    graph.until(lambda: monitor._arrival)
    assert not monitor._rest.at_rest
    monitor.finish()
    assert not robot["moves"]
    assert monitor._rest.at_rest


def test_it_ends_where_there_is_no_robot(monitor, monkeypatch) -> None:
    monkeypatch.setattr(rest_monitor, "_SILENCE", 0.1)
    monitor.finish()
    assert not monitor._rest.at_rest
