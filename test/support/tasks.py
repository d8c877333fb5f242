"""Functions that tests compute on other processes, which import them from here."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def end_process_once(folder: str, number: int) -> int:
    """Square a number; the first process that does so with 3 is killed, those with 5 all are."""
    marker = Path(folder) / "killed"
    if number == 5 or (number == 3 and not marker.exists()):
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number**2


def square(number: int) -> int:
    return number**2
