"""Runs commands in one process group, and writes how each of them ended.

``python process_group.py CODES COMMANDS``: a file to write, and JSON of a command for each name.
With ``--terminal`` it is a shell to the terminal on its stdin: it owns it, and where it is closed
the kernel signals the shell alone, which passes the signal on.
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
from pathlib import Path


def pass_on(number: int, _frame: object) -> None:
    signal.signal(number, lambda *_: None)
    os.killpg(os.getpgrp(), number)


def main() -> None:
    codes, commands = Path(sys.argv[1]), json.loads(sys.argv[2])
    # handlers, because what is ignored stays so in the processes that are started
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    if "--terminal" in sys.argv:
        signal.signal(signal.SIGHUP, pass_on)
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    started = {name: subprocess.Popen(command) for name, command in commands.items()}  # noqa: S603
    pids = codes.with_suffix(".pids")
    pids.with_suffix(".new").write_text(json.dumps({n: p.pid for n, p in started.items()}))
    pids.with_suffix(".new").rename(pids)
    codes.write_text(json.dumps({name: process.wait() for name, process in started.items()}))
    os._exit(0)  # a closed terminal must not matter


if __name__ == "__main__":
    main()
