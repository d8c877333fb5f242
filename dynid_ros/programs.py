"""Entry points of dynid's nodes, which also handle signals while Python imports them."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from functools import partial

from dynid_ros.stop import FINISHED, HANDLED, silence_closed_streams


def start(name: str) -> None:
    """Run the node in module ``name``; signals wait until the node handles them.

    They are blocked, not ignored, so none is lost, also where an import replaces the process. The
    process ends without Python's own shutdown, which takes seconds on a busy machine, and in which
    threads of the middleware may hang.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
    try:
        importlib.import_module(f"dynid_ros.{name}").main()
    except SystemExit as end:
        code = int(end.code or FINISHED)
        silence_closed_streams()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


excitation_player = partial(start, "excitation_player")
external_wrench = partial(start, "external_wrench")
identification_task = partial(start, "identification_task")
identifier = partial(start, "identifier")
model_publisher = partial(start, "model_publisher")
online_estimator = partial(start, "online_estimator")
recorder = partial(start, "recorder")
replay_task = partial(start, "replay_task")
rest_monitor = partial(start, "rest_monitor")
simulated_robot = partial(start, "simulated_robot")
visualizer = partial(start, "visualizer")
wait_for_drives = partial(start, "wait_for_drives")


if __name__ == "__main__":
    start(sys.argv.pop(1))
