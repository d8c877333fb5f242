"""Runs a command that outlives signals, until the robot that it controls has come to rest.

``python -m dynid_ros.outlive COMMAND...``: ros2_control_node, for one, ends its controllers at the
first signal, whatever moves. Here it goes on after SIGINT, SIGTERM, SIGHUP and the end of its
parent, until SIGUSR1 says that the robot is at rest, or LONGEST has passed. Then it gets SIGINT,
and has the time that every process of dynid has for its end before it is killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

from dynid_ros.stop import ENDS_WITH_PARENT, LONGEST_END, Stop, silence_closed_streams

LONGEST = 20.0
"""Time for the robot to come to rest after a signal [s]."""

LONGEST_AFTER_RELEASE = LONGEST_END + 6.0
"""Time that the command then has for its end; one of dynid ends itself before that [s]."""

_LOOK = 0.05  # [s] between looks


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
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(LONGEST_AFTER_RELEASE)
        process.kill()
    code = process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    code = main(sys.argv[1:])
    silence_closed_streams()
    os._exit(code)
