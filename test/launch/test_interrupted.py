"""Signals while the robot moves: it is brought to rest, and everything ends cleanly.

A terminal sends Ctrl-C to the whole process group, and launch signals each child again.
"""

import contextlib
import os
import re
import signal
import unittest
from pathlib import Path

import launch_testing
from joint_listener import Listener
from launched import FOLDER, SHORT, exit_code, output_of, ros2_launch, under_test

from dynid.profile import load_robot
from dynid.recording.load import read_samples

MOVES = 0.2  # [rad/s]
RESTS = 0.01


GROUP, LAUNCH = os.killpg, os.kill
INT, TERM, HUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


@launch_testing.parametrize(
    "ros2_control, send, signals, code",
    [
        ("true", GROUP, [INT] * 5, "130"),
        ("false", GROUP, [INT], "130"),
        # launch sends each child SIGINT as well, and of two at once Python takes any first
        ("true", GROUP, [TERM], "(130|143)"),
        ("false", GROUP, [HUP], "(129|130)"),
        ("true", LAUNCH, [TERM], "130"),
    ],
)
def generate_test_description(ros2_control, send, signals, code):
    output = FOLDER / f"{ros2_control}_{send.__name__}_{signals[0].name}"
    process = ros2_launch(
        "identify", apart=True, ros2_control=ros2_control, excitation=SHORT, output=output
    )
    return under_test(process, output=output, send=send, signals=signals, code=code)


class Interrupted(unittest.TestCase):
    def test_the_robot_comes_to_rest_and_everything_ends(
        self, proc_info, proc_output, process, output, send, signals, code
    ):
        def playing():
            return "playing and recording" in output_of(proc_output, process)

        with Listener() as listener:
            listener.until(lambda: playing() and listener.speed() > MOVES)
            for number in signals:
                send(process.process_details["pid"], number)
                listener.spin()
            listener.until(lambda: process.return_code is not None)
            speed = listener.speed()
        text = output_of(proc_output, process)
        assert speed < RESTS, text
        assert exit_code(proc_info, process) == 1
        # the task could not finish, and everything else ended cleanly
        died = [line for line in text.splitlines() if "process has died" in line]
        # not one of ours, which ends at once
        died = [line for line in died if "robot_state_publisher" not in line]
        assert len(died) == 1, text
        assert re.search(f"identification_task-.*exit code {code}", died[0])
        assert "dynid: interrupted by SIG" in text
        # a busy machine may take longer than launch waits before SIGTERM, which has no effect
        assert "escalating to 'SIGKILL'" not in text
        (bag,) = output.iterdir()
        assert (bag / "metadata.yaml").exists()
        # read without checks: a busy machine causes gaps, which are no fault of the bag
        samples = read_samples(bag, load_robot("puma560").joints)
        assert not samples.repairs
        assert len(samples.stamps) > 100
        assert not left(output), text


def left(output):
    """Return processes whose command or environment has this test's output."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and str(output).encode() in (entry / "cmdline").read_bytes():
                found.append((entry / "cmdline").read_text())
    return found
