"""A simulated robot of two joints, and its published messages, for tests of its node."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import WrenchStamped
from rcl_interfaces.msg import Log
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64, Float64MultiArray, Int32
from trajectory_msgs.msg import JointTrajectory

from dynid.playback.motions import point_to_point
from dynid.playback.trajectory import Trajectory, sample
from dynid.robot.limits import Limits
from dynid_ros.node import ERROR
from dynid_ros.qos import COMMAND, STATES
from dynid_ros.simulated_robot import SimulatedRobotNode
from dynid_ros.trajectory_messages import start_ns, to_message
from support.small_robot import ACCELERATION, HOME, JOINTS

ALL = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
MILLISECOND = 1_000_000  # [ns]
GOAL = (0.9, 0.7)
INJECTIONS = {
    "lose_frames": Int32,
    "frame_loss": Float64,
    "saturate": Float64MultiArray,
    "external_force": WrenchStamped,
    "guide": Bool,
}


def motion(begin, goal) -> Trajectory:
    limits = Limits(velocity=(4.0, 5.0), acceleration=ACCELERATION)
    return sample(point_to_point(np.array(begin), np.array(goal), limits, 0.3), JOINTS, 100.0)


class Cell:
    """A simulated robot and its published messages."""

    def __init__(self, graph, profile, speed: float, **parameters) -> None:
        self.graph = graph
        self.profile = profile
        self.messages: list[JointState] = graph.listen(JointState, "/joint_states", STATES)
        self.clock: list[Clock] = graph.listen(Clock, "/clock", ALL)
        self.log: list[Log] = graph.listen(Log, "/rosout", 10)
        self.health = graph.statuses("simulated_robot")
        topic = "/joint_trajectory_controller/joint_trajectory"
        self._injections = {
            name: graph.peer.create_publisher(kind, f"/simulated_robot/{name}", 10)
            for name, kind in INJECTIONS.items()
        }
        self._trajectories = graph.peer.create_publisher(JointTrajectory, topic, COMMAND)
        # states published before the two are connected are lost
        self.node = graph.start(
            SimulatedRobotNode, profile=str(self.profile), speed=speed, **parameters
        )
        graph.until(lambda: self._trajectories.get_subscription_count() and self.messages)
        graph.until(lambda: self.node.count_subscribers("/diagnostics"))

    def send(self, trajectory: Trajectory, start: int) -> None:
        self._trajectories.publish(to_message(trajectory, start))

    def inject(self, name: str, message) -> None:
        publisher = self._injections[name]
        self.graph.until(publisher.get_subscription_count)
        publisher.publish(message)

    def push(self, link: str, upwards: float) -> None:
        wrench = WrenchStamped()
        wrench.header.frame_id = link
        wrench.wrench.force.y = upwards
        self.inject("external_force", wrench)

    def logged(self, text: str) -> str:
        """Wait for a log message with this text, and return it."""
        self.graph.until(lambda: any(text in line.msg for line in self.log))
        return next(line.msg for line in self.log if text in line.msg)

    def go(self, begin=HOME) -> int:
        """Send the robot to GOAL within a second, and return when that starts [ns]."""
        start = start_ns(self.messages[-1]) + 300 * MILLISECOND
        self.send(motion(begin, GOAL), start)
        return start

    def arrive(self, begin=HOME, *, within: int = 2000, atol: float = 2e-3) -> None:
        """Send the robot to GOAL, and check that it is there after a time [ms]."""
        self.pass_until(self.go(begin) + within * MILLISECOND)
        assert np.allclose(self.position, GOAL, atol=atol)

    def pass_until(self, instant: int) -> None:
        self.graph.until(lambda: start_ns(self.messages[-1]) >= instant)

    def pass_for(self, milliseconds: int) -> None:
        self.pass_until(start_ns(self.messages[-1]) + milliseconds * MILLISECOND)

    @property
    def position(self) -> np.ndarray:
        return np.array(self.messages[-1].position)

    def table(self, name: str) -> np.ndarray:
        return np.array([getattr(message, name) for message in self.messages])

    @property
    def stamps(self) -> np.ndarray:
        return np.array([start_ns(message) for message in self.messages])

    def errors(self) -> list[str]:
        return [status.message for status in self.health() if status.level == ERROR]
