"""Ctrl-C while launch is still starting nodes: no action is interrupted in the middle."""

import sys
import unittest

from launch import LaunchDescription
from launch.actions import ExecuteProcess
from launch_testing.actions import ReadyToTest
from launch_testing.util import KeepAliveProc
from launched import exit_code, output_of

SCRIPT = """
import os, signal
from launch import LaunchDescription, LaunchService
from launch.actions import ExecuteProcess, OpaqueFunction
from dynid_ros.launching import end_in_order

def start(context):
    os.kill(os.getpid(), signal.SIGINT)
    print("went on", flush=True)
    return [ExecuteProcess(cmd=["sleep", "infinity"])]

service = LaunchService()
actions = [end_in_order(), OpaqueFunction(function=start)]
service.include_launch_description(LaunchDescription(actions))
raise SystemExit(service.run())
"""


def generate_test_description():
    process = ExecuteProcess(cmd=[sys.executable, "-c", SCRIPT], output="screen")
    description = LaunchDescription([process, KeepAliveProc(), ReadyToTest()])
    return description, {"process": process}


class Interrupted(unittest.TestCase):
    def test_a_started_action_is_completed_and_then_ended(self, proc_info, proc_output, process):
        assert exit_code(proc_info, process) in {0, 1}
        assert "went on" in output_of(proc_output, process)
