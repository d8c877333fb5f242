"""Connection to the controller: its FollowJointTrajectory action, or its topic."""

from __future__ import annotations

import importlib
from collections import deque
from typing import TYPE_CHECKING, Any

from rclpy.serialization import deserialize_message
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory

from dynid.errors import PlaybackError
from dynid_ros.joint_values import to_ns
from dynid_ros.qos import COMMAND
from dynid_ros.trajectory_messages import to_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from rclpy.node import Node
    from rclpy.task import Future
    from rclpy.topic_endpoint_info import TopicEndpointInfo

    from dynid.playback.trajectory import Trajectory

INTERFACES = ("auto", "topic", "action")
"""Interfaces for trajectories; auto is the action where its server is available."""

_SUCCEEDED = 4  # GoalStatus.STATUS_SUCCEEDED of action_msgs


def action_client(node: Node, controller: str) -> Any:
    """Return a client of the controller's action, or None where control_msgs is not installed."""
    try:
        action = importlib.import_module("control_msgs.action")
        client = importlib.import_module("rclpy.action")
    except ImportError:
        return None
    name = f"/{controller}/follow_joint_trajectory"
    return client.ActionClient(node, action.FollowJointTrajectory, name)


class TrajectoryOutlet:
    """Sends trajectories to a joint_trajectory_controller.

    By the action the controller reports whether it accepts a trajectory and why it aborts one; the
    topic has no feedback. A new trajectory replaces the previous one by either interface, so a stop
    is sent like any motion.
    """

    def __init__(
        self,
        node: Node,
        controller: str,
        interface: str,
        failed: Callable[[str], None],
        client: Any = None,
    ) -> None:
        """Find the controller's interfaces.

        Args:
            node: node of the topics and actions.
            controller: name of the controller's node.
            interface: one of INTERFACES.
            failed: called with a sentence when the controller refuses or aborts the newest
                trajectory.
            client: client of the action; None to make one.

        Raises:
            PlaybackError: the action is requested but control_msgs is not installed, or there is
                no such interface.
        """
        if interface not in INTERFACES:
            message = f"interface '{interface}': expected one of {', '.join(INTERFACES)}."
            raise PlaybackError(message)
        self._topic = f"/{controller}/joint_trajectory"
        self._action = f"/{controller}/follow_joint_trajectory"
        self._interface = interface
        self._failed = failed
        self._publisher = node.create_publisher(JointTrajectory, self._topic, COMMAND)
        self._client = client
        if client is None and interface != "topic":
            self._client = action_client(node, controller)
        if self._client is None and interface == "action":
            raise PlaybackError(
                "interface 'action': the messages of control_msgs are not installed; install them "
                "(ros-<distribution>-control-msgs), or use the interface topic."
            )
        self.acknowledged = False
        """Whether the newest trajectory is known to be accepted; False for the topic."""
        self._own: deque[int] = deque(maxlen=10)  # stamps of own trajectories [ns]
        node.create_subscription(
            JointTrajectory, self._topic, self._on_trajectory, COMMAND, raw=True
        )
        self._node = node
        self._newest = 0  # number of the newest goal; results of older ones are ignored

    def check(self) -> None:
        """Raise a PlaybackError where no controller accepts trajectories."""
        if self._action_is_available():
            return
        if self._interface == "action":
            raise PlaybackError(f"{self._action} has no server; is the controller active?")
        if not self._listeners():
            raise PlaybackError(f"{self._topic} has no subscriber; is the controller active?")

    def send(self, trajectory: Trajectory, start_ns: int) -> None:
        """Send a trajectory that starts at an instant [ns].

        Raises:
            PlaybackError: no controller accepts it.
        """
        self.check()
        message = to_message(trajectory, start_ns)
        self._own.append(start_ns)
        self.acknowledged = False
        if self._action_is_available():
            self._send_goal(message)
        else:
            self._publisher.publish(message)

    def _listeners(self) -> int:
        """Count the subscribers of the topic, without the players that only monitor it."""
        senders = {_node(info) for info in self._node.get_publishers_info_by_topic(self._topic)}
        takers = [_node(info) for info in self._node.get_subscriptions_info_by_topic(self._topic)]
        subscribers = min(len(takers), self._publisher.get_subscription_count())
        return subscribers - len(senders & set(takers))

    def _on_trajectory(self, raw: bytes) -> None:
        """Detect trajectories of other nodes; a trajectory message starts with its header."""
        start = deserialize_message(raw, Header).stamp
        if to_ns(start) not in self._own:
            self._failed(f"another node has sent a trajectory to {self._topic}.")

    def _action_is_available(self) -> bool:
        return self._client is not None and bool(self._client.server_is_ready())

    def _send_goal(self, message: JointTrajectory) -> None:
        action = importlib.import_module("control_msgs.action")
        self._newest += 1
        number = self._newest
        goal = action.FollowJointTrajectory.Goal(trajectory=message)
        answer = self._client.send_goal_async(goal)
        answer.add_done_callback(lambda future: self._on_goal_response(number, future))

    def _on_goal_response(self, number: int, future: Future) -> None:
        handle = future.result()
        if number != self._newest:
            return
        if handle is None or not handle.accepted:
            self._failed(f"{self._action} refused the trajectory; see the controller's log.")
            return
        self.acknowledged = True
        result = handle.get_result_async()
        result.add_done_callback(lambda done: self._on_result(number, done))

    def _on_result(self, number: int, future: Future) -> None:
        answer = future.result()
        if number != self._newest or answer is None or answer.status == _SUCCEEDED:
            return
        cause = answer.result.error_string or f"error code {answer.result.error_code}"
        self._failed(f"the controller aborted the trajectory: {cause.rstrip('.')}.")


def _node(info: TopicEndpointInfo) -> tuple[str, str]:
    return info.node_namespace, info.node_name
