"""Ctrl-C before the identification has begun: there is no model, so the launch ends with 1."""

import os
import signal
import unittest

from joint_listener import Listener
from launched import FOLDER, SHORT, exit_code, output_of, ros2_launch, under_test


def generate_test_description():
    process = ros2_launch("identify", apart=True, excitation=SHORT, output=FOLDER / "out")
    return under_test(process)


class Interrupted(unittest.TestCase):
    def test_it_ends_with_1_and_says_that_there_is_no_model(self, proc_info, proc_output, process):
        def text():
            return output_of(proc_output, process)

        with Listener() as listener:
            listener.until(lambda: "process started with pid" in text())
            os.killpg(process.process_details["pid"], signal.SIGINT)
            listener.until(lambda: process.return_code is not None)
        assert exit_code(proc_info, process) == 1, text()
        begun = "interrupted by SIGINT" in text()  # where the task is started at once
        assert begun or "the identification had not begun, so there is no model" in text()
        assert not (FOLDER / "out").exists()
        # a node that still started ends as documented
        died = [line for line in text().splitlines() if "process has died" in line]
        ours = [line for line in died if "lib/dynid/" in line and "identification_task" not in line]
        assert not [line for line in ours if "wait_for_drives" not in line], text()
