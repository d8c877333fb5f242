"""``ros2 launch dynid control.launch.py``: the robot is there, and its model is published."""

import re
import time
import unittest

import launch_testing
import rclpy
from deadline import LONGEST
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from launched import FOLDER, SHORT, output_of, ros2_launch, under_test
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from simulated_bag import write_simulated_model
from std_msgs.msg import String

PUMA = write_simulated_model(FOLDER / "puma.yaml", SHORT)
DELTA = write_simulated_model(FOLDER / "delta.yaml", None, "delta_3")  # a closed chain
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@launch_testing.parametrize("robot, model", [("puma560", PUMA), ("delta_3", DELTA)])
def generate_test_description(robot, model):
    return under_test(ros2_launch("control", robot=robot, model=model), model=model)


class Control(unittest.TestCase):
    def setUp(self):
        rclpy.init()
        self.node = rclpy.create_node("listener")

    def tearDown(self):
        self.node.destroy_node()
        rclpy.shutdown()

    def listen(self, kind, topic, qos=10):
        received = []
        self.node.create_subscription(kind, topic, received.append, qos)
        return received

    def until(self, condition):
        deadline = time.monotonic() + LONGEST
        while not condition():
            assert time.monotonic() < deadline
            rclpy.spin_once(self.node, timeout_sec=0.1)

    def test_the_model_is_published_and_reaches_the_controller(self, model):
        arrays = self.listen(DiagnosticArray, "/diagnostics")
        models = self.listen(String, "/dynid/model", LATCHED)

        def statuses():
            every = [status for array in arrays for status in array.status]
            return [status for status in every if status.name == "model_publisher"]

        self.until(lambda: models)
        assert models[0].data == model.read_text()
        # the controller gets it as soon as it is available
        self.until(lambda: statuses() and statuses()[-1].level == DiagnosticStatus.OK)

    def test_the_robot_publishes_its_state_and_takes_trajectories(self, proc_output, process):
        states = self.listen(JointState, "/joint_states")
        self.until(lambda: states)
        # the controllers first, the trajectory controller when drives are enabled: what still
        # starts at the end would not end cleanly
        spawned = r"\[spawner-\d+\]: process has finished cleanly"
        self.until(lambda: len(re.findall(spawned, output_of(proc_output, process))) == 2)


@launch_testing.post_shutdown_test()
class End(unittest.TestCase):
    def test_everything_ends_cleanly(self, proc_info, proc_output, process):
        assert proc_info[process].returncode == 0
        printed = output_of(proc_output, process)
        assert "process has died" not in printed
        # controller_manager may crash if it is interrupted while controllers are active
        if "Shutdown request received" in printed:
            stopped = printed.find("the controllers are inactive")
            assert 0 <= stopped < printed.find("Shutdown request received"), printed
