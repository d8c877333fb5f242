"""A process that a launch needs is killed: the launch names it and ends with 1."""

import os
import signal
import unittest

import launch_testing
from joint_listener import Listener
from launched import FOLDER, SHORT, exit_code, output_of, ros2_launch, running, under_test
from simulated_bag import write_simulated_model

MODEL = write_simulated_model(FOLDER / "model.yaml", SHORT)

CASES = [
    ("control", "true", "ros2_control_node"),
    ("control", "false", "simulated_robot"),
    ("control", "true", "model_publisher"),
    ("identify", "true", "ros2_control_node"),
    ("identify", "true", "recorder"),
    ("identify", "true", "identifier"),
]
MOVES, RESTS = 0.2, 0.01  # [rad/s]
MOVER = "activated all the parsed controllers list : ['joint_trajectory_controller']"


@launch_testing.parametrize("file, ros2_control, name", CASES)
def generate_test_description(file, ros2_control, name):
    only = {"model": MODEL} if file == "control" else {"excitation": SHORT, "output": FOLDER / name}
    process = ros2_launch(file, ros2_control=ros2_control, **only)
    return under_test(process, file=file, ros2_control=ros2_control, name=name)


class Killed(unittest.TestCase):
    def test_the_launch_names_it_and_ends(
        self, proc_info, proc_output, process, file, ros2_control, name
    ):
        def text():
            return output_of(proc_output, process)

        with Listener() as listener:
            if file == "identify":
                moving = "playing and recording"
                listener.until(lambda: moving in text() and listener.speed() > MOVES)
            else:
                # a spawner that is left without controller_manager would not end at SIGINT
                last = MOVER if ros2_control == "true" else "published"
                listener.until(lambda: listener.heard and last in text())
            package = "controller_manager" if name == "ros2_control_node" else "dynid"
            os.kill(int(running(name, package).name), signal.SIGKILL)
            listener.until(lambda: process.return_code is not None)
            if name not in ("ros2_control_node", "simulated_robot"):
                assert listener.speed() < RESTS
        assert exit_code(proc_info, process) == 1
        assert f"{name}-" in text()
        assert "was ended by SIGKILL, and nothing here works without it: the launch ends" in text()
        assert "escalating to 'SIGKILL'" not in text()
