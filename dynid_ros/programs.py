"""Entry points of dynid's nodes, which also handle signals while Python imports them."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from functools import partial
from typing import TYPE_CHECKING

from dynid_ros.stop import FINISHED, HANDLED, say

if TYPE_CHECKING:
    from types import FrameType

TASKS = ("identification_task", "replay_task")
"""Programs that end by themselves; an interrupted one has not finished its work."""


WATCHES = "rest_monitor"
"""The program that must not end before it has a robot state: signals wait until it runs."""


def start(name: str) -> None:
    """Run the node in module ``name``; until it handles signals, one ends the program."""

    def end(number: int, _frame: FrameType | None) -> None:
        say(f"{name} was interrupted by {signal.Signals(number).name} before it started")
        os._exit(128 + number if name in TASKS else FINISHED)

    if name == WATCHES:
        signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
    for number in HANDLED:
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
    importlib.import_module(f"dynid_ros.{name}").main()


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
