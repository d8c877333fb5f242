"""A robot for tests of the player: it follows every trajectory exactly, unless it is disturbed."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from dynid.errors import PlaybackError
from dynid.playback.follower import TrajectoryFollower
from dynid_ros.qos import COMMAND, STATES
from dynid_ros.trajectory_messages import from_message, start_ns

if TYPE_CHECKING:
    from rclpy.clock import Clock

JOINTS = tuple(f"joint_{j}" for j in range(1, 7))
HOME = (0.05, -1.45, 1.45, 0.45, 0.05, -0.05)
PERIOD = 0.005  # [s]


class FakeRobot(Node):
    def __init__(self, clock: Clock | None = None, **options: Any) -> None:
        super().__init__("fake_robot", **options)
        self._time = clock or self.get_clock()
        self.follower = TrajectoryFollower(JOINTS, HOME)
        self.names = list(JOINTS)
        self.offset = np.zeros(6)
        self.silent = False
        self.count = 0  # of messages
        self.received: list[JointTrajectory] = []
        self._states = self.create_publisher(JointState, "/joint_states", STATES)
        topic = "/joint_trajectory_controller/joint_trajectory"
        self.create_subscription(JointTrajectory, topic, self._take, COMMAND)
        self.create_timer(PERIOD, self._publish_state, clock=self._time)

    def now_ns(self) -> int:
        return self._time.now().nanoseconds

    def _take(self, message: JointTrajectory) -> None:
        self.received.append(message)
        with suppress(PlaybackError):  # as joint_trajectory_controller: it follows the one before
            self.follower.accept(from_message(message), start_ns(message), self.now_ns())

    def _publish_state(self) -> None:
        if self.silent:
            return
        now = self._time.now()
        position = self.follower.reference(now.nanoseconds) + self.offset
        message = JointState(name=self.names, position=position.tolist(), effort=[0.0] * 6)
        message.header.stamp = now.to_msg()
        self._states.publish(message)
        self.count += 1

    def at_rest(self) -> bool:
        """Whether the reference is at rest, and stays at rest."""
        now_ns = self.now_ns()
        motion = self.follower.motion([now_ns, now_ns + 10**9])
        return not motion.velocity.any() and bool(np.all(motion.position[0] == motion.position[1]))
