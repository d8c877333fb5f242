"""Subscription to a robot's joint states, of which it reads a few hundred per second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from dynid_ros.joint_values import to_ns
from dynid_ros.topic_reader import subscribe_unspun, take_raw

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynid.playback.robot_state import JointStateSample, StateReader
    from dynid_ros.node import DynidNode

_READ_PERIOD = 0.004  # [s] between states that are read

_NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class StateListener:
    """Passes the newest state of a robot to a callback, again and again.

    An executor would pass every message of a fast stream, which needs a processor core without any
    benefit; and on a busy computer the queue of its events would grow, with timers behind them.
    """

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
        self._states = subscribe_unspun(
            node.make_unspun("states"), JointState, node.resolve_topic_name(topic), _NEWEST
        )
        node.create_timer(_READ_PERIOD, self._read_newest, clock=node.steady)

    def _read_newest(self) -> None:
        taken = take_raw(self._states)
        if taken is None:
            return
        now = self._node.seconds
        message = deserialize_message(taken[0], JointState)
        stamp = to_ns(message.header.stamp) or int(self._node.get_clock().now().nanoseconds)
        state = self._reader.read(message.name, message.position, message.effort, stamp, now)
        if state is not None:
            self._callback(state)
