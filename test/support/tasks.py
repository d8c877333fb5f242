"""Functions that tests compute on other processes, which import them from here."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from support.deadlines import LONGEST

if TYPE_CHECKING:
    from distributed import Worker


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


_KEPT: list[bytes] = []


def keep_memory(megabytes: int) -> int:
    """Take memory until the process has this much, and never give it back."""
    import psutil

    process = psutil.Process()
    while process.memory_info().rss < megabytes * 1_000_000:
        _KEPT.append(bytes([1]) * 1_000_000)
    return len(_KEPT)


async def monitor_memory(dask_worker: Worker) -> None:
    """Let a worker do now what it does regularly by its memory."""
    await dask_worker.memory_manager.memory_monitor(dask_worker)


def does_sample(dask_worker: Worker) -> bool:
    """Return whether a worker samples its stack, of which it would keep a history."""
    return "profile" in dask_worker.periodic_callbacks


def later_seeds_first(seed: int) -> tuple[int, float]:
    """Return a number of a seed; the first one is drawn last, where several run side by side."""
    length = 10 if seed else 200_000
    return seed, float(np.random.default_rng(seed).standard_normal(length)[0])


def blocks_interruptions() -> bool:
    """Return whether Ctrl-C of a terminal does not reach this process."""
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
