"""What Dask runs in each process on this machine before its work."""

from __future__ import annotations

import signal


def dask_setup(_worker: object) -> None:
    """Ignore Ctrl-C, which a terminal sends to every process: the command ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
