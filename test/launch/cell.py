"""A robot cell under test: what launch tests hear of a robot, and what they make it do."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import rclpy
from deadline import LONGEST
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynid.arrays import Array

JOINTS = [f"joint_{j}" for j in range(1, 7)]
"""Of puma560."""

SLOW = 4.0
"""Duration of a motion [s]; machines stall."""

_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Cell:
    """Subscriptions to a robot's topics, and its commands and services.

    Attributes:
        joints, states, drives, collisions: every message so far of ``/joint_states``,
            ``/feedforward_controller/state``, ``/dynid/drives`` and of the controller's collisions.
    """

    def __init__(self) -> None:
        self.node = rclpy.create_node("cell")
        self.joints: list[JointState] = []
        self.states: list[JointState] = []
        self.drives: list[DiagnosticStatus] = []
        self.collisions: list[DiagnosticStatus] = []
        make = self.node.create_subscription
        make(JointState, "/joint_states", self.joints.append, 1000)
        make(JointState, "/feedforward_controller/state", self.states.append, 1000)
        make(DiagnosticStatus, "/dynid/drives", self.drives.append, _LATCHED)
        collision = "/feedforward_controller/collision"
        make(DiagnosticStatus, collision, self.collisions.append, _LATCHED)
        topic = "/joint_trajectory_controller/joint_trajectory"
        self.trajectories = self.node.create_publisher(JointTrajectory, topic, 1)

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Wait for what has to happen."""
        deadline = time.monotonic() + LONGEST
        while not condition():
            assert time.monotonic() < deadline, what
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def spin(self, seconds: float) -> None:
        """Give messages time to arrive; nothing depends on whether they do."""
        for _ in range(round(seconds / 0.05)):
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def call(self, kind: type, name: str, request: Any = None) -> Any:
        """Call a service, and return its answer."""
        client = self.node.create_client(kind, name)
        self.until(client.service_is_ready, name)
        answer = client.call_async(kind.Request() if request is None else request)
        self.until(answer.done, f"an answer to {name}")
        self.node.destroy_client(client)
        return answer.result()

    def go(self, goal: Sequence[float], duration: float = SLOW) -> None:
        """Start a motion to a goal (6,) [rad]."""
        self.until(self.trajectories.get_subscription_count, "a trajectory controller")
        point = JointTrajectoryPoint(positions=goal, velocities=[0.0] * 6, accelerations=[0.0] * 6)
        point.time_from_start.sec = int(duration)
        self.trajectories.publish(JointTrajectory(joint_names=JOINTS, points=[point]))

    def arrive(self, goal: Sequence[float]) -> None:
        """Move to a goal; commands jump if the machine stalls, which can look like a push."""
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            self.go(goal)
            self.until(lambda: self.is_at(goal) or self.stopped(), f"the robot at {goal}")
            if not self.stopped():
                return
            self.recover()
        raise AssertionError("every motion ended in a collision that was none")

    def recover(self) -> None:
        """Reset, again if the machine stalls meanwhile, which acts on drives like a push."""
        deadline = time.monotonic() + LONGEST
        while self.stopped():
            assert time.monotonic() < deadline, "a reset"
            self.call(Trigger, "/feedforward_controller/reset")
            self.spin(0.5)  # until ~/collision can have arrived

    def positions(self, state: JointState) -> Array:
        """Return the positions of the joints (6,) in a message of ``/joint_states``."""
        found = dict(zip(state.name, state.position, strict=True))
        return np.array([found[joint] for joint in JOINTS])

    def is_at(self, goal: Sequence[float]) -> bool:
        """Return whether the robot is at a goal."""
        if not self.joints:
            return False
        return bool(np.abs(self.positions(self.joints[-1]) - goal).max() < 0.01)

    def stopped(self) -> bool:
        """Return whether a collision is reported."""
        return bool(self.collisions) and self.collisions[-1].level == DiagnosticStatus.ERROR

    def level(self) -> bytes:
        """Return the level of the drives' last report."""
        level: bytes = self.drives[-1].level if self.drives else DiagnosticStatus.STALE
        return level
