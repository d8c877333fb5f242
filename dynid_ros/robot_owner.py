"""Ownership of the robot: one player at a time."""

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
_CLAIM_LIFETIME = 1.0  # [s] without a claim after which a robot is free
_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)


class RobotOwner:
    """Claims a controller while its robot moves, and receives the claims of others.

    Claims are published several times a second on ``/<controller>/owner``. They are not a lock: of
    two nodes that start at the same instant, the first in alphabetical order continues.
    """

    def __init__(self, node: DynidNode, controller: str) -> None:
        self._name = f"{node.get_fully_qualified_name()} (process {os.getpid()} on "
        self._name += f"{socket.gethostname()})"
        self._node = node
        self._other = ""
        self._arrival = self._claimed = -_CLAIM_LIFETIME  # [s]
        self._topic = f"/{controller}/owner"
        self._claims = node.create_publisher(String, self._topic, _QOS)
        node.create_subscription(String, self._topic, self._on_claim, _QOS)

    @property
    def other(self) -> str:
        """Name of the other owner of the robot; empty where there is none."""
        return self._other if self._node.seconds - self._arrival < _CLAIM_LIFETIME else ""

    @property
    def must_yield(self) -> bool:
        """Whether another node owns the robot and has priority over this one."""
        return bool(self.other) and self.other < self._name

    def refuse_if_taken(self) -> None:
        """Raise a PlaybackError that names the other owner, if there is one."""
        if self.other:
            raise PlaybackError(
                f"the robot is being moved by {self.other}; wait until that motion has ended, or "
                "stop it."
            )

    def claim(self) -> None:
        """Claim the robot; to be called often while this node owns it."""
        if self._node.seconds - self._claimed >= _PERIOD:
            self._claimed = self._node.seconds
            self._claims.publish(String(data=self._name))

    def release(self) -> None:
        """Release the robot, once."""
        if self._claimed > -_CLAIM_LIFETIME:
            self._claimed = -_CLAIM_LIFETIME
            self._claims.publish(String(data=f"{self._RELEASED}{self._name}"))

    _RELEASED = "released by "

    def _on_claim(self, message: String) -> None:
        if message.data == self._RELEASED + self._other:
            self._arrival = -_CLAIM_LIFETIME
        elif message.data != self._name and not message.data.startswith(self._RELEASED):
            self._other, self._arrival = message.data, self._node.seconds
