"""A robot cell under test: what launch tests hear of a robot, and what they make it do."""

from __future__ import annotations

import time
import unittest
from typing import TYPE_CHECKING, Any

import numpy as np
import rclpy
from deadline import LONGEST
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from rclpy.duration import Duration
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rclpy.publisher import Publisher

    from dynid.arrays import Array

JOINTS = [f"joint_{j}" for j in range(1, 7)]
"""Of puma560."""

SLOW = 4.0
"""Duration of a motion [s]; machines stall."""

MOVING = 0.03
"""Least speed of the reference of a robot in motion [rad/s]."""

STANDS = 1e-4
"""Largest speed of the reference of a robot that has come to rest [rad/s]."""

LEAVES = 1e-4
"""Way of the reference from rest after which a motion has begun [rad]."""

AGAIN = 1.0
"""Time after which a message that had no effect is published again [s]."""

UNANSWERED = 10.0
"""Time after which a service that has not answered is called again [s]."""

_NEWEST = 1
"""Messages that wait for the test: a queue that fills faster than a busy machine empties it would
tell what was true long ago."""

_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def trajectory(halts: Sequence[tuple[float, Sequence[float]]]) -> JointTrajectory:
    """Return a trajectory that halts at each goal (6,) [rad] at its time [s]."""
    message = JointTrajectory(joint_names=JOINTS)
    for due, goal in halts:
        rest = {"velocities": [0.0] * 6, "accelerations": [0.0] * 6}
        point = JointTrajectoryPoint(positions=goal, **rest)
        point.time_from_start = Duration(seconds=due).to_msg()
        message.points.append(point)
    return message


class RosTest(unittest.TestCase):
    """Base of tests with nodes of their own."""

    def setUp(self) -> None:
        rclpy.init()

    def tearDown(self) -> None:
        rclpy.shutdown()


class Cell:
    """Subscriptions to a robot's topics, and its commands and services.

    Attributes:
        joints, states, drives, collisions: the messages heard of ``/joint_states``,
            ``/feedforward_controller/state``, ``/dynid/drives`` and of the controller's collisions.
    """

    def __init__(self, pushed: str = "/puma560") -> None:
        """Subscribe; ``pushed`` is the node that takes external forces."""
        self.node = rclpy.create_node("cell")
        self.joints: list[JointState] = []
        self.states: list[JointState] = []
        self.drives: list[DiagnosticStatus] = []
        self.collisions: list[DiagnosticStatus] = []
        make = self.node.create_subscription
        make(JointState, "/joint_states", self.joints.append, _NEWEST)
        make(JointState, "/feedforward_controller/state", self.states.append, _NEWEST)
        make(DiagnosticStatus, "/dynid/drives", self.drives.append, _LATCHED)
        collision = "/feedforward_controller/collision"
        make(DiagnosticStatus, collision, self.collisions.append, _LATCHED)
        topic = "/joint_trajectory_controller/joint_trajectory"
        self.trajectories = self.node.create_publisher(JointTrajectory, topic, 1)
        self.pushes = self.node.create_publisher(WrenchStamped, f"{pushed}/external_force", 10)

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
        """Call a service, again where the answer does not come, and return the answer.

        A service that is ready may not yet know the client that it answers.
        """
        client = self.node.create_client(kind, name)
        self.until(client.service_is_ready, name)
        answers: list[Any] = []
        due = 0.0

        def answered() -> bool:
            nonlocal due
            if time.monotonic() >= due:
                answers.append(client.call_async(kind.Request() if request is None else request))
                due = time.monotonic() + UNANSWERED
            return any(answer.done() for answer in answers)

        self.until(answered, f"an answer to {name}")
        self.node.destroy_client(client)
        return next(answer.result() for answer in answers if answer.done())

    def send(
        self, publisher: Publisher, message: object, heard: Callable[[], object], what: str
    ) -> None:
        """Publish a message, and again until it has had its effect.

        A publisher that counts a subscription may not yet be known to it: on a busy machine what is
        published then is lost.
        """
        self.until(publisher.get_subscription_count, f"a subscription to {publisher.topic_name}")
        due = 0.0

        def effective() -> object:
            nonlocal due
            if heard():
                return True
            if time.monotonic() >= due:
                publisher.publish(message)
                due = time.monotonic() + AGAIN
            return False

        self.until(effective, what)

    def go(self, goal: Sequence[float], duration: float = SLOW) -> None:
        """Start a motion from rest to a goal (6,) [rad], unless the robot is there or stopped."""
        self.follow([(duration, goal)])

    def follow(self, halts: Sequence[tuple[float, Sequence[float]]]) -> None:
        """Start a motion from rest that halts at each goal (6,) [rad] at its time [s].

        It is not started where the robot is at the last one, or stopped.
        """
        message = trajectory(halts)
        # what is heard of the motion before must not be taken for this one's beginning
        heard = len(self.states)
        at_rest = lambda: len(self.states) > heard + 1 and not self.moves(STANDS)  # noqa: E731
        self.until(lambda: at_rest() or self.stopped(), "a robot at rest")
        start = np.array(self.rows("reference"))

        def begun() -> bool:
            # a slow motion is far below any speed that a motion has later
            leaves = np.abs(np.array(self.rows("reference")) - start).max() > LEAVES
            return bool(leaves) or self.is_at(halts[-1][1]) or self.stopped()

        self.send(self.trajectories, message, begun, "a motion")

    def push(
        self,
        link: str,
        force: float,
        effect: Callable[[], object],
        what: str,
        *,
        torque: float = 0.0,
    ) -> None:
        """Push a link until there is an effect.

        ``force`` [N] is along each of its axes, ``torque`` [N m] about its z axis.
        """
        message = WrenchStamped()
        message.header.frame_id = link
        message.wrench.force.x = message.wrench.force.y = message.wrench.force.z = force
        message.wrench.torque.z = torque
        # once in any case: the end of a push has no effect of its own
        self.until(self.pushes.get_subscription_count, "a robot that can be pushed")
        self.pushes.publish(message)
        self.send(self.pushes, message, effect, what)

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

    def rows(self, quantity: str, field: str = "position") -> list[float]:
        """Return the rows of a quantity in the last state of the controller."""
        state = self.states[-1]
        return [
            value
            for name, value in zip(state.name, getattr(state, field), strict=True)
            if name.endswith(f"/{quantity}")
        ]

    def moves(self, least: float = MOVING) -> bool:
        """Return whether the reference moves at a least speed [rad/s]."""
        return bool(self.states) and max(map(abs, self.rows("reference", "velocity"))) > least

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
