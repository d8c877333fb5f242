"""``ros2 launch dynid control.launch.py``: the model's torque, a collision, and its reset.

Under controller_manager the references come from joint_trajectory_controller, chained; without
ros2_control from simulated_robot. Names and sentences are the same.
"""

import shutil
import time
import unittest

import launch_testing
import rclpy
import yaml
from deadline import LONGEST
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from launched import FOLDER, SHORT, output_of, ros2_launch, under_test
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from simulated_bag import write_simulated_model
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dynid.files import share_directories

MODEL = write_simulated_model(FOLDER / "model.yaml", SHORT)  # of puma560
ROBOT = FOLDER / "puma560.yaml"
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
JOINTS = [f"joint_{j}" for j in range(1, 7)]
ABOVE = [0.0, -0.6, 0.6, 0.0, 0.3, 0.0]  # [rad]
ASIDE = [0.6, -0.3, 0.9, 0.3, 0.0, 0.3]  # [rad]
SLOW = 4.0  # [s] for a motion; machines stall
SLOWER = 15.0  # [s] for one in which something else has to happen
PUSH = 300.0  # [N]


@launch_testing.parametrize("ros2_control", ["true", "false"])
def generate_test_description(ros2_control):
    write_patient_robot()
    process = ros2_launch("control", robot=ROBOT, ros2_control=ros2_control, model=MODEL)
    pushed = "/puma560" if ros2_control == "true" else "/simulated_robot"
    return under_test(process, pushed=pushed)


def write_patient_robot():
    """Write a PUMA whose thresholds tolerate stalling machines, and a model of a short motion."""
    shipped = share_directories()[0]
    profile = yaml.safe_load((shipped / "config" / "robots" / "puma560.yaml").read_text())
    profile["collision"]["torque_error_max"] = [30, 40, 20, 5, 5, 5]
    ROBOT.write_text(yaml.safe_dump(profile))
    shutil.copy(shipped / "urdf" / "puma560.urdf", FOLDER)


class Cell:
    """Subscriptions to the robot's topics, and its services."""

    def __init__(self, pushed):
        self.node = rclpy.create_node("cell")
        self.states, self.collisions = [], []
        make = self.node.create_subscription
        make(JointState, "/feedforward_controller/state", self.states.append, 100)
        collision = "/feedforward_controller/collision"
        make(DiagnosticStatus, collision, self.collisions.append, LATCHED)
        topic = "/joint_trajectory_controller/joint_trajectory"
        self.trajectories = self.node.create_publisher(JointTrajectory, topic, 1)
        self.pushes = self.node.create_publisher(WrenchStamped, f"{pushed}/external_force", 10)
        self.resets = self.node.create_client(Trigger, "/feedforward_controller/reset")

    def until(self, condition, what):
        deadline = time.monotonic() + LONGEST
        while not condition():
            assert time.monotonic() < deadline, what
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def rows(self, quantity, field="position"):
        state = self.states[-1]
        return [
            value
            for name, value in zip(state.name, getattr(state, field), strict=True)
            if name.endswith(f"/{quantity}")
        ]

    def go(self, goal, duration=SLOW):
        self.until(self.trajectories.get_subscription_count, "a trajectory controller")
        point = JointTrajectoryPoint(positions=goal, velocities=[0.0] * 6, accelerations=[0.0] * 6)
        point.time_from_start.sec = int(duration)
        self.trajectories.publish(JointTrajectory(joint_names=JOINTS, points=[point]))

    def is_at(self, goal):
        pairs = zip(self.rows("feedback"), goal, strict=True)
        return max(abs(position - wanted) for position, wanted in pairs) < 0.01

    def push(self, force):
        self.until(self.pushes.get_subscription_count, "a robot to push")
        wrench = WrenchStamped()
        wrench.header.frame_id = "link_5"
        wrench.wrench.force.x = wrench.wrench.force.y = wrench.wrench.force.z = force
        self.pushes.publish(wrench)

    def reset(self):
        answer = self.resets.call_async(Trigger.Request())
        self.until(answer.done, "an answer to ~/reset")
        return answer.result()

    def recover(self):
        """Reset, again if the machine stalls meanwhile, which acts on drives like a push."""
        deadline = time.monotonic() + LONGEST
        while self.stopped():
            assert time.monotonic() < deadline, "a reset"
            self.reset()
            for _ in range(10):  # until ~/collision can have arrived
                rclpy.spin_once(self.node, timeout_sec=0.05)

    def stopped(self):
        return bool(self.collisions) and self.collisions[-1].level == DiagnosticStatus.ERROR


class Collision(unittest.TestCase):
    def setUp(self):
        rclpy.init()

    def tearDown(self):
        rclpy.shutdown()

    def test_torque_is_added_and_a_push_stops_the_robot_until_it_is_reset(self, pushed):
        cell = Cell(pushed)
        cell.until(lambda: cell.states and cell.collisions, "a state and the news of no collision")
        cell.until(lambda: abs(cell.rows("reference", "effort")[1]) > 20, "torque against weight")
        self.arrive(cell, ABOVE)

        self.move(cell, ASIDE, lambda: abs(cell.rows("reference", "velocity")[0]) > 0.03, SLOWER)
        cell.push(PUSH)
        cell.until(cell.stopped, "a collision")
        event = {pair.key: pair.value for pair in cell.collisions[-1].values}
        assert event["joint"] in JOINTS
        assert event["cause"] == "torque_error"
        assert abs(float(event["value"])) > float(event["threshold"])
        assert f"Collision at joint '{event['joint']}': " in cell.collisions[-1].message
        cell.push(0.0)
        before = len(cell.states)
        cell.until(lambda: len(cell.states) > before + 100, "a second of states")
        assert not any(cell.rows("reference", "effort")), "torque offsets after a collision"
        assert not cell.is_at(ASIDE)
        held = cell.rows("feedback")

        cell.recover()
        assert cell.is_at(held)
        self.arrive(cell, ABOVE)

    def arrive(self, cell, goal):
        self.move(cell, goal, lambda: cell.is_at(goal))

    def move(self, cell, goal, reached, duration=SLOW):
        """Move until a condition; a machine that stalls can look like a push."""
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            cell.go(goal, duration)
            cell.until(lambda: reached() or cell.stopped(), f"a motion to {goal}")
            if not cell.stopped():
                return
            cell.recover()
        raise AssertionError("every motion ended in a collision that was none")


@launch_testing.post_shutdown_test()
class End(unittest.TestCase):
    def test_everything_ends_cleanly(self, proc_info, proc_output, process):
        assert proc_info[process].returncode == 0
        assert "process has died" not in output_of(proc_output, process)
