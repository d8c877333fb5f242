"""Runs nodes in one process group, and writes how each of them ended.

``python process_group.py CODES NODES``: a file to write, and JSON of a module and its arguments
for each name. With ``--terminal`` it is a shell to the terminal on its stdin: it owns it, and where
it is closed the kernel signals the shell alone, which forwards the signal.

Common modules are imported once, and each node is forked from that process: otherwise five nodes
need ten seconds of processor time before the first one runs. These modules do not import ROS, which
loads a tracer (lttng-ust) with threads of its own: at its exit it would cancel them in every node,
where they never ran, and sometimes crash.
"""

import fcntl
import importlib
import json
import os
import signal
import sys
import termios
from pathlib import Path

COMMON = (
    "dynid.control.controlled_robot",
    "dynid.identification.identify",
    "dynid.playback.plan",
    "dynid.recording.load",
    "dynid.report.write",
)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def pass_on(number: int, _frame: object) -> None:
    signal.signal(number, lambda *_: None)
    os.killpg(os.getpgrp(), number)


def begin(module: str, arguments: list[str]) -> int:
    """The number of a process that runs a module; it ends as one of its own would."""
    if process := os.fork():
        return process
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    sys.argv = [module, *arguments]
    sys.exit(importlib.import_module(module).main())


def main() -> None:
    codes, nodes = Path(sys.argv[1]), json.loads(sys.argv[2])
    # handlers, because what is ignored stays so in the processes that are started
    for number in SIGNALS:
        signal.signal(number, lambda *_: None)
    if "--terminal" in sys.argv:
        signal.signal(signal.SIGHUP, pass_on)
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for module in COMMON:
        importlib.import_module(module)
    started = {name: begin(module, arguments) for name, (module, *arguments) in nodes.items()}
    pids = codes.with_suffix(".pids")
    pids.with_suffix(".new").write_text(json.dumps(started))
    pids.with_suffix(".new").rename(pids)
    ended = {name: os.waitpid(process, 0)[1] for name, process in started.items()}
    ended = {name: os.waitstatus_to_exitcode(status) for name, status in ended.items()}
    codes.write_text(json.dumps(ended))
    os._exit(0)  # must also work with a closed terminal


if __name__ == "__main__":
    main()
