"""``ros2 launch dynid control.launch.py``: a push at a link, found by the torque in its gear.

The push is smaller than the friction of the motor, which hides it from the motor's torque.
"""

import shutil
import unittest

import launch_testing
import rclpy
import yaml
from cell import JOINTS, Cell
from launched import FOLDER, SHORT, output_of, ros2_launch, under_test
from simulated_bag import write_simulated_model

from dynid.files import share_directories

MODEL = write_simulated_model(FOLDER / "model.yaml", SHORT)  # of puma560
ROBOT = FOLDER / "puma560.yaml"
ABOVE = [0.0, -0.6, 0.6, 0.0, 0.3, 0.0]  # [rad]
PUSH = 8.0  # [N m] about joint 1, whose dry friction is larger


@launch_testing.parametrize("ros2_control", ["true", "false"])
def generate_test_description(ros2_control):
    write_elastic_robot()
    process = ros2_launch("control", robot=ROBOT, ros2_control=ros2_control, model=MODEL)
    pushed = "/puma560" if ros2_control == "true" else "/simulated_robot"
    return under_test(process, pushed=pushed)


def write_elastic_robot():
    """Write a PUMA with encoders at links and motors, and a model of a short motion."""
    shipped = share_directories()[0]
    profile = yaml.safe_load((shipped / "config" / "robots" / "puma560.yaml").read_text())
    profile["elastic"] = {
        "stiffness": [60e3, 60e3, 30e3, 5e3, 5e3, 3e3],
        "damping": [30, 30, 15, 1, 1, 0.1],
        "link_position": {"columns": JOINTS},
        "link_torque": True,
    }
    profile["simulation"]["position_resolution"] = 1e-6
    profile["feedforward"] = {**profile.get("feedforward", {}), "model_check": False}
    # in motion anything may happen on a stalling machine
    profile["collision"] |= {
        "torque_error_max": [4, 60, 30, 20, 20, 20],
        "velocity_factor": 1000,
        "acceleration_factor": 1000,
        "reversal_boost": 0,
    }
    ROBOT.write_text(yaml.safe_dump(profile))
    shutil.copy(shipped / "urdf" / "puma560.urdf", FOLDER)


class Gears(unittest.TestCase):
    def setUp(self):
        rclpy.init()

    def tearDown(self):
        rclpy.shutdown()

    def test_a_push_below_friction_stops_the_robot(self, pushed):
        cell = Cell(pushed)
        cell.until(lambda: cell.states and cell.collisions, "a state and the news of no collision")
        cell.arrive(ABOVE)
        cell.until(lambda: max(cell.rows("blind_time", "effort")) < 0.1, "supervised gears")
        cell.push("link_1", 0.0, cell.stopped, "a collision", torque=PUSH)
        event = {pair.key: pair.value for pair in cell.collisions[-1].values}
        assert event["joint"] == JOINTS[0]
        assert event["cause"] == "torque_error"
        assert abs(float(event["value"])) < PUSH + 4


@launch_testing.post_shutdown_test()
class End(unittest.TestCase):
    def test_everything_ends_cleanly(self, proc_info, proc_output, process):
        assert proc_info[process].returncode == 0
        assert "process has died" not in output_of(proc_output, process)
