"""Functions that tests compute on other processes, which import them from here."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from support.deadlines import LONGEST


def end_process_once(folder: str, number: int) -> int:
    """Square a number; the first process that does so with 3 is killed, those with 5 all are."""
    marker = Path(folder) / "killed"
    if number == 5 or (number == 3 and not marker.exists()):
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number**2


def square(number: int) -> int:
    return number**2


def hold_memory(megabytes: int) -> int:
    """Take memory; where it is more than 1 GB, keep it until the process is ended for that."""
    held = [bytes([1]) * 1_000_000 for _ in range(megabytes)]
    if megabytes > 1000:
        time.sleep(LONGEST)
    return len(held)


def later_seeds_first(seed: int) -> tuple[int, float]:
    """Return a number of a seed; the first one is drawn last, where several run side by side."""
    length = 10 if seed else 200_000
    return seed, float(np.random.default_rng(seed).standard_normal(length)[0])
