"""Priority of processes that have to act in time, where the user may raise it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_NICE = -10  # above every ordinary process, below the threads of a real-time scheduler
_AUTOGROUP = Path("/proc/self/autogroup")


def raise_priority() -> None:
    """Raise the priority of this process and of its later threads, where that is permitted.

    Where Linux shares processors between sessions first (autogroups), a session of its own is
    raised, too.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, _NICE)
        if os.getsid(0) == os.getpid():
            _AUTOGROUP.write_text(str(_NICE))
