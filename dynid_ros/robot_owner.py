"""Who moves the robot: one player at a time."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from dynid.errors import PlaybackError

if TYPE_CHECKING:
    from dynid_ros.node import DynidNode

_PERIOD = 0.1  # [s] between two claims
_SILENCE = 1.0  # [s] without a claim after which a robot is nobody's
_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)


class RobotOwner:
    """Claims a controller while its robot moves, and knows who else does.

    Claims go out several times a second on ``/<controller>/owner``. They are no lock: of two that
    begin at the same instant the one whose name comes first in the alphabet goes on.
    """

    def __init__(self, node: DynidNode, controller: str) -> None:
        """Listen for others' claims."""
        self._name = f"{node.get_fully_qualified_name()} (process {os.getpid()} on "
        self._name += f"{socket.gethostname()})"
        self._clock = node.steady
        self._other = ""
        self._heard = self._claimed = -_SILENCE  # [s]
        self._topic = f"/{controller}/owner"
        self._claims = node.create_publisher(String, self._topic, _QOS)
        node.create_subscription(String, self._topic, self._take, _QOS)

    @property
    def other(self) -> str:
        """Who else has the robot; empty where nobody has."""
        return self._other if self._now() - self._heard < _SILENCE else ""

    @property
    def gives_way(self) -> bool:
        """Whether another one has the robot, and goes before this one."""
        return bool(self.other) and self.other < self._name

    def refuse_if_taken(self) -> None:
        """Raise a PlaybackError that names the one who has the robot."""
        if self.other:
            message = (
                f"the robot is being moved by {self.other}; wait until that motion has ended, or "
                "stop it."
            )
            raise PlaybackError(message)

    def claim(self) -> None:
        """Say that the robot is this node's; to be called often while it is."""
        if self._now() - self._claimed >= _PERIOD:
            self._claimed = self._now()
            self._claims.publish(String(data=self._name))

    def release(self) -> None:
        """Say that the robot is nobody's any more, once."""
        if self._claimed > -_SILENCE:
            self._claimed = -_SILENCE
            self._claims.publish(String(data=f"{self._RELEASED}{self._name}"))

    _RELEASED = "released by "

    def _take(self, message: String) -> None:
        if message.data == self._RELEASED + self._other:
            self._heard = -_SILENCE
        elif message.data != self._name and not message.data.startswith(self._RELEASED):
            self._other, self._heard = message.data, self._now()

    def _now(self) -> float:
        return float(self._clock.now().nanoseconds * 1e-9)
