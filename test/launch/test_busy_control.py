"""``control.launch.py`` beside eight busy processes: the robot follows motions."""

import unittest

import launch_testing
import rclpy
from cell import Cell
from launched import FOLDER, SHORT, busy_processes, output_of, ros2_launch, under_test
from simulated_bag import write_simulated_model

MODEL = write_simulated_model(FOLDER / "model.yaml", SHORT)  # of puma560
GOALS = ([0.35, -0.9, 0.8, -0.2, 0.25, 0.3], [-0.25, -0.5, 0.45, 0.3, -0.3, -0.2])  # [rad]
SLOW, FAST = 12.0, 3.0  # [s]


@launch_testing.parametrize("ros2_control", ["true", "false"])
def generate_test_description(ros2_control):
    process = ros2_launch("control", ros2_control=ros2_control, model=MODEL)
    return under_test(process, *busy_processes())


class BusyControl(unittest.TestCase):
    def setUp(self):
        rclpy.init()
        self.cell = Cell()

    def tearDown(self):
        self.cell.node.destroy_node()
        rclpy.shutdown()

    def test_the_robot_follows_a_slow_and_a_fast_motion(self, proc_output, process):
        cell = self.cell
        cell.until(lambda: cell.joints and cell.states, "joint states and the controller's state")
        for goal, duration in zip(GOALS, (SLOW, FAST), strict=True):
            cell.go(goal, duration)
            cell.until(lambda goal=goal: cell.is_at(goal) or cell.stopped(), f"the robot at {goal}")
            assert not cell.stopped(), cell.collisions[-1].message
        assert "process has died" not in output_of(proc_output, process)


@launch_testing.post_shutdown_test()
class End(unittest.TestCase):
    def test_everything_ends_cleanly(self, proc_info, proc_output, process):
        assert proc_info[process].returncode == 0
        assert "process has died" not in output_of(proc_output, process)
