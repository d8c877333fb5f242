"""Runs a command that outlives signals, until the robot that it controls has come to rest.

``python -m dynid_ros.outlive COMMAND...``: ros2_control_node, for one, ends its controllers at the
first signal, whatever moves. Here it goes on after SIGINT, SIGTERM, SIGHUP and the end of its
parent, until SIGUSR1 says that the robot is at rest, or LONGEST has passed. Then it gets SIGINT.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

from dynid_ros.stop import ENDS_WITH_PARENT, Stop, silence_closed_streams

LONGEST = 20.0
"""Time for the robot to come to rest after a signal [s]."""

_LOOK = 0.05  # [s] between looks
_PATIENCE = 10.0  # [s] for the command to end, after SIGINT and again after SIGTERM


def main(command: list[str]) -> int:
    """Run a command to its end; return its exit code, 128 plus the number of what killed it."""
    stop = Stop(bounded=False)
    rest: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, _: rest.append(number))
    # in a session of its own no signal to the group reaches it
    environment = {**os.environ, ENDS_WITH_PARENT: str(os.getpid())}
    process = subprocess.Popen(command, env=environment, start_new_session=True)  # noqa: S603
    while process.poll() is None and not stop.asked and not rest:
        time.sleep(_LOOK)
    silence_closed_streams()
    deadline = time.monotonic() + LONGEST
    while process.poll() is None and not rest and time.monotonic() < deadline:
        time.sleep(_LOOK)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            break
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
    code = process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    code = main(sys.argv[1:])
    silence_closed_streams()
    os._exit(code)
