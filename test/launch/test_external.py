"""``hardware:=external`` identifies robots that others have started, two in one graph."""

import re
import sys
import unittest

from launch import LaunchDescription
from launch.actions import ExecuteProcess
from launch_testing.actions import ReadyToTest
from launch_testing.util import KeepAliveProc
from launched import FOLDER, SHORT, exit_code, output_of, ros2_launch

SIDES = ("left", "right")


def driver_of(side):
    remapped = {
        "/joint_states": f"/{side}/joint_states",
        "/joint_trajectory_controller/joint_trajectory": f"/{side}/scaled/joint_trajectory",
    }
    rules = [word for pair in remapped.items() for word in ("-r", ":=".join(pair))]
    command = [sys.executable, "-m", "dynid_ros.programs", "simulated_robot", "--ros-args"]
    return ExecuteProcess(
        cmd=[*command, "-r", f"__ns:=/{side}/driver", *rules],
        sigterm_timeout="60",
        output="screen",
    )


def identification_of(side):
    return ros2_launch(
        "identify",
        hardware="external",
        namespace=side,
        controller=f"/{side}/scaled",
        joint_states=f"/{side}/joint_states",
        excitation=SHORT,
        output=FOLDER / side,
        validation_seed=-1,
    )


def generate_test_description():
    processes = [identification_of(side) for side in SIDES]
    drivers = [driver_of(side) for side in SIDES]
    described = LaunchDescription([*drivers, *processes, KeepAliveProc(), ReadyToTest()])
    return described, {"processes": dict(zip(SIDES, processes, strict=True))}


class External(unittest.TestCase):
    def test_each_ends_with_a_good_model_of_its_robot_and_has_started_none(
        self, proc_info, proc_output, processes
    ):
        for side, process in processes.items():
            code = exit_code(proc_info, process)
            printed = output_of(proc_output, process)
            assert code == 0, printed
            assert "the robot's own driver and controllers must run" in printed
            for name in (
                "ros2_control_node",
                "simulated_robot",
                "robot_state_publisher",
                "spawner",
            ):
                assert f"[{name}" not in printed, name
            assert set(re.findall(r"\[(\w+)\.\w+\]: ", printed)) == {side, "launch"}
            for name in ("model.yaml", "report.html", "recording_*/metadata.yaml"):
                assert list((FOLDER / side).glob(name)), name
            for bag in (FOLDER / side).glob("recording_*/metadata.yaml"):
                assert f"name: /{side}/joint_states" in bag.read_text("utf-8")
