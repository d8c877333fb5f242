"""A node that was busy reads the newest state of the robot, not all that it has missed."""

from __future__ import annotations

import time

from sensor_msgs.msg import JointState

from dynid.playback.robot_state import StateReader
from dynid_ros.node import DynidNode
from dynid_ros.qos import STATES
from dynid_ros.state_listener import StateListener

_MISSED = 500


def test_a_busy_node_goes_on_with_the_newest_state(graph) -> None:
    node = graph.start(lambda **options: DynidNode("listener", **options))
    heard = []
    StateListener(node, StateReader(("joint_1",), "/joint_states"), "/joint_states", heard.append)
    publisher = graph.peer.create_publisher(JointState, "/joint_states", STATES)
    graph.until(publisher.get_subscription_count)

    def publish(position: float) -> None:
        publisher.publish(JointState(name=["joint_1"], position=[position]))

    graph.until(lambda: publish(-1.0) or heard)
    del heard[:]
    for count in range(1, _MISSED + 1):
        publish(float(count))
        time.sleep(0.001)  # as a robot does, while the node is busy
    graph.until(lambda: heard and heard[-1].position[0] == _MISSED)
    assert len(heard) <= 2  # and perhaps the one before
