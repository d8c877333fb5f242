"""Listens to a robot's joint states, and reads a few hundred a second of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from dynid_ros.qos import MONITORED
from dynid_ros.trajectory_messages import to_ns

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynid.playback.robot_state import RobotState, StateReader
    from dynid_ros.node import DynidNode

_LOOK = 0.004  # [s] between states that are read


class StateListener:
    """Hands on what a node hears of where its robot is."""

    def __init__(
        self, node: DynidNode, reader: StateReader, topic: str, take: Callable[[RobotState], None]
    ) -> None:
        """Listen on a topic; ``take`` gets the states that ``reader`` finds complete."""
        self._node = node
        self._reader = reader
        self._hand_on = take
        self._next_look = 0.0  # [s] on the steady clock
        node.create_subscription(JointState, topic, self._take, MONITORED, raw=True)

    def _take(self, raw: bytes) -> None:
        # to read every message of a fast stream would cost a processor core and show nothing more
        now = float(self._node.steady.now().nanoseconds * 1e-9)
        if now < self._next_look:
            return
        self._next_look = now + _LOOK
        message = deserialize_message(raw, JointState)
        stamp = to_ns(message.header.stamp) or int(self._node.get_clock().now().nanoseconds)
        state = self._reader.read(message.name, message.position, message.effort, stamp, now)
        if state is not None:
            self._hand_on(state)
