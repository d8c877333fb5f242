"""A player that is killed while the robot moves: the robot rests by itself; the task says so."""

import contextlib
import os
import signal
import unittest
from pathlib import Path

import launch_testing
from joint_listener import Listener
from launched import FOLDER, SHORT, ros2_launch, said, under_test

MOVES = 0.2  # [rad/s]
RESTS = 0.01


@launch_testing.parametrize("ros2_control", ["true", "false"])
def generate_test_description(ros2_control):
    output = FOLDER / ros2_control
    process = ros2_launch("identify", ros2_control=ros2_control, excitation=SHORT, output=output)
    return under_test(process, output=output)


class KilledPlayer(unittest.TestCase):
    def test_the_robot_rests_by_itself_and_the_task_names_the_player(
        self, proc_output, process, output
    ):
        def text():
            return said(proc_output, process)

        with Listener() as listener:
            listener.until(lambda: "playing and recording" in text() and listener.speed() > MOVES)
            os.kill(player(), signal.SIGKILL)
            listener.until(lambda: listener.speed() < RESTS)
            listener.until(lambda: process.return_code is not None)
        assert "excitation_player does not answer any more" in text() or (
            "excitation_player has ended" in text()
        )
        (bag,) = output.iterdir()
        assert (bag / "metadata.yaml").exists()


def player():
    """The process of this test's player; it is in this test's ROS domain."""
    domain = f"ROS_DOMAIN_ID={os.environ['ROS_DOMAIN_ID']}".encode()
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            command = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            ours = domain in (entry / "environ").read_bytes().split(b"\0") if command else False
            if ours and b"lib/dynid/excitation_player" in command:
                return int(entry.name)
    raise AssertionError("no player runs")
