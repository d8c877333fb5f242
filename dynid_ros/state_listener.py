"""Subscription to a robot's joint states, of which it reads a few hundred per second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from dynid_ros.qos import MONITORED
from dynid_ros.trajectory_messages import to_ns

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynid.playback.robot_state import JointStateSample, StateReader
    from dynid_ros.node import DynidNode

_READ_PERIOD = 0.004  # [s] between states that are read


class StateListener:
    """Passes the received states of a robot to a callback."""

    def __init__(
        self,
        node: DynidNode,
        reader: StateReader,
        topic: str,
        take: Callable[[JointStateSample], None],
    ) -> None:
        """Subscribe to a topic; ``take`` gets the states that ``reader`` returns."""
        self._node = node
        self._reader = reader
        self._callback = take
        self._next_read = 0.0  # [s] on the steady clock
        node.create_subscription(JointState, topic, self._on_message, MONITORED, raw=True)

    def _on_message(self, raw: bytes) -> None:
        # reading every message of a fast stream would need a processor core without any benefit
        now = float(self._node.steady.now().nanoseconds * 1e-9)
        if now < self._next_read:
            return
        self._next_read = now + _READ_PERIOD
        message = deserialize_message(raw, JointState)
        stamp = to_ns(message.header.stamp) or int(self._node.get_clock().now().nanoseconds)
        state = self._reader.read(message.name, message.position, message.effort, stamp, now)
        if state is not None:
            self._callback(state)
