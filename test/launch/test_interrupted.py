"""Ctrl-C while the robot moves: it is brought to rest, and everything ends in good order."""

import os
import re
import signal
import time
import unittest

import launch_testing
import rclpy
from launched import FOLDER, LONGEST, SHORT, exit_code, ros2_launch, said, under_test
from sensor_msgs.msg import JointState

from dynid.profile import load_robot
from dynid.recording.load import load_recording

MOVES = 0.2  # [rad/s]
RESTS = 0.01


@launch_testing.parametrize("ros2_control", ["true", "false"])
def generate_test_description(ros2_control):
    output = FOLDER / ros2_control
    process = ros2_launch("identify", ros2_control=ros2_control, excitation=SHORT, output=output)
    return under_test(process, output=output)


class Interrupted(unittest.TestCase):
    def test_the_robot_comes_to_rest_and_everything_ends(
        self, proc_info, proc_output, process, output
    ):
        def playing():
            return "playing and recording" in said(proc_output, process)

        with Listener() as listener:
            listener.until(lambda: playing() and listener.speed() > MOVES)
            os.kill(process.process_details["pid"], signal.SIGINT)
            listener.until(lambda: process.return_code is not None)
            speed = listener.speed()
        text = said(proc_output, process)
        assert speed < RESTS, text
        assert exit_code(proc_info, process) == 1
        # the task could not do its work, and everything else ended as it should
        died = [line for line in text.splitlines() if "process has died" in line]
        assert len(died) == 1, text
        assert re.search("identification_task-.*exit code 2", died[0])
        assert "dynid: interrupted" in text
        assert "failed to terminate" not in text
        (bag,) = output.iterdir()
        assert (bag / "metadata.yaml").exists()
        assert len(load_recording(bag, load_robot("puma560").joints).time) > 100


class Listener:
    """Hears the newest joint state."""

    def __enter__(self):
        rclpy.init()
        self._node = rclpy.create_node("listener")
        self._state = None
        self._node.create_subscription(JointState, "/joint_states", self._take, 1)
        return self

    def __exit__(self, *_):
        self._node.destroy_node()
        rclpy.shutdown()

    def _take(self, state):
        self._state = state

    def speed(self):
        """Of the fastest joint [rad/s]."""
        return max(map(abs, self._state.velocity)) if self._state else 0.0

    def until(self, condition):
        deadline = time.monotonic() + LONGEST
        while not condition():
            assert time.monotonic() < deadline, "waited in vain"
            rclpy.spin_once(self._node, timeout_sec=0.1)
        rclpy.spin_once(self._node, timeout_sec=0.0)
