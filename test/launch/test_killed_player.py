"""A player that is killed while the robot moves: the robot stops by itself; the launch names it."""

import os
import re
import signal
import unittest

import launch_testing
from joint_listener import Listener
from launched import FOLDER, SHORT, output_of, ros2_launch, running, under_test

MOVES = 0.2  # [rad/s]
RESTS = 0.01


@launch_testing.parametrize("ros2_control", ["true", "false"])
def generate_test_description(ros2_control):
    output = FOLDER / ros2_control
    process = ros2_launch("identify", ros2_control=ros2_control, excitation=SHORT, output=output)
    return under_test(process, output=output)


class KilledPlayer(unittest.TestCase):
    def test_the_robot_stops_by_itself_and_the_launch_names_the_player(
        self, proc_output, process, output
    ):
        def text():
            return output_of(proc_output, process)

        with Listener() as listener:
            listener.until(lambda: "playing and recording" in text() and listener.speed() > MOVES)
            os.kill(int(running("excitation_player").name), signal.SIGKILL)
            listener.until(lambda: listener.speed() < RESTS)
            listener.until(lambda: process.return_code is not None)
        assert re.search(r"excitation_player-\d+ was ended by SIGKILL", text())
        (bag,) = output.iterdir()
        assert (bag / "metadata.yaml").exists()
