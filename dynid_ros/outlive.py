"""Runs a command that ignores signals until its robot has come to rest.

``python -m dynid_ros.outlive COMMAND...``: for example, ros2_control_node ends its controllers at
the first signal, also during a motion. Here it continues after SIGINT, SIGTERM, SIGHUP and the end
of its parent, until SIGUSR1 (the robot is at rest) or for LONGEST. Then it gets SIGINT, and the
time that every process of dynid has for its shutdown before it is killed. If this process is
killed, the command gets SIGINT at once, so that no robot is left behind.

With ``--controllers`` before the command, controllers are deactivated before the SIGINT, see
``dynid_ros.stop_controllers``.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

from dynid_ros.priority import raise_priority
from dynid_ros.stop import ENDS_WITH_PARENT, LONGEST_END, Stop, silence_closed_streams

LONGEST = 20.0
"""Time for the robot to come to rest after a signal [s]."""

LONGEST_AFTER_RELEASE = LONGEST_END + 6.0
"""Time for the command to end then; a process of dynid ends earlier by itself [s]."""

CONTROLLERS = "--controllers"
"""The option for a command that is controller_manager."""

STOPPING = 30.0
"""Part of it for controllers to become inactive [s], which takes one or two; machines stall."""

_CHECK_PERIOD = 0.05  # [s] between checks
_PR_SET_PDEATHSIG = 1  # of linux/prctl.h


def main(arguments: list[str]) -> int:
    """Run a command to its end; return its exit code, or 128 plus the signal that killed it."""
    controllers = arguments[:1] == [CONTROLLERS]
    command = arguments[1:] if controllers else arguments
    stop = Stop(bounded=False)
    rest: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, _: rest.append(number))
    # in a session of its own no signal to the group reaches it
    environment = {**os.environ, ENDS_WITH_PARENT: str(os.getpid())}
    process = subprocess.Popen(
        command,
        env=environment,
        start_new_session=True,
        preexec_fn=_prepare,  # noqa: PLW1509  there are no threads
    )
    while process.poll() is None and not stop.requested and not rest:
        time.sleep(_CHECK_PERIOD)
    silence_closed_streams()
    # it starts now, while the robot comes to rest
    stopper = _stopper() if controllers and process.poll() is None else None
    deadline = time.monotonic() + LONGEST
    while process.poll() is None and not rest and time.monotonic() < deadline:
        time.sleep(_CHECK_PERIOD)
    if stopper is not None:
        _finish(stopper)
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(LONGEST_AFTER_RELEASE - (STOPPING if controllers else 0.0))
        process.kill()
    code = process.wait()
    return code if code >= 0 else 128 - code


def _prepare() -> None:
    """Have the system send SIGINT to this process when its parent is killed, and run it first."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
    raise_priority()


def _stopper() -> subprocess.Popen[str]:
    """Return the process that deactivates controllers as soon as it is requested to."""
    return subprocess.Popen(
        [sys.executable, "-m", "dynid_ros.stop_controllers"],
        stdin=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _finish(stopper: subprocess.Popen[str]) -> None:
    """Let controllers be deactivated, which takes STOPPING at most."""
    with suppress(subprocess.TimeoutExpired, OSError):
        stopper.communicate("now\n", timeout=STOPPING)
    stopper.kill()
    stopper.wait()


if __name__ == "__main__":
    code = main(sys.argv[1:])
    silence_closed_streams()
    os._exit(code)
