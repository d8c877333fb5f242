"""``ros2 launch dynid <file> --show-args`` explains every argument; ``dynid`` is on the path."""

import json
import os
import re
import shutil
import unittest

from launch import LaunchDescription
from launch.actions import ExecuteProcess
from launch_testing.actions import ReadyToTest
from launch_testing.util import KeepAliveProc
from launched import exit_code, output_of, ros2_launch

ROBOT = {
    "robot",
    "urdf",
    "hardware",
    "slaves",
    "ros2_control",
    "feedforward",
    "command",
    "model",
    "rate",
    "ends",
}
ARGUMENTS = {
    "control": ROBOT | {"controller", "force"},
    "identify": ROBOT
    | {
        "controller",
        "namespace",
        "joint_states",
        "excitation",
        "recording",
        "start",
        "stop",
        "output",
        "validation_seed",
        "horizon",
        "max_age",
        "rviz",
    },
    "replay": {"recording", "robot", "urdf", "output", "model", "rate"},
    "robot": ROBOT,
    "view": {"robot", "urdf", "model", "state_publisher"},
}
PROCESSES = {file: ros2_launch(file, "--show-args") for file in ARGUMENTS}
DOCTOR = ExecuteProcess(cmd=["dynid", "doctor", "--json"], output="screen")


def generate_test_description():
    return LaunchDescription([*PROCESSES.values(), DOCTOR, KeepAliveProc(), ReadyToTest()])


class Arguments(unittest.TestCase):
    def test_every_argument_is_shown_with_a_description(self, proc_info, proc_output):
        for file, process in PROCESSES.items():
            with self.subTest(file):
                assert exit_code(proc_info, process) == 0
                text = output_of(proc_output, process)
                assert set(re.findall(r"^    '(\w+)':", text, re.MULTILINE)) == ARGUMENTS[file]
                assert "no description given" not in text

    def test_the_command_line_is_that_of_the_sourced_workspace(self, proc_info, proc_output):
        prefixes = os.environ["AMENT_PREFIX_PATH"].split(os.pathsep)
        assert shutil.which("dynid") in {f"{prefix}/bin/dynid" for prefix in prefixes}
        assert exit_code(proc_info, DOCTOR) == 0
        (lines,) = json.loads(output_of(proc_output, DOCTOR)).values()
        found = {line["name"]: line["found"] for line in lines}
        assert found["dynid"]
        assert found["ros2launch"]
