"""After a signal the monitor waits until the robot is at rest."""

from __future__ import annotations

import pytest
from sensor_msgs.msg import JointState
from support.small_robot import JOINTS, write_small_robot

from dynid.errors import PlaybackError
from dynid_ros import rest_monitor
from dynid_ros.qos import STATES
from dynid_ros.rest_monitor import RestMonitor


@pytest.fixture
def monitor(stepped_graph, tmp_path):
    return stepped_graph.start(RestMonitor, profile=str(write_small_robot(tmp_path)))


class Robot:
    """Publishes a joint state a hundredth of a second; its shoulder moves for a while."""

    def __init__(self, graph, moves: float) -> None:
        self.graph, self.moves = graph, moves
        self.sent = 0
        self._publisher = graph.peer.create_publisher(JointState, "/joint_states", STATES)
        graph.until(self._publisher.get_subscription_count)
        self._end = graph.now() + moves
        graph.peer.create_timer(0.01, self._publish)

    @property
    def moving(self) -> bool:
        return self.graph.now() < self._end

    def _publish(self) -> None:
        self.sent += self.moving
        message = JointState(name=list(JOINTS), position=[0.01 * self.sent, 0.0])
        message.header.stamp = self.graph.clock.now().to_msg()
        self._publisher.publish(message)


def test_it_ends_when_the_robot_has_come_to_rest(stepped_graph, monitor) -> None:
    robot = Robot(stepped_graph, moves=2.0)
    stepped_graph.until(lambda: robot.sent > 50)
    assert not monitor._rest.at_rest
    monitor.finish()
    assert not robot.moving
    assert monitor._rest.at_rest


def test_a_robot_that_continues_to_move_is_reported(stepped_graph, monitor, monkeypatch) -> None:
    monkeypatch.setattr(rest_monitor, "LONGEST", 2.0)
    robot = Robot(stepped_graph, moves=60.0)
    stepped_graph.until(lambda: robot.sent > 50)
    with pytest.raises(PlaybackError, match="has not come to rest within 2 s of the signal"):
        monitor.finish()


def test_it_ends_where_there_is_no_robot(stepped_graph, monitor) -> None:
    begin = stepped_graph.now()
    monitor.finish()
    assert not monitor._rest.at_rest
    assert stepped_graph.now() - begin == pytest.approx(rest_monitor._STATE_TIMEOUT, abs=0.05)
