"""The newest joint state of the robot, for launch tests."""

from __future__ import annotations

import time

import rclpy
from deadline import LONGEST
from sensor_msgs.msg import JointState


class Listener:
    """Subscribes to the newest joint state."""

    def __enter__(self):
        rclpy.init()
        self._node = rclpy.create_node("listener")
        self._state = None
        self._node.create_subscription(JointState, "/joint_states", self._take, 1)
        return self

    def __exit__(self, *_):
        self._node.destroy_node()
        rclpy.shutdown()

    def _take(self, state):
        self._state = state

    @property
    def heard(self):
        """Return whether there is a state."""
        return self._state is not None

    def speed(self):
        """Return the speed of the fastest joint [rad/s]."""
        return max(map(abs, self._state.velocity)) if self._state else 0.0

    def spin(self):
        """Receive messages briefly: two signals come within milliseconds of each other."""
        rclpy.spin_once(self._node, timeout_sec=0.01)

    def until(self, condition):
        deadline = time.monotonic() + LONGEST
        while not condition():
            assert time.monotonic() < deadline, "timed out"
            rclpy.spin_once(self._node, timeout_sec=0.1)
        rclpy.spin_once(self._node, timeout_sec=0.0)
