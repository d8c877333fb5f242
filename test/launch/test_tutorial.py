"""The command of the ROS 2 tutorial, on the robot that the tutorial writes."""

import re
import unittest
from pathlib import Path

from launch.actions import ExecuteProcess
from launched import FOLDER, exit_code, output_of, under_test

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "ros2.md"
ROBOT, *BLOCKS = re.findall(r"^```bash\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
(LAUNCH,) = (block for block in BLOCKS if block.startswith("ros2 launch "))


def generate_test_description():
    launch = LAUNCH.replace("identify.launch.py", "identify.launch.py ros2_control:=false")
    (FOLDER / "robot.bash").write_text(ROBOT)
    (FOLDER / "launch.bash").write_text(launch)
    command = ["bash", "-ec", "source robot.bash; source launch.bash"]
    process = ExecuteProcess(cmd=command, cwd=str(FOLDER), sigterm_timeout="60", output="screen")
    return under_test(process)


class Tutorial(unittest.TestCase):
    def test_it_ends_with_a_model(self, proc_info, proc_output, process):
        assert exit_code(proc_info, process) == 0, output_of(proc_output, process)
        assert (FOLDER / "launched" / "model.yaml").is_file()
