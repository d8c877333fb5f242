"""What Dask runs before it starts a process on this machine."""

from __future__ import annotations

import signal
from multiprocessing import resource_tracker


def dask_setup(_nanny: object) -> None:
    """Block Ctrl-C, which a terminal sends to every process, in those that this thread starts.

    They have the mask from their first instruction on; the command ends them. This thread itself
    loses nothing: Python handles signals in the main thread.
    """
    resource_tracker.ensure_running()  # its start, with the first process, would clear the mask
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
