"""Shared code of the launch tests: ``ros2 launch`` as its users run it, in its own ROS graph.

CMakeLists.txt puts this folder on PYTHONPATH.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from typing import TYPE_CHECKING

import launch_testing
from deadline import LONGEST
from launch import LaunchDescription
from launch.actions import ExecuteProcess
from launch_testing.actions import ReadyToTest
from launch_testing.util import KeepAliveProc

from dynid_ros.discovery_range import enter_own_domain

if TYPE_CHECKING:
    from launch_testing.io_handler import ActiveIoHandler
    from launch_testing.proc_info_handler import ActiveProcInfoHandler

FOLDER = Path(tempfile.mkdtemp(prefix="dynid-launch-"))
"""Where this test writes; it is gone with the process."""

SHORT = Path(__file__).with_name("short_excitation.yaml")

enter_own_domain()
os.environ["ROS_LOG_DIR"] = str(FOLDER / "log")
TEMPORARY = FOLDER / "tmp"
"""Where what is launched keeps temporary files."""
TEMPORARY.mkdir()
os.environ["TMPDIR"] = str(TEMPORARY)
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def ros2_launch(
    file: str, *options: str, apart: bool = False, **arguments: object
) -> ExecuteProcess:
    """Return a process ``ros2 launch dynid <file>.launch.py`` with arguments.

    ``apart`` starts a process group of its own, which can be signalled as a terminal does.
    """
    given = [f"{name}:={value}" for name, value in arguments.items()]
    command = ["ros2", "launch", "dynid", f"{file}.launch.py", *options, *given]
    if apart:
        command = ["setsid", *command]
    return ExecuteProcess(cmd=command, sigterm_timeout="60", output="screen")


def running(executable: str, package: str = "dynid") -> Path | None:
    """Return the folder in /proc of a node in this test's ROS domain, or None."""
    domain = f"ROS_DOMAIN_ID={os.environ['ROS_DOMAIN_ID']}".encode()
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            command = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            ours = domain in (entry / "environ").read_bytes().split(b"\0") if command else False
            itself = f"lib/{package}/{executable}".encode() in command
            if ours and itself and b"dynid_ros.outlive" not in command:
                return entry
    return None


def busy_processes(count: int = 8) -> list[ExecuteProcess]:
    """Return processes that each keep a processor busy until the end of the test."""
    command = [sys.executable, "-c", "while True: pass"]
    return [ExecuteProcess(cmd=command, name=f"busy_{k}") for k in range(count)]


def under_test(
    process: ExecuteProcess, *beside: ExecuteProcess, **context: object
) -> tuple[LaunchDescription, dict]:
    """Return the result of generate_test_description; tests get ``process`` and the context.

    ``beside`` are other processes.
    """
    description = LaunchDescription([*beside, process, KeepAliveProc(), ReadyToTest()])
    return description, {"process": process, **context}


@launch_testing.post_shutdown_test()
class CleanEnd(unittest.TestCase):
    """Base of tests after the end of what was launched."""

    def test_everything_ends_cleanly(self, proc_info, proc_output, process):
        assert proc_info[process].returncode == 0
        assert "process has died" not in output_of(proc_output, process)


def output_of(proc_output: ActiveIoHandler, process: ExecuteProcess) -> str:
    """Return everything that a process has printed."""
    if process not in proc_output.processes():
        return ""
    return "".join(event.text.decode() for event in proc_output[process])


def exit_code(proc_info: ActiveProcInfoHandler, process: ExecuteProcess) -> int:
    """Return the exit code of a process, once it has ended by itself."""
    proc_info.assertWaitForShutdown(process, timeout=LONGEST)
    return proc_info[process].returncode
