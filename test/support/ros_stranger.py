"""A ROS program that knows nothing of dynid, and moves a robot: NAME, GOAL [rad], SERVICE.

It prints ``states`` when it received joint states, ``moved`` when the first joint is at its goal,
``answered`` when its service was then called, ``carried off`` when the joint leaves the goal, and
``met NAME`` for each other such program.
"""

from __future__ import annotations

import sys

import rclpy
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

JOINTS = ("shoulder", "elbow")
NEAR = 0.05  # [rad]


class Stranger:
    """Tries everything again and again, until its process is killed."""

    def __init__(self, name: str, goal: float, service: str) -> None:
        self._name, self._goal = name, goal
        self._printed: set[str] = set()
        self.node = rclpy.create_node(name)
        node = self.node
        self._present = node.create_publisher(String, "present", 10)
        node.create_subscription(String, "present", self._meet, 10)
        node.create_subscription(JointState, "/joint_states", self._see, qos_profile_sensor_data)
        self._commands = node.create_publisher(
            JointTrajectory, "/joint_trajectory_controller/joint_trajectory", 10
        )
        self._service = node.create_client(Trigger, service)
        node.create_timer(0.2, lambda: self._present.publish(String(data=name)))
        node.create_timer(2.0, self._act)

    def _print(self, line: str) -> None:
        if line not in self._printed:
            self._printed.add(line)
            print(line, flush=True)  # noqa: T201  what others read

    def _meet(self, message: String) -> None:
        if message.data != self._name:
            self._print(f"met {message.data}")

    def _see(self, state: JointState) -> None:
        self._print("states")
        distance = abs(state.position[0] - self._goal)
        if distance < NEAR:
            self._print("moved")
        elif "moved" in self._printed and distance > 4 * NEAR:
            self._print("carried off")

    def _act(self) -> None:
        if "moved" not in self._printed:
            point = JointTrajectoryPoint(positions=[self._goal, 0.0])
            point.time_from_start.sec = 1
            self._commands.publish(JointTrajectory(joint_names=list(JOINTS), points=[point]))
        elif "answered" not in self._printed and self._service.service_is_ready():
            future = self._service.call_async(Trigger.Request())
            future.add_done_callback(lambda _: self._print("answered"))


if __name__ == "__main__":
    rclpy.init()
    rclpy.spin(Stranger(sys.argv[1], float(sys.argv[2]), sys.argv[3]).node)
