"""``hardware:=external`` identifies a robot that others have started, by the names it is given."""

import sys
import unittest

from launch import LaunchDescription
from launch.actions import ExecuteProcess
from launch_testing.actions import ReadyToTest
from launch_testing.util import KeepAliveProc
from launched import FOLDER, SHORT, exit_code, output_of, ros2_launch

STATES, CONTROLLER = "/lab/joint_states", "/lab/scaled_controller"
OUTPUT = FOLDER / "external"
REMAPPED = {
    "/joint_states": STATES,
    "/joint_trajectory_controller/joint_trajectory": f"{CONTROLLER}/joint_trajectory",
}


def generate_test_description():
    rules = [word for pair in REMAPPED.items() for word in ("-r", ":=".join(pair))]
    driver = ExecuteProcess(
        cmd=[sys.executable, "-m", "dynid_ros.programs", "simulated_robot", "--ros-args", *rules],
        sigterm_timeout="60",
        output="screen",
    )
    process = ros2_launch(
        "identify",
        hardware="external",
        controller=CONTROLLER,
        joint_states=STATES,
        excitation=SHORT,
        output=OUTPUT,
        validation_seed=-1,
    )
    described = LaunchDescription([driver, process, KeepAliveProc(), ReadyToTest()])
    return described, {"process": process}


class External(unittest.TestCase):
    def test_it_ends_with_a_good_model_and_has_started_no_robot(
        self, proc_info, proc_output, process
    ):
        code = exit_code(proc_info, process)
        printed = output_of(proc_output, process)
        assert code == 0, printed
        assert "the robot's own driver and controllers must run" in printed
        for name in ("ros2_control_node", "simulated_robot", "robot_state_publisher", "spawner"):
            assert f"[{name}" not in printed, name
        for name in ("model.yaml", "report.html", "recording_*/metadata.yaml"):
            assert list(OUTPUT.glob(name)), name
