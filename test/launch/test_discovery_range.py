"""Launched nodes are found only on this machine, unless the user sets a range."""

import unittest
from contextlib import suppress

import launch_testing
from joint_listener import Listener
from launch.actions import ExecuteProcess
from launched import output_of, running, under_test

from dynid_ros.discovery_range import OPEN_BY, RANGE

STARTED = "[simulated_robot-1]: process started"


@launch_testing.parametrize("chosen, found", [("", "LOCALHOST"), ("SUBNET", "SUBNET")])
def generate_test_description(chosen, found):
    robot = ["ros2", "launch", "dynid", "robot.launch.py", "ros2_control:=false"]
    # launch has to end its nodes before it is ended itself
    command = ["env", f"{RANGE}={chosen}", *robot]
    process = ExecuteProcess(cmd=command, sigterm_timeout="60", output="screen")
    return under_test(process, chosen=chosen, found=found)


def environment(executable):
    """Return the environment of a node as NAME=VALUE; empty if no node runs."""
    with suppress(OSError):
        if folder := running(executable):
            return (folder / "environ").read_bytes().split(b"\0")
    return []


class DiscoveryRange(unittest.TestCase):
    def test_nodes_have_the_range_and_it_is_logged(self, proc_output, process, chosen, found):
        with Listener() as listener:
            listener.until(lambda: STARTED in output_of(proc_output, process))
            # at first, the robot of the test before may still be found
            listener.until(lambda: f"{RANGE}={found}".encode() in environment("simulated_robot"))
        assert output_of(proc_output, process).count(OPEN_BY) == (0 if chosen else 1)
